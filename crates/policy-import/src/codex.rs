//! The rules of Codex: prefixes of commands, each allowed, asked for or forbidden. In both tools the strictest rule wins.

use pest::Parser as _;
use pest::error::InputLocation;
use pest::iterators::Pair;
use policy_syntax::{Effect, Span, did_you_mean, quote};

use crate::command::{Lines, facts_of, line_of, simple_line, word_of, words_of};
use crate::draft::{Draft, DraftRule, DraftTest, Piece};
use crate::findings::Findings;
use crate::tree::{Entry, Node, ParseError, Value, map_of};
use crate::{codes, report_parse_error};

pub(crate) const HEAD: &str = "\
# Imported from rules of Codex. A command that no rule names runs in a sandbox there and is denied here.
";

#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/codex-rules.pest"]
struct Grammar;

pub(crate) fn read(text: &str, findings: &mut Findings) -> Option<Draft> {
    let calls = calls(text).map_err(|error| report_parse_error(&error, STARLARK, findings)).ok()?;
    let mut draft = Draft::default();
    for call in calls {
        match call.name.as_str() {
            "prefix_rule" => {
                if let Some(rule) = PrefixRule::read(&call, findings) {
                    rule.add(&mut draft, findings);
                }
            }
            "host_executable" => {
                let help = "the policy is stricter without it: programs are named without their directories here";
                findings.add(codes::LEFT_OUT, call.name_at, "`host_executable` is not imported", help);
            }
            "network_rule" => {
                let help = "add `and not network` to rules whose commands need none; `http.request` has hosts";
                findings.add(codes::NOT_ENFORCED, call.name_at, "hosts are not judged for commands", help);
            }
            name => {
                let help = did_you_mean(name, "functions", ["prefix_rule", "host_executable", "network_rule"]);
                findings.add(codes::UNKNOWN_KEY, call.name_at, format!("unknown function {}", quote(name)), help);
            }
        }
    }
    Some(draft)
}

/// `NAME(KEY = VALUE, …)`.
#[derive(Debug)]
struct Call {
    name: String,
    name_at: Span,
    arguments: Node,
}

/// A prefix and the effect on commands that start with it.
#[derive(Debug)]
struct PrefixRule<'a> {
    at: Span,
    effect: Effect,
    /// The alternatives for each word of the prefix.
    pattern: Vec<Vec<&'a str>>,
    because: Option<Piece>,
    matching: Vec<Example>,
}

/// A command that the rule must match.
#[derive(Debug)]
struct Example {
    at: Span,
    words: Vec<String>,
}

impl<'a> PrefixRule<'a> {
    fn read(call: &'a Call, findings: &mut Findings) -> Option<Self> {
        let keys = ["pattern", "decision", "match", "not_match", "justification"];
        let at = call.name_at.to(call.arguments.at);
        let mut rule = Self { at, effect: Effect::Allow, pattern: Vec::new(), because: None, matching: Vec::new() };
        let mut not_matching = Vec::new();
        let mut is_pattern_there = false;
        for entry in findings.map(&call.arguments, "`prefix_rule`", &keys) {
            let value = &entry.value;
            match entry.key.as_str() {
                "pattern" => {
                    is_pattern_there = true;
                    rule.pattern = pattern(value, findings);
                }
                "decision" => rule.effect = decision(value, findings)?,
                "match" => rule.matching = examples(value, findings),
                "not_match" => not_matching = examples(value, findings),
                "justification" => {
                    let text = findings
                        .text(value, "`justification`")
                        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
                    let literal = text.and_then(|text| findings.literal(value.at, &text));
                    rule.because = literal.map(|literal| Piece::new(value.at, literal));
                }
                _ => {}
            }
        }
        if !is_pattern_there {
            let help = "write `pattern = [\"git\", \"status\"]`";
            findings.add(codes::WRONG_VALUE, at, "the rule has no pattern", help);
        }
        for (examples, is_wrong, what) in
            [(&rule.matching, false, "does not match its own rule"), (&not_matching, true, "matches its own rule")]
        {
            for example in examples.iter().filter(|example| rule.matches(&example.words) == is_wrong) {
                let help = "correct the example, or the pattern";
                findings.add(codes::WRONG_VALUE, example.at, format!("the example {what}"), help);
            }
        }
        (!rule.pattern.is_empty() && rule.pattern.iter().all(|words| !words.is_empty())).then_some(rule)
    }

