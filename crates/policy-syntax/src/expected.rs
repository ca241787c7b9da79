//! What the grammar wanted at a place -> a sentence and a way to fix it.

use crate::codes;
use crate::diagnostic::{Diagnostic, quote};
use crate::grammar::Rule;
use crate::hints::{self, Surroundings, hint};
use crate::parse::LANGUAGE_VERSION;
use crate::similar::closest;
use crate::source::Location;

/// The words that open a statement.
pub(crate) const OPENING_WORDS: [&str; 15] = [
    "policy", "use", "without", "role", "paths", "hosts", "commands", "refs", "models", "names", "tool", "rule",
    "budget", "assert", "test",
];

/// The words that open a clause of a rule.
pub(crate) const CLAUSE_WORDS: [&str; 5] = ["where", "limit", "require", "code", "because"];

/// The words at which reading goes on after a mistake.
pub(crate) const RESUMING_WORDS: [&str; 20] = [
    "policy", "use", "without", "role", "paths", "hosts", "commands", "refs", "models", "names", "tool", "rule",
    "budget", "assert", "test", "where", "limit", "require", "code", "because",
];

/// The words that join others.
pub(crate) const CONNECTIVE_WORDS: [&str; 16] = [
    "and", "or", "not", "in", "matches", "to", "by", "per", "never", "anyone", "includes", "language", "op", "allow",
    "ask", "deny",
];

pub(crate) fn is_opening(word: &str) -> bool {
    OPENING_WORDS.contains(&word)
}

pub(crate) fn is_keyword(word: &str) -> bool {
    is_opening(word) || CLAUSE_WORDS.contains(&word) || CONNECTIVE_WORDS.contains(&word)
}

/// For a word that is no keyword: the one that opens a statement or clause and was probably meant.
pub(crate) fn meant_opening(word: &str) -> Option<&'static str> {
    let translated = hints::translated(word).filter(|keyword| RESUMING_WORDS.contains(keyword));
    translated.or_else(|| closest(word, RESUMING_WORDS)).filter(|_| !is_keyword(word))
}

/// The word that could not be read.
pub(crate) struct Place<'a> {
    pub(crate) at: Location,
    pub(crate) written: &'a str,
    pub(crate) previous: &'a str,
    /// The word after it in its line, if there is one.
    pub(crate) next: &'a str,
    pub(crate) opening: &'a str,
    pub(crate) is_word: bool,
    pub(crate) starts_line: bool,
}

impl Place<'_> {
    fn around(&self, wanted: &[Rule]) -> Surroundings<'_> {
        let between_statements = self.starts_line && wanted.iter().any(|rule| opens(*rule));
        let opening = if between_statements { "" } else { self.opening };
        Surroundings { written: self.written, previous: self.previous, opening }
    }

    /// What to write, with what stands there already where that is all that is missing.
    fn help(&self, wanted: &[Rule]) -> String {
        if wanted == [Rule::kw_language] && self.previous != "policy" {
            return format!("write {}", quote(&format!("policy {} language {LANGUAGE_VERSION}", self.previous)));
        }
        hint(&self.around(wanted), wanted).to_owned()
    }

    /// Whether the statement goes on as it would after its name. A keyword that was meant as the name is followed by what
    /// follows a name.
    fn lacks_name(&self) -> bool {
        let goes_on = match self.previous {
            "policy" => self.written == "language",
            "role" => self.written == "includes" && !self.next.is_empty(),
            "rule" => matches!(self.written, "allow" | "ask" | "deny"),
            "assert" => matches!(self.written, "never" | "anyone"),
            "budget" | "test" => self.written == "anyone",
            _ => false,
        };
        goes_on && self.next != ":" && self.next != self.written
    }
}

