//! An unexpected word and what the grammar wanted -> a finding whose help is what to write instead.

use crate::build::Rule;
use crate::codes;
use crate::diagnostic::{Diagnostic, quote};
use crate::parse::LANGUAGE_VERSION;
use crate::similar::closest;
use crate::source::Location;

pub(crate) const OPENING_WORDS: [&str; 15] = [
    "policy", "use", "without", "role", "paths", "hosts", "commands", "refs", "models", "names", "tool", "rule",
    "budget", "assert", "test",
];

pub(crate) const CLAUSE_WORDS: [&str; 5] = ["where", "limit", "require", "code", "because"];

/// The words at which parsing resumes after a mistake.
pub(crate) const RESUMING_WORDS: [&str; 20] = [
    "policy", "use", "without", "role", "paths", "hosts", "commands", "refs", "models", "names", "tool", "rule",
    "budget", "assert", "test", "where", "limit", "require", "code", "because",
];

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

/// Returns the statement or clause keyword that a misspelt word was probably meant to be.
pub(crate) fn meant_opening(word: &str) -> Option<&'static str> {
    let translated = translated(word).filter(|keyword| RESUMING_WORDS.contains(keyword));
    translated.or_else(|| closest(word, RESUMING_WORDS)).filter(|_| !is_keyword(word))
}

/// The word that the grammar did not expect, and its surroundings.
pub(crate) struct Unexpected<'a> {
    pub(crate) at: Location,
    /// Empty where the statement ends too early.
    pub(crate) written: &'a str,
    pub(crate) previous: &'a str,
    /// The next word on the same line, or empty.
    pub(crate) next: &'a str,
    /// The keyword that opens the statement.
    pub(crate) opening: &'a str,
    pub(crate) is_word: bool,
    pub(crate) starts_line: bool,
}

