//! A regex -> a text in which it finds a match, to test a rule with.

use policy_model::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};

/// A short line of plain words that the regex matches, if one is easily found.
pub(crate) fn of(pattern: &str) -> Option<String> {
    let regex = Regex::new(pattern).ok()?;
    let mut line = Vec::new();
    append(&regex.hir().ok()?, &mut line, DEPTH_MAX)?;
    let line = String::from_utf8(line).ok()?;
    let line = crate::command::simple_line(line.trim_end())?;
    regex.is_match(&line).then_some(line)
}

/// Adds something that this part matches. What stands between characters is not looked at: the whole is tried.
fn append(hir: &Hir, line: &mut Vec<u8>, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    if line.len() > BYTES_MAX {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => line.extend_from_slice(&literal.0),
        HirKind::Class(class) => line.push(byte_of(class)?),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min.min(u32::try_from(BYTES_MAX).ok()?) {
                append(&repetition.sub, line, depth)?;
            }
        }
        HirKind::Capture(capture) => append(&capture.sub, line, depth)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| append(part, line, depth))?,
        HirKind::Alternation(ways) => append(ways.first()?, line, depth)?,
    }
    Some(())
}

/// A letter or a blank of the class if there is one.
fn byte_of(class: &Class) -> Option<u8> {
    let holds = |byte: u8| match class {
        Class::Bytes(class) => class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte)),
        Class::Unicode(class) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
    };
    b" a".iter().copied().chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*b"-./_=:+,@%").find(|byte| holds(*byte))
}

const DEPTH_MAX: usize = 64;
const BYTES_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_where_it_is_easy() {
        assert_eq!(of(r"^cargo(\s|$)").as_deref(), Some("cargo"));
        assert_eq!(of(r"^npm (test|run [a-z]+)$").as_deref(), Some("npm test"));
        assert_eq!(of(r"^make\b"), Some("make".to_owned()));
        assert_eq!(of(r"a^b"), None);
        assert_eq!(of(r"^a|rm -rf \$HOME$").as_deref(), Some("a"));
        assert_eq!(of(r"^\$\(x\)$"), None);
        assert_eq!(of("("), None);
        assert_eq!(of("^(a{1000}){1000}$"), None);
    }
}