    fn matches(&self, words: &[String]) -> bool {
        words.len() >= self.pattern.len()
            && self.pattern.iter().zip(words).all(|(allowed, word)| allowed.contains(&word.as_str()))
    }

    fn add(self, draft: &mut Draft, findings: &mut Findings) {
        let is_shell = self.pattern.first().is_some_and(|words| words.iter().any(|word| SHELLS.contains(word)));
        if is_shell && self.effect != Effect::Deny {
            let message = "Codex judges the scripts of a shell; here they are not judged";
            findings.add(
                codes::LEFT_OUT,
                self.at,
                message,
                "commands of a line are judged one by one, so no shell is needed",
            );
            return;
        }
        let mut lines = Lines::default();
        let ways = self.pattern.iter().try_fold(1_usize, |ways, words| ways.checked_mul(words.len()));
        if ways.is_some_and(|ways| ways <= WRITTEN_OUT_MAX) {
            for words in combinations(&self.pattern) {
                match line_of(&words) {
                    Some(line) => lines.starting_with(self.at, &line, findings),
                    None => self.no_command(findings),
                }
            }
        } else {
            match self.regex() {
                Some(regex) => lines.regex(self.at, &regex, findings),
                None => self.no_command(findings),
            }
        }
        if lines.is_empty() {
            return;
        }
        let first: Vec<&str> = self.pattern.iter().filter_map(|words| words.first().copied()).collect();
        let name = draft.name(prefix(self.effect), &first.join(" "));
        let mut rule = DraftRule::new(name.clone(), self.effect, self.at, vec![Piece::new(self.at, "shell.exec")]);
        rule.condition = lines.condition();
        rule.because = self.because;
        draft.rule(rule);
        let mut examples: Vec<(Span, Option<String>)> =
            self.matching.iter().map(|example| (example.at, line_of(&example.words))).collect();
        if examples.is_empty() {
            examples.push((self.at, line_of(&first)));
        }
        for (at, line) in examples {
            if let Some(facts) = line.and_then(|line| facts_of(&line)) {
                draft.test(DraftTest::of(&name, self.effect, at, facts));
            }
        }
    }

    /// Returns one regex for all combinations, each word quoted as in a judged line.
    fn regex(&self) -> Option<String> {
        let mut regex = String::from("^");
        for (words, is_first) in self.pattern.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
            let quoted = |word: &&str| Some(regex_syntax::escape(&word_of(word, is_first)?));
            let words: Vec<String> = words.iter().map(quoted).collect::<Option<_>>()?;
            regex.push_str(if is_first { "(" } else { " (" });
            regex.push_str(&words.join("|"));
            regex.push(')');
        }
        regex.push_str("( (?s:.*))?$");
        Some(regex)
    }

    fn no_command(&self, findings: &mut Findings) {
        let message = "no judged command starts with these words";
        findings.add(
            codes::LEFT_OUT,
            self.at,
            message,
            "a command starts with a plain word, so the rule is not needed",
        );
    }
}

fn pattern<'a>(node: &'a Node, findings: &mut Findings) -> Vec<Vec<&'a str>> {
    let items = findings.list(node, "`pattern`");
    if items.is_empty() && matches!(node.value, Value::List(_)) {
        findings.add(codes::WRONG_VALUE, node.at, "the pattern is empty", "name at least the command");
    }
    let mut pattern = Vec::new();
    for item in items {
        pattern.push(match &item.value {
            Value::Text(text) => vec![text.as_str()],
            Value::List(ways) if ways.is_empty() => {
                findings.add(
                    codes::WRONG_VALUE,
                    item.at,
                    "the list of alternatives is empty",
                    "name at least one word",
                );
                Vec::new()
            }
            _ => findings.texts(item, "the words of a pattern").into_iter().map(|(_, text)| text).collect(),
        });
    }
    pattern
}

fn decision(node: &Node, findings: &mut Findings) -> Option<Effect> {
    match findings.text(node, "`decision`")? {
        "allow" => Some(Effect::Allow),
        "prompt" => Some(Effect::Ask),
        "forbidden" => Some(Effect::Deny),
        other => {
            let help = did_you_mean(other, "decisions", ["allow", "prompt", "forbidden"]);
            findings.add(codes::WRONG_VALUE, node.at, format!("unknown decision {}", quote(other)), help);
            None
        }
    }
}