impl Unexpected<'_> {
    fn help(&self, wanted: &[Rule]) -> String {
        if wanted == [Rule::kw_language] && self.previous != "policy" {
            return format!("write {}", quote(&format!("policy {} language {LANGUAGE_VERSION}", self.previous)));
        }
        self.hint(wanted).to_owned()
    }

    fn hint(&self, wanted: &[Rule]) -> &'static str {
        let is_between_statements = self.starts_line && wanted.iter().any(|rule| opens(*rule));
        let opening = if is_between_statements { "" } else { self.opening };
        let wants = |rule: Rule| wanted.contains(&rule);
        let starts_literal = self.written.starts_with(['"', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let is_member =
            self.written == "and" || self.written.starts_with(|c: char| c == '"' || c.is_ascii_alphanumeric());
        match self.written {
            "allow" | "ask" | "deny" if opening.is_empty() => "effects belong in a rule: `rule NAME: deny …`",
            "true" | "false" => "a flag has no value: write `force` or `not force`",
            "not" => "write `not` before the attribute: `not path in …`",
            "(" | "{" if self.previous == "in" => "lists have no brackets: `path in \"a\", \"b\"`",
            _ if wants(Rule::at_most) => "write a limit as `bytes <= 10 MiB`",
            _ if wants(Rule::name) && starts_literal => "a name is a bare word such as `read-sources`",
            _ if wants(Rule::kw_per) || wants(Rule::period) => {
                "end a budget with `per session`, `per minute`, `per hour` or `per day`"
            }
            _ if wants(Rule::arrow) => "write a test as `test NAME: ROLES OPERATION FACTS => allow by RULE`",
            _ if wants(Rule::kw_to) && self.written.contains('.') => {
                "write `to` before the operations: `allow reader to file.read`"
            }
            "=" if wants(Rule::ordering) || wants(Rule::operator) => "compare with `==`",
            "," if self.previous.starts_with('"') => "use `in` for several values: `path in \"a\", \"b\"`",
            _ if matches!(self.previous, "==" | "!=" | "matches") => "values are numbers, or strings in double quotes",
            _ if wants(Rule::comma) && is_member => "separate the members of a list with `,`",
            _ if wants(Rule::colon) && !is_past_name(opening, self.written) => "write `:` after the name",
            _ => form(opening),
        }
    }

    /// Returns true if the statement continues as it would after its name. A keyword that was meant as the name would be
    /// followed by what follows a name.
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

/// Reports a word in the place of what the grammar wants.
pub(crate) fn something_else(word: &Unexpected<'_>, wanted: &[Rule]) -> Diagnostic {
    let written = quote(word.written);
    let keywords: Vec<&str> = wanted.iter().flat_map(|rule| keywords_of(*rule)).copied().collect();
    let translated = translated(word.written).filter(|keyword| keywords.contains(keyword));
    let meant = translated.or_else(|| closest(word.written, keywords.iter().copied())).filter(|_| word.is_word);
    let declares = |rule: &Rule| matches!(rule, Rule::name | Rule::names | Rule::subjects);
    let is_for_name = is_keyword(word.written) && !word.starts_line && wanted.iter().any(declares);
    if is_for_name && !word.lacks_name() {
        let help = format!("choose another name, for example `my-{}`", word.written);
        return keyword_as_name(word.at, word.written).help(help);
    }
    let opens_nothing = word.is_word && word.starts_line && wanted.iter().any(|rule| opens(*rule));
    if !is_keyword(word.written) && (meant.is_some() || opens_nothing) {
        let help = match meant {
            Some(keyword) => format!("did you mean `{keyword}`?"),
            None => word.hint(wanted).to_owned(),
        };
        return Diagnostic::new(codes::UNKNOWN_KEYWORD, word.at, format!("unknown keyword {written}")).help(help);
    }
    let message = format!("expected {}, found {written}", one_of(wanted));
    Diagnostic::new(codes::UNEXPECTED, word.at, message).help(word.help(wanted))
}

/// Reports a keyword where a list wants a set or a string.
pub(crate) fn keyword_in_list(at: Location, keyword: &str) -> Diagnostic {
    keyword_as_name(at, keyword).help(format!("name a set, or write a string in double quotes: `\"{keyword}\"`"))
}

fn keyword_as_name(at: Location, keyword: &str) -> Diagnostic {
    Diagnostic::new(codes::KEYWORD_AS_NAME, at, format!("`{keyword}` is a keyword and cannot be a name"))
}

/// Reports a statement that ends too early.
pub(crate) fn nothing_more(word: &Unexpected<'_>, wanted: &[Rule]) -> Diagnostic {
    let message = format!("expected {}, but the statement ends here", one_of(wanted));
    Diagnostic::new(codes::UNEXPECTED, word.at, message).help(word.help(wanted))
}

/// Suggests a replacement for a character of another language.
pub(crate) fn instead_of(written: &str) -> &'static str {
    match written {
        "&&" | "&" => "join conditions with `and`",
        "||" | "|" => "join alternatives with `or`",
        "!" => "write `not`",
        ";" => "remove it; statements do not end with `;`",
        _ if written.starts_with(['\'', '`', '“', '”', '‘', '’']) => "write strings in double quotes: \"…\"",
        "->" => "write `=>`",
        "/" => "comments start with `#`; paths are strings in double quotes",
        "[" | "]" => "lists have no brackets: `\"a\", \"b\"`",
        "." => "write operations as `tool.operation`, without blanks",
        "-" => "numbers cannot be negative; names have single hyphens inside",
        _ if written.starts_with(|c: char| c.is_alphabetic()) => {
            "names consist of ASCII letters, digits, `_` and single hyphens"
        }
        _ => "only words, numbers and operators may appear outside strings and comments",
    }
}

/// Translates a word of other languages to a keyword.
fn translated(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "forbid" | "block" | "refuse" | "reject" | "disallow" => "deny",
        "permit" | "grant" => "allow",
        "confirm" | "prompt" => "ask",
        "import" | "include" | "load" => "use",
        "everyone" | "everybody" | "all" | "any" => "anyone",
        "when" | "if" => "where",
        "reason" => "because",
        "group" | "user" => "role",
        "set" | "list" => "paths",
        "unless" => "not",
        "contains" | "is" => "in",
        "like" => "matches",
        "extends" | "inherits" => "includes",
        _ => return None,
    })
}

