//! The kinds of findings in a single text: E01xx for its bytes, E02xx for its grammar.

use crate::diagnostic::Code;

/// Declares codes as constants and lists them, so that the list is complete.
#[macro_export]
macro_rules! codes {
    ($($name:ident = $id:literal $severity:ident, $title:literal,
        explain $explanation:literal, wrong $wrong:literal, right $right:literal;)*) => {
        $(pub const $name: &$crate::Code = &$crate::Code {
            id: $id,
            severity: $crate::Severity::$severity,
            title: $title,
            explanation: $explanation,
            wrong: $wrong,
            right: $right,
        };)*

        /// Every code of this crate, sorted by id.
        pub const ALL: &[&$crate::Code] = &[$($name),*];
    };
}

codes! {
    FILE_TOO_LARGE = "E0102" Error, "file too large",
    explain "A policy file may have at most 1 MiB, so that a check is always quick. Split a large policy into files and link them with `use`.",
    wrong "# a file of more than 1 MiB",
    right "policy big language 1\n\nuse \"./part-one.policy\"\nuse \"./part-two.policy\"";

    NOT_UTF8 = "E0103" Error, "not UTF-8",
    explain "A policy is UTF-8 text. Other bytes cannot be shown, so they cannot be reviewed. Save the file as UTF-8.",
    wrong "# bytes such as FF FE, or text saved as UTF-16 or Latin-1",
    right "policy plain language 1";

    BYTE_ORDER_MARK = "E0104" Error, "byte order mark",
    explain "The file starts with an invisible byte order mark (EF BB BF). Tools disagree on whether it belongs to the first word. Save the file as UTF-8 without it.",
    wrong "\u{FEFF}policy plain language 1",
    right "policy plain language 1";

    CONTROL_CHARACTER = "E0105" Error, "control character",
    explain "A policy must not contain control characters other than line breaks and tabs, not even in strings and comments: NUL ends a string in C, a lone carriage return hides a line on a terminal. Remove it.",
    wrong "policy plain language 1\n# a hidden\u{0007} bell",
    right "policy plain language 1\n# no bell";

    INVISIBLE_CHARACTER = "E0106" Error, "invisible character",
    explain "Characters that are invisible, or that change the direction of the text around them, make a policy look different from what it says. They are not allowed anywhere. In strings, blanks other than the space, joiners, fillers and variation selectors are not allowed either.",
    wrong "policy plain language 1\n# \u{202E}txet",
    right "policy plain language 1\n# text";

    LINE_TOO_LONG = "E0107" Error, "line too long",
    explain "A line may have at most 16 KiB, because nobody reviews a longer one. Break the list over several lines; white space has no meaning.",
    wrong "# a line of more than 16 KiB",
    right "policy plain language 1\n\nrole reader\n\npaths many =\n  \"a/**\",\n  \"b/**\"\n\nrule many:\n  allow reader to file.read\n  where path in many\n\ntest many: reader file.read path \"a/x\" => allow by many";

    TOO_MANY_FINDINGS = "E0108" Error, "too many findings",
    explain "After 1,000 findings in one file the rest is not shown. Fix the first ones and check again; one early mistake often explains many.",
    wrong "# a file with more than a thousand mistakes",
    right "policy plain language 1";

    UNEXPECTED = "E0201" Error, "unexpected word",
    explain "The grammar expects something else here; the message says what. Statements start with a keyword (`policy`, `use`, `without`, `role`, a kind of set, `tool`, `rule`, `budget`, `assert`, `test`), lists are separated by commas, strings are in double quotes.",
    wrong "policy p language 1\nrole reader\nrule read-all:\n  allow reader file.read",
    right "policy p language 1\n\nrole reader\n\nrule read-all:\n  allow reader to file.read\n\ntest read: reader file.read path \"a\" => allow by read-all";

    UNKNOWN_KEYWORD = "E0202" Error, "unknown keyword",
    explain "A keyword was expected here. Unknown words are never skipped: a misspelt `where` would make a rule match more than its author intended.",
    wrong "policy p language 1\nrole reader\nrule read-src:\n  allow reader to file.read\n  wher path in \"src/**\"",
    right "policy p language 1\n\nrole reader\n\nrule read-src:\n  allow reader to file.read\n  where path in \"src/**\"\n\ntest read: reader file.read path \"src/a\" => allow by read-src";

    UNCLOSED_STRING = "E0203" Error, "unclosed string",
    explain "A string ends on the line it starts on, with a double quote. Write a double quote inside it as `\\\"`.",
    wrong "policy p language 1\npaths sources = \"src/**",
    right "policy p language 1\n\nrole reader\n\npaths sources = \"src/**\"\n\nrule read-src:\n  allow reader to file.read\n  where path in sources\n\ntest read: reader file.read path \"src/a\" => allow by read-src";

    TOO_DEEP = "E0204" Error, "nested too deeply",
    explain "Parentheses and `not`s may be nested at most 64 levels deep. Split the condition into several rules, or name parts of it as sets.",
    wrong "policy p language 1\nrole r\nrule deep:\n  allow r to git.push\n  where ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((force))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))",
    right "policy p language 1\n\nrole r\n\nrule flat:\n  allow r to git.push\n  where force\n\ntest t: r git.push force => allow by flat";

    STRAY = "E0205" Error, "stray character",
    explain "This character may only appear in strings and comments. Join conditions with the words `and`, `or`, `not`; statements do not end with `;`; strings are in double quotes; comments start with `#`.",
    wrong "policy p language 1\nrole r\nrule x:\n  allow r to git.push\n  where force && all",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to git.push\n  where force and all\n\ntest t: r git.push force all => allow by x";

    UNKNOWN_ESCAPE = "E0206" Error, "unknown escape",
    explain "In a string, a backslash may only precede a double quote or another backslash. Only the regex after `matches` has other escapes.",
    wrong "policy p language 1\npaths windows = \"src\\main\"",
    right "policy p language 1\n\nrole r\n\npaths unix = \"src/main\"\n\nrule x:\n  allow r to file.read\n  where path in unix\n\ntest t: r file.read path \"src/main\" => allow by x";

    KEYWORD_AS_NAME = "E0207" Error, "keyword used as a name",
    explain "Keywords cannot be names, so that a reader always sees where a statement starts. Choose another name, for example with a hyphen: `test-runner`.",
    wrong "policy p language 1\nrole test",
    right "policy p language 1\n\nrole test-runner\n\nrule run:\n  allow test-runner to pytest.run\n  where path in \"tests/**\"\n\ntest t: test-runner pytest.run path \"tests/a\" => allow by run";

    MISSING_HEADER = "E0208" Error, "missing header",
    explain "Every policy file starts with `policy NAME language 1`, so that a file for another version of the language is never read as this one.",
    wrong "role reader",
    right "policy mine language 1";

    MISPLACED_HEADER = "E0209" Error, "misplaced header",
    explain "The header must be the first statement of the file, and a file has only one.",
    wrong "policy mine language 1\npolicy yours language 1",
    right "policy mine language 1";

    UNKNOWN_LANGUAGE = "E0210" Error, "unknown language version",
    explain "This compiler reads language version 1. The same words may have another meaning in another version, so such a policy is not read at all.",
    wrong "policy mine language 7",
    right "policy mine language 1";

    REPEATED_CLAUSE = "E0211" Error, "repeated clause",
    explain "A rule has each clause at most once. Join two conditions with `and`, two limits or requirements with a comma.",
    wrong "policy p language 1\nrole r\nrule x:\n  allow r to file.read\n  where path in \"a/**\"\n  where path in \"b/**\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"a/**\", \"b/**\"\n\ntest t: r file.read path \"a/x\" => allow by x";
}

/// Finds a code by its id, in upper or lower case.
#[must_use]
pub fn find<'a>(lists: &[&'a [&'static Code]], id: &str) -> Option<&'static Code> {
    lists
        .iter()
        .flat_map(|list: &&'a [&'static Code]| list.iter())
        .find(|code| code.id.eq_ignore_ascii_case(id))
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_rise_and_their_letter_is_their_severity() {
        assert!(ALL.is_sorted_by(|a, b| a.id < b.id));
        for code in ALL {
            let letter = code.severity.as_str().to_uppercase();
            assert!(code.id.starts_with(letter.get(..1).unwrap()), "{}", code.id);
        }
    }

    #[test]
    fn codes_are_found_by_id_in_either_case() {
        assert_eq!(find(&[ALL], "e0201"), Some(UNEXPECTED));
        assert_eq!(find(&[ALL], "E9999"), None);
    }
}
