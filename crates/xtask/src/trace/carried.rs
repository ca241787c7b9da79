//! The path of a test -> the ids it carries. It compares whole words, so that no id is found inside another.

/// The ids there are, as the words they have in names.
#[derive(Debug)]
pub(super) struct Ids {
    words: Vec<Vec<String>>,
}

/// What the path of a test carries.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    /// The places of ids in the list they were given in.
    pub(super) rows: Vec<usize>,
    /// What has the form of an id and is none.
    pub(super) unknown: Vec<String>,
}

impl Ids {
    /// Remembers ids by their place.
    pub(super) fn new<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        Self { words: ids.map(words).collect() }
    }

    /// What a path such as `module::tests::inv_0007_dotdot_is_refused` carries.
    pub(super) fn carried(&self, path: &str) -> Carried {
        let mut carried = Carried::default();
        for segment in path.split("::") {
            let words: Vec<&str> = segment.split('_').collect();
            let mut rest = words.as_slice();
            while let Some((first, after)) = rest.split_first() {
                if let Some((row, len)) = self.longest_at(rest) {
                    carried.rows.push(row);
                    rest = rest.get(len..).unwrap_or_default();
                    continue;
                }
                if let Some(number) = after.first().filter(|number| NUMBERED.contains(first) && is_number(number)) {
                    carried.unknown.push(format!("{first}_{number}"));
                }
                rest = after;
            }
        }
        carried
    }

    /// The longest id that these words start with: the words of one id can start another.
    fn longest_at(&self, rest: &[&str]) -> Option<(usize, usize)> {
        let starts = |id: &Vec<String>| id.len() <= rest.len() && id.iter().zip(rest).all(|(a, b)| a == b);
        let found = self.words.iter().enumerate().filter(|(_, id)| starts(id));
        found.map(|(row, id)| (row, id.len())).max_by_key(|(_, len)| *len)
    }
}

/// An id as the words of a name: `RULE-sec.git.clean_tree` is `rule sec git clean tree`.
pub(super) fn words(id: &str) -> Vec<String> {
    id.to_lowercase().split(['-', '.', '_']).map(String::from).collect()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The ids that are numbers, so that a slip can be told from ordinary words.
const NUMBERED: &[&str] = &["inv", "ctr"];

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: &[&str] =
        &["INV-0007", "SEC-ALLOW", "SEC-ALLOW-EMPTY", "RULE-sec.git.clean_tree", "TOOL-git-18", "TOOL-git"];

    /// The ids that a path carries.
    fn carried(path: &str) -> Vec<&str> {
        let carried = Ids::new(IDS.iter().copied()).carried(path);
        assert_eq!(carried.unknown, [] as [&str; 0], "{path}");
        carried.rows.iter().map(|row| IDS[*row]).collect()
    }

    #[test]
    fn an_id_is_carried_at_the_start_the_end_and_in_between() {
        for path in ["inv_0007", "inv_0007_holds", "it_holds_inv_0007", "a::b::x_inv_0007_y", "inv_0007::holds"] {
            assert_eq!(carried(path), ["INV-0007"], "{path}");
        }
        assert_eq!(carried("rule_sec_git_clean_tree_is_kept"), ["RULE-sec.git.clean_tree"]);
    }

    #[test]
    fn an_id_is_made_of_whole_words_of_one_segment() {
        for path in ["sinv_0007", "sec::allow", "sec_allowed", "tool_gits_18", "nothing", ""] {
            assert_eq!(carried(path), [] as [&str; 0], "{path}");
        }
    }

    #[test]
    fn the_longest_id_wins_at_a_place() {
        assert_eq!(carried("sec_allow_empty_blocks_all"), ["SEC-ALLOW-EMPTY"]);
        assert_eq!(carried("sec_allow_emptiness"), ["SEC-ALLOW"]);
        assert_eq!(carried("tool_git_18"), ["TOOL-git-18"]);
        assert_eq!(carried("tool_git_180"), ["TOOL-git"]);
    }

    #[test]
    fn one_name_may_carry_several_ids() {
        assert_eq!(carried("inv_0007_sec_allow_and_tool_git"), ["INV-0007", "SEC-ALLOW", "TOOL-git"]);
        assert_eq!(carried("inv_0007::sec_allow"), ["INV-0007", "SEC-ALLOW"]);
    }

    #[test]
    fn a_number_that_no_row_has_is_unknown() {
        let ids = Ids::new(IDS.iter().copied());
        for (path, unknown) in [("inv_0008_x", "inv_0008"), ("a::ctr_0001", "ctr_0001"), ("inv_7", "inv_7")] {
            assert_eq!(ids.carried(path), Carried { rows: vec![], unknown: vec![unknown.to_owned()] }, "{path}");
        }
        for path in ["inv_of_0008", "inv", "ctr_a0001", "inv__0007"] {
            assert_eq!(ids.carried(path), Carried::default(), "{path}");
        }
    }
}
