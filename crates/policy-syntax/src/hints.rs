//! A word that cannot stand there -> what to write instead. Every syntax error has a way out.

use crate::grammar::Rule;

/// The word in question and its surroundings.
pub(crate) struct Surroundings<'a> {
    /// The word itself; empty where the statement ends too early.
    pub(crate) written: &'a str,
    /// The word before it.
    pub(crate) previous: &'a str,
    /// The word that opens the statement; empty between statements.
    pub(crate) opening: &'a str,
}

/// What to do about a word that stands where the grammar wants one of the others.
pub(crate) fn hint(around: &Surroundings<'_>, wanted: &[Rule]) -> &'static str {
    let wants = |rule: Rule| wanted.contains(&rule);
    let starts_literal = around.written.starts_with(['"', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    match around.written {
        "allow" | "ask" | "deny" if around.opening.is_empty() => "an effect stands in a rule: `rule NAME: deny …`",
        "true" | "false" => "a flag stands alone: `force` or `not force`",
        "not" => "`not` stands before the attribute: `not path in …`",
        "(" | "{" if around.previous == "in" => "a list needs no brackets: `path in \"a\", \"b\"`",
        _ if wants(Rule::at_most) => "a limit is written `bytes <= 10 MiB`",
        _ if wants(Rule::name) && starts_literal => "a name is a bare word such as `read-sources`",
        _ if wants(Rule::kw_per) || wants(Rule::period) => {
            "a budget ends in `per session`, `per minute`, `per hour` or `per day`"
        }
        _ if wants(Rule::arrow) => "a test reads: `test NAME: ROLES OPERATION FACTS => allow by RULE`",
        _ if wants(Rule::kw_to) && around.written.contains('.') => {
            "`to` stands before the operations: `allow reader to file.read`"
        }
        "=" if wants(Rule::ordering) || wants(Rule::operator) => "compare with `==`",
        "," if around.previous.starts_with('"') => "several values are looked up with `in`: `path in \"a\", \"b\"`",
        _ if matches!(around.previous, "==" | "!=" | "matches") => "a value is a string in double quotes, or a number",
        _ if wants(Rule::comma) && is_member(around.written) => "the members of a list are separated by `,`",
        _ if wants(Rule::colon) && !is_past_name(around) => "a `:` follows the name",
        _ => form(around.opening),
    }
}

/// A word of other languages -> the keyword of this one.
pub(crate) fn translated(word: &str) -> Option<&'static str> {
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

/// Whether a word could be the next member of a list whose comma is missing.
fn is_member(written: &str) -> bool {
    written == "and" || written.starts_with(|c: char| c == '"' || c.is_ascii_alphanumeric())
}

/// Whether a word that stands where a `:` is wanted comes later in the statement than what follows the `:`. Then the word
/// before it is no name but a role, say, and it is the name that is missing.
fn is_past_name(around: &Surroundings<'_>) -> bool {
    let is_operation = around.written.contains('.');
    match around.opening {
        "rule" | "assert" => matches!(around.written, "to" | ","),
        "budget" | "test" => is_operation || matches!(around.written, "," | "<="),
        _ => false,
    }
}

/// How a statement reads, from the word that opens it.
fn form(opening: &str) -> &'static str {
    match opening {
        "policy" => "a header reads: `policy NAME language 1`",
        "use" => "an import reads: `use std.secrets` or `use \"./team.policy\"`",
        "without" => "it reads: `without std.protected-paths`",
        "role" => "a role reads: `role NAME` or `role NAME includes OTHER, OTHER`",
        "paths" | "hosts" | "commands" | "refs" | "models" | "names" => {
            "a set reads: `paths NAME = \"src/**\", OTHER-SET`"
        }
        "tool" => "a tool reads: `tool NAME { op NAME(PARAMETER: string) }`",
        "rule" => "a rule reads: `rule NAME: allow ROLE to file.read where CONDITION limit bytes <= 1 MiB`",
        "budget" => "a budget reads: `budget NAME: ROLE OPERATION tokens <= 1_000 per session`",
        "assert" => "an assertion reads: `assert NAME: never ROLE to OPERATIONS where CONDITION`",
        "test" => "a test reads: `test NAME: ROLES OPERATION FACTS => allow by RULE`",
        _ => {
            "a statement starts with `policy`, `use`, `role`, `paths` and its like, `tool`, `rule`, `budget`, `assert` or `test`"
        }
    }
}