/// The finding for a word that stands where the grammar wants another.
pub(crate) fn something_else(place: &Place<'_>, wanted: &[Rule]) -> Diagnostic {
    let written = quote(place.written);
    let keywords: Vec<&str> = wanted.iter().flat_map(|rule| keywords_of(*rule)).copied().collect();
    let translated = hints::translated(place.written).filter(|keyword| keywords.contains(keyword));
    let meant = translated.or_else(|| closest(place.written, keywords.iter().copied())).filter(|_| place.is_word);
    let is_for_name = is_keyword(place.written) && !place.starts_line && wanted.iter().any(|rule| declares(*rule));
    if is_for_name && !place.lacks_name() {
        let help = format!("choose another name, for example `my-{}`", place.written);
        return keyword_as_name(place.at, place.written).help(help);
    }
    let opens_nothing = place.is_word && place.starts_line && wanted.iter().any(|rule| opens(*rule));
    if !is_keyword(place.written) && (meant.is_some() || opens_nothing) {
        let help = match meant {
            Some(keyword) => format!("did you mean `{keyword}`?"),
            None => hint(&place.around(wanted), wanted).to_owned(),
        };
        return Diagnostic::new(codes::UNKNOWN_KEYWORD, place.at, format!("{written} is no keyword")).help(help);
    }
    let message = format!("expected {}, found {written}", one_of(wanted));
    Diagnostic::new(codes::UNEXPECTED, place.at, message).help(place.help(wanted))
}

/// The finding for a keyword that stands where a list wants a set or a string.
pub(crate) fn keyword_in_list(at: Location, keyword: &str) -> Diagnostic {
    keyword_as_name(at, keyword).help(format!("name a set, or write a string in double quotes: `\"{keyword}\"`"))
}

fn keyword_as_name(at: Location, keyword: &str) -> Diagnostic {
    Diagnostic::new(codes::KEYWORD_AS_NAME, at, format!("`{keyword}` is a keyword and cannot be a name"))
}

/// The finding for a statement that stops too early.
pub(crate) fn nothing_more(place: &Place<'_>, wanted: &[Rule]) -> Diagnostic {
    let message = format!("expected {}, but the statement ends here", one_of(wanted));
    Diagnostic::new(codes::UNEXPECTED, place.at, message).help(place.help(wanted))
}

/// What to write instead of a character of another language.
pub(crate) fn instead_of(written: &str) -> &'static str {
    match written {
        "&&" | "&" => "conditions are joined by `and`",
        "||" | "|" => "alternatives are joined by `or`",
        "!" => "write `not`",
        ";" => "statements need no `;`: remove it",
        _ if written.starts_with(['\'', '`', '“', '”', '‘', '’']) => "strings are in double quotes: \"…\"",
        "->" => "write `=>`",
        "/" => "comments start with `#`; paths are strings in double quotes",
        "[" | "]" => "lists need no brackets: `\"a\", \"b\"`",
        "." => "an operation is written `tool.operation` without blanks",
        "-" => "numbers are never negative; a name has single hyphens inside it",
        _ if written.starts_with(|c: char| c.is_alphabetic()) => {
            "names are made of ASCII letters, digits, `_` and single hyphens"
        }
        _ => "outside strings and comments only words, numbers and the signs of the language may stand",
    }
}

