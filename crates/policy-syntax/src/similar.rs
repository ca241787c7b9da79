//! An unknown name and the known ones -> the one that was probably meant.

/// Returns the candidate closest to `name`, if it is close enough to be a typing mistake.
///
/// Ties go to the first candidate.
pub fn closest<'a, S: AsRef<str> + ?Sized + 'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a S>,
) -> Option<&'a str> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let folded = name.to_ascii_lowercase();
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates.into_iter().take(CANDIDATES_MAX) {
        let candidate = candidate.as_ref();
        let allowed = (name.len().max(candidate.len()) / 3).max(1);
        // The difference in length is the least that can be between them.
        if candidate.len() > NAME_BYTES_MAX || candidate.len().abs_diff(name.len()) > allowed {
            continue;
        }
        let distance = strsim::osa_distance(&folded, &candidate.to_ascii_lowercase());
        if distance <= allowed && best.is_none_or(|(found, _)| distance < found) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns a help text for an unknown name: the closest candidate, or the first few known names.
///
/// `kind` is a plural such as `roles`.
pub fn did_you_mean<'a, S: AsRef<str> + ?Sized + 'a>(
    name: &str,
    kind: &str,
    candidates: impl IntoIterator<Item = &'a S> + Clone,
) -> String {
    if let Some(found) = closest(name, candidates.clone()) {
        return format!("did you mean `{found}`?");
    }
    let mut all = candidates.into_iter().map(AsRef::as_ref);
    let shown: Vec<_> = all.by_ref().take(LISTED_MAX).map(|known: &str| format!("`{known}`")).collect();
    let more = match all.count() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    match shown.is_empty() {
        true => format!("no {kind} are declared"),
        false => format!("known {kind}: {}{more}", shown.join(", ")),
    }
}

/// Comparing costs the product of the lengths, so longer names are not compared.
const NAME_BYTES_MAX: usize = 40;

/// Candidates compared with a name.
const CANDIDATES_MAX: usize = 200;

/// Names listed in a help text.
const LISTED_MAX: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["reader", "coder", "releaser"];
        assert_eq!(closest("codr", names), Some("coder"));
        assert_eq!(closest("Coder", names), Some("coder"));
        assert_eq!(closest("raeder", names), Some("reader"));
        assert_eq!(closest("gardener", names), None);
    }

    #[test]
    fn help_lists_what_there_is_when_nothing_is_close() {
        assert_eq!(did_you_mean("xyz", "roles", ["a", "b"]), "known roles: `a`, `b`");
        assert_eq!(did_you_mean::<str>("xyz", "roles", []), "no roles are declared");
        let many: Vec<_> = (0..20).map(|n| format!("name-{n:02}")).collect();
        assert!(did_you_mean("zzz", "roles", &many).ends_with("and 8 more"));
    }
}