/// Returns true for a word that comes later in the statement than what follows the `:`. Then the word before it is not
/// a name but a role, say, and the name is missing.
fn is_past_name(opening: &str, written: &str) -> bool {
    match opening {
        "rule" | "assert" => matches!(written, "to" | ","),
        "budget" | "test" => written.contains('.') || matches!(written, "," | "<="),
        _ => false,
    }
}

/// Shows the form of a statement, by its opening keyword.
fn form(opening: &str) -> &'static str {
    match opening {
        "policy" => "write a header as `policy NAME language 1`",
        "use" => "write an import as `use std.secrets` or `use \"./team.policy\"`",
        "without" => "write `without std.protected-paths`",
        "role" => "write a role as `role NAME` or `role NAME includes OTHER, OTHER`",
        "paths" | "hosts" | "commands" | "refs" | "models" | "names" => {
            "write a set as `paths NAME = \"src/**\", OTHER-SET`"
        }
        "tool" => "write a tool as `tool NAME { op NAME(PARAMETER: string) }`",
        "rule" => "write a rule as `rule NAME: allow ROLE to file.read where CONDITION limit bytes <= 1 MiB`",
        "budget" => "write a budget as `budget NAME: ROLE OPERATION tokens <= 1_000 per session`",
        "assert" => "write an assertion as `assert NAME: never ROLE to OPERATIONS where CONDITION`",
        "test" => "write a test as `test NAME: ROLES OPERATION FACTS => allow by RULE`",
        _ => {
            "a statement starts with `policy`, `use`, `role`, a kind of set (`paths`, …), `tool`, `rule`, `budget`, `assert` or `test`"
        }
    }
}

fn one_of(wanted: &[Rule]) -> String {
    let mut phrases: Vec<String> = Vec::new();
    for phrase in wanted.iter().filter_map(|rule| phrase(*rule)) {
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    match phrases.as_slice() {
        [] => "a statement".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn opens(rule: Rule) -> bool {
    matches!(rule, Rule::EOI | Rule::statements | Rule::remainder)
}

/// Lists the keywords that may start the grammar rule.
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

/// Names the grammar rule in a message.
fn phrase(rule: Rule) -> Option<String> {
    let phrase = match rule {
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
        Rule::name | Rule::names | Rule::any_word => "a name",
        Rule::subjects => "a role or `anyone`",
        Rule::attribute | Rule::flag => "an attribute",
        Rule::operation_name | Rule::operations => "an operation such as `file.read`",
        Rule::pack => "a rule pack such as `std.secrets`",
        Rule::obligation => "a requirement such as `clean-tree`",
        Rule::reason_code => "a code such as `SECRET_PATH`",
        Rule::period => "`session`, `minute`, `hour` or `day`",
        Rule::effect => "`allow`, `ask` or `deny`",
        Rule::condition | Rule::conjunction | Rule::negation | Rule::comparison => "a condition",
        Rule::ordering | Rule::operator => "a comparison such as `==`",
        Rule::item | Rule::items => "a string, a number or a set",
        Rule::string => "a string in double quotes",
        Rule::quantity | Rule::fact | Rule::number => "a number",
        Rule::unit => "a unit",
        Rule::given => "a fact such as `path \"src/main.rs\"`",
        Rule::bound => "a bound such as `bytes <= 1 MiB`",
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
        Rule::kw_where => "`where`",
        _ => {
            let [keyword] = keywords_of(rule) else { return None };
            return Some(format!("`{keyword}`"));
        }
    };
    Some(phrase.to_owned())
}

#[cfg(test)]
mod tests {
    use pest::Parser as _;

    use super::*;
    use crate::build::Grammar;

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