fn one_of(wanted: &[Rule]) -> String {
    let mut phrases: Vec<&str> = Vec::new();
    for phrase in wanted.iter().filter_map(|rule| phrase(*rule)) {
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    match phrases.as_slice() {
        [] => "a statement".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Whether a name of the author's choosing is wanted.
fn declares(rule: Rule) -> bool {
    matches!(rule, Rule::name | Rule::names | Rule::subjects)
}

/// Whether a whole statement is wanted.
fn opens(rule: Rule) -> bool {
    matches!(rule, Rule::EOI | Rule::statements | Rule::remainder)
}

/// The keywords that may stand where the rule is wanted.
fn keywords_of(rule: Rule) -> &'static [&'static str] {
    match rule {
        Rule::EOI | Rule::header | Rule::rule_ | Rule::statements => &OPENING_WORDS,
        Rule::remainder => &RESUMING_WORDS,
        Rule::subjects => &["anyone"],
        Rule::clause => &CLAUSE_WORDS,
        Rule::effect => &["allow", "ask", "deny"],
        Rule::kw_to => &["to"],
        Rule::kw_per => &["per"],
        Rule::kw_language => &["language"],
        Rule::kw_includes => &["includes"],
        Rule::kw_never => &["never"],
        Rule::kw_or => &["or"],
        Rule::kw_and => &["and"],
        Rule::kw_in | Rule::membership => &["in"],
        Rule::kw_matches | Rule::matching => &["matches"],
        Rule::kw_not | Rule::negation => &["not"],
        Rule::kw_op | Rule::operation => &["op"],
        Rule::kw_by | Rule::expected_rule => &["by"],
        Rule::where_ => &["where"],
        Rule::unit => &["KiB", "MiB", "GiB", "ms", "min"],
        _ => &[],
    }
}

fn phrase(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::header
        | Rule::import
        | Rule::without
        | Rule::role
        | Rule::set
        | Rule::tool
        | Rule::rule_
        | Rule::budget
        | Rule::assertion
        | Rule::test
        | Rule::statement
        | Rule::statements
        | Rule::remainder
        | Rule::EOI => "the next statement",
        Rule::clause => "a clause (`where`, `limit`, `require`, `code`, `because`)",
        Rule::name | Rule::names => "a name",
        Rule::subjects => "a role or `anyone`",
        Rule::attribute | Rule::flag => "an attribute",
        Rule::any_word => "a name",
        Rule::operation_name | Rule::operations => "an operation such as `file.read`",
        Rule::pack => "a rule pack such as `std.secrets`",
        Rule::obligation => "a requirement such as `clean-tree`",
        Rule::reason_code => "a code such as `SECRET_PATH`",
        Rule::period => "`session`, `minute`, `hour` or `day`",
        Rule::effect => "`allow`, `ask` or `deny`",
        Rule::condition | Rule::conjunction | Rule::negation | Rule::comparison => "a condition",
        Rule::membership | Rule::kw_in => "`in`",
        Rule::matching | Rule::kw_matches => "`matches`",
        Rule::ordering | Rule::operator => "a comparison such as `==`",
        Rule::item | Rule::items => "a string, a number or a set",
        Rule::string => "a string in double quotes",
        Rule::quantity | Rule::fact | Rule::number => "a number",
        Rule::unit => "a unit",
        Rule::given => "a fact such as `path \"src/main.rs\"`",
        Rule::bound => "a bound such as `bytes <= 1 MiB`",
        Rule::operation | Rule::kw_op => "`op`",
        Rule::parameter => "a parameter such as `project: string`",
        Rule::parameters | Rule::open => "`(`",
        Rule::block | Rule::open_brace => "`{`",
        Rule::close => "`)`",
        Rule::close_brace => "`}`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::equals => "`=`",
        Rule::at_most => "`<=`",
        Rule::arrow => "`=>`",
        Rule::kw_to => "`to`",
        Rule::kw_per => "`per`",
        Rule::kw_language => "`language`",
        Rule::kw_includes => "`includes`",
        Rule::kw_never => "`never`",
        Rule::kw_or => "`or`",
        Rule::kw_and => "`and`",
        Rule::kw_not => "`not`",
        Rule::kw_by | Rule::expected_rule => "`by`",
        Rule::where_ | Rule::kw_where => "`where`",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use pest::Parser as _;

    use super::*;
    use crate::grammar::Grammar;

    #[test]
    fn keywords_are_those_of_the_grammar() {
        let grammar = include_str!("../../../grammar/policy.pest");
        let of = |lists: &[&str]| {
            let lines = grammar.lines().filter(|line| lists.iter().any(|list| line.starts_with(list)));
            let mut words: Vec<&str> = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).collect();
            words.sort_unstable();
            words
        };
        let sorted = |words: &[&'static str]| {
            let mut words = words.to_vec();
            words.sort_unstable();
            words
        };
        assert_eq!(sorted(&RESUMING_WORDS), of(&["opening ", "set_kind ", "clause_word "]));
        assert_eq!(sorted(&OPENING_WORDS), of(&["opening ", "set_kind "]));
        assert_eq!(sorted(&CLAUSE_WORDS), of(&["clause_word "]));
        assert_eq!(sorted(&CONNECTIVE_WORDS), of(&["connective ", "verdict "]));
    }

    #[test]
    fn no_keyword_is_a_name_and_what_starts_with_one_is() {
        for keyword in OPENING_WORDS.into_iter().chain(CLAUSE_WORDS).chain(CONNECTIVE_WORDS) {
            for rule in [Rule::name, Rule::operation_name, Rule::pack, Rule::reason_code, Rule::period] {
                assert!(Grammar::parse(rule, keyword).is_err(), "{keyword} as {rule:?}");
                assert!(Grammar::parse(rule, &format!("{keyword}x")).is_ok(), "{keyword}x as {rule:?}");
            }
        }
    }
}