fn examples(node: &Node, findings: &mut Findings) -> Vec<Example> {
    let mut examples = Vec::new();
    for item in findings.list(node, "examples") {
        match &item.value {
            Value::Text(text) => match simple_line(text).and_then(|line| words_of(&line)) {
                Some(words) => examples.push(Example { at: item.at, words }),
                None => {
                    let message = "the example is not a simple command, so it is not tested";
                    findings.add(codes::NOT_A_RULE, item.at, message, "commands of a line are judged one by one");
                }
            },
            _ => {
                let words =
                    findings.texts(item, "the words of an example").into_iter().map(|(_, text)| text.to_owned());
                examples.push(Example { at: item.at, words: words.collect() });
            }
        }
    }
    examples
}

/// Returns every choice of one word for each place; there are few.
fn combinations<'a>(pattern: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
    pattern.iter().fold(vec![Vec::new()], |begun, words| {
        let with = |start: &Vec<&'a str>| {
            let start = start.clone();
            words.iter().map(move |word| start.iter().copied().chain([*word]).collect::<Vec<_>>())
        };
        begun.iter().flat_map(with).collect()
    })
}

fn prefix(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "run",
        Effect::Ask => "ask",
        Effect::Deny => "forbid",
    }
}

fn calls(text: &str) -> Result<Vec<Call>, ParseError> {
    let rules = Grammar::parse(Rule::rules, text).map_err(|error| {
        let (start, end) = match error.location {
            InputLocation::Pos(at) => (at, at),
            InputLocation::Span(span) => span,
        };
        ParseError::new(Span::new(start, end), "only calls with plain values are supported")
    })?;
    let calls = rules.flat_map(Pair::into_inner).filter(|pair| pair.as_rule() == Rule::call);
    calls.map(call).collect()
}

fn call(pair: Pair<'_, Rule>) -> Result<Call, ParseError> {
    let at = place(&pair);
    let mut parts = pair.into_inner();
    let name = parts.next().map(|name| (name.as_str().to_owned(), place(&name)));
    let (name, name_at) = name.unwrap_or_default();
    let arguments = parts.map(argument).collect::<Result<_, _>>()?;
    Ok(Call { name, name_at, arguments: Node { at, value: map_of(arguments)? } })
}

fn argument(pair: Pair<'_, Rule>) -> Result<Entry, ParseError> {
    let at = place(&pair);
    let mut parts = pair.into_inner();
    let (key, key_at) = parts.next().map(|name| (name.as_str().to_owned(), place(&name))).unwrap_or_default();
    let value = parts.next().map_or(Ok(Node { at, value: Value::Nothing }), value)?;
    Ok(Entry { key, key_at, value })
}

fn value(pair: Pair<'_, Rule>) -> Result<Node, ParseError> {
    let at = place(&pair);
    let value = match pair.as_rule() {
        Rule::text => Value::Text(text(pair)?),
        Rule::outer | Rule::inner => Value::List(pair.into_inner().map(value).collect::<Result<_, _>>()?),
        _ => match pair.as_str() {
            "True" => Value::Flag(true),
            "False" => Value::Flag(false),
            "None" => Value::Nothing,
            number => number.parse().map_or(Value::Other, Value::Whole),
        },
    };
    Ok(Node { at, value })
}

fn text(pair: Pair<'_, Rule>) -> Result<String, ParseError> {
    let at = place(&pair);
    let mut is_raw = false;
    let mut written = "";
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::raw => is_raw = true,
            _ => written = part.into_inner().next().map_or("", |inner| inner.as_str()),
        }
    }
    if is_raw {
        return Ok(written.to_owned());
    }
    let mut text = String::new();
    let mut characters = written.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match characters.next() {
            Some(same @ ('\\' | '"' | '\'')) => text.push(same),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            // A continued line.
            Some('\n') => {}
            _ => {
                return Err(ParseError {
                    help: Some("write it without a backslash, or as a raw string: `r\"…\"`"),
                    ..ParseError::new(at, "unsupported escape in a string")
                });
            }
        }
    }
    Ok(text)
}

fn place(pair: &Pair<'_, Rule>) -> Span {
    let span = pair.as_span();
    Span::new(span.start(), span.end())
}

/// Shells whose scripts Codex judges.
const SHELLS: [&str; 3] = ["bash", "sh", "zsh"];

/// Above this number the combinations become one regex.
const WRITTEN_OUT_MAX: usize = 8;
const STARLARK: &str = "calls with plain values, as in `prefix_rule(pattern = [\"git\", \"status\"])`";
