//! The rules of Codex: prefixes of commands, each to allow, to ask for or to forbid. There as here the strictest wins.

use pest::Parser as _;
use pest::error::InputLocation;
use pest::iterators::Pair;
use policy_syntax::{Effect, Span, did_you_mean, quote};

use crate::command::{Lines, facts_of, line_of, simple_line, word_of, words_of};
use crate::draft::{Draft, Piece, Rule as PolicyRule, Test};
use crate::findings::Findings;
use crate::tree::{Entry, NoTree, Node, Value, map_of};
use crate::{codes, not_that_format};

pub(crate) const HEAD: &str = "\
# Imported from rules of Codex. What no rule names is run in a sandbox there, and denied here.
";

#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/codex-rules.pest"]
struct Grammar;

pub(crate) fn read(text: &str, found: &mut Findings) -> Option<Draft> {
    let calls = calls(text).map_err(|error| not_that_format(&error, STARLARK, found)).ok()?;
    let mut draft = Draft::default();
    for call in calls {
        match call.name.as_str() {
            "prefix_rule" => {
                if let Some(rule) = PrefixRule::read(&call, found) {
                    rule.add(&mut draft, found);
                }
            }
            "host_executable" => {
                let help = "the policy allows no more without it: programs have their plain names here";
                found.add(codes::LEFT_OUT, call.name_at, "`host_executable` is not imported", help);
            }
            "network_rule" => {
                let help = "add `and not network` to rules whose commands need none; `http.request` has hosts";
                found.add(codes::NOT_HELD, call.name_at, "no host of a command is known here", help);
            }
            name => {
                let help = did_you_mean(name, "functions", ["prefix_rule", "host_executable", "network_rule"]);
                found.add(codes::UNKNOWN_KEY, call.name_at, format!("there is no function {}", quote(name)), help);
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

/// A prefix and what becomes of a command that starts with it.
#[derive(Debug)]
struct PrefixRule<'a> {
    at: Span,
    effect: Effect,
    /// For each place of the prefix the words that can stand there.
    pattern: Vec<Vec<&'a str>>,
    because: Option<Piece>,
    matching: Vec<Example>,
}

/// A command that the rule is said to be about.
#[derive(Debug)]
struct Example {
    at: Span,
    words: Vec<String>,
}

impl<'a> PrefixRule<'a> {
    fn read(call: &'a Call, found: &mut Findings) -> Option<Self> {
        let keys = ["pattern", "decision", "match", "not_match", "justification"];
        let at = call.name_at.to(call.arguments.at);
        let mut rule = Self { at, effect: Effect::Allow, pattern: Vec::new(), because: None, matching: Vec::new() };
        let mut not_matching = Vec::new();
        let mut is_pattern_there = false;
        for entry in found.map(&call.arguments, "`prefix_rule`", &keys) {
            let value = &entry.value;
            match entry.key.as_str() {
                "pattern" => {
                    is_pattern_there = true;
                    rule.pattern = pattern(value, found);
                }
                "decision" => rule.effect = decision(value, found)?,
                "match" => rule.matching = examples(value, found),
                "not_match" => not_matching = examples(value, found),
                "justification" => {
                    let text = found
                        .text(value, "`justification`")
                        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
                    let literal = text.and_then(|text| found.literal(value.at, &text));
                    rule.because = literal.map(|literal| Piece::new(value.at, literal));
                }
                _ => {}
            }
        }
        if !is_pattern_there {
            let help = "write `pattern = [\"git\", \"status\"]`";
            found.add(codes::WRONG_VALUE, at, "the rule has no pattern", help);
        }
        for (examples, is_wrong, what) in [
            (&rule.matching, false, "does not match its own rule"),
            (&not_matching, true, "matches the rule all the same"),
        ] {
            for example in examples.iter().filter(|example| rule.matches(&example.words) == is_wrong) {
                let help = "correct the example, or the pattern";
                found.add(codes::WRONG_VALUE, example.at, format!("the example {what}"), help);
            }
        }
        (!rule.pattern.is_empty() && rule.pattern.iter().all(|words| !words.is_empty())).then_some(rule)
    }

    fn matches(&self, words: &[String]) -> bool {
        words.len() >= self.pattern.len()
            && self.pattern.iter().zip(words).all(|(allowed, word)| allowed.contains(&word.as_str()))
    }

    fn add(self, draft: &mut Draft, found: &mut Findings) {
        let is_shell = self.pattern.first().is_some_and(|words| words.iter().any(|word| SHELLS.contains(word)));
        if is_shell && self.effect != Effect::Deny {
            let message = "a shell runs what is not judged here, while its plain scripts are judged there";
            found.add(codes::LEFT_OUT, self.at, message, "a line is split into its commands: no shell is needed");
            return;
        }
        let mut lines = Lines::default();
        let ways = self.pattern.iter().try_fold(1_usize, |ways, words| ways.checked_mul(words.len()));
        if ways.is_some_and(|ways| ways <= WRITTEN_OUT_MAX) {
            for words in combinations(&self.pattern) {
                match line_of(&words) {
                    Some(line) => lines.starting_with(self.at, &line, found),
                    None => self.no_command(found),
                }
            }
        } else {
            match self.regex() {
                Some(regex) => lines.regex(self.at, &regex, found),
                None => self.no_command(found),
            }
        }
        if lines.is_empty() {
            return;
        }
        let first: Vec<&str> = self.pattern.iter().filter_map(|words| words.first().copied()).collect();
        let name = draft.name(prefix(self.effect), &first.join(" "));
        let mut rule = PolicyRule::new(name.clone(), self.effect, self.at, vec![Piece::new(self.at, "shell.exec")]);
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
                draft.test(Test::of(&name, self.effect, at, facts));
            }
        }
    }

    /// All combinations at once, each word quoted as lines have it.
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

    fn no_command(&self, found: &mut Findings) {
        let message = "no command that is judged starts with these words";
        found.add(
            codes::LEFT_OUT,
            self.at,
            message,
            "a command starts with a plain word; nothing of the rule is needed",
        );
    }
}

fn pattern<'a>(node: &'a Node, found: &mut Findings) -> Vec<Vec<&'a str>> {
    let items = found.list(node, "`pattern`");
    if items.is_empty() && matches!(node.value, Value::List(_)) {
        found.add(codes::WRONG_VALUE, node.at, "the pattern has no words", "name the command at least");
    }
    let mut pattern = Vec::new();
    for item in items {
        pattern.push(match &item.value {
            Value::Text(text) => vec![text.as_str()],
            Value::List(ways) if ways.is_empty() => {
                found.add(codes::WRONG_VALUE, item.at, "there is no word to choose from", "name one at least");
                Vec::new()
            }
            _ => found.texts(item, "the words of a pattern").into_iter().map(|(_, text)| text).collect(),
        });
    }
    pattern
}

fn decision(node: &Node, found: &mut Findings) -> Option<Effect> {
    match found.text(node, "`decision`")? {
        "allow" => Some(Effect::Allow),
        "prompt" => Some(Effect::Ask),
        "forbidden" => Some(Effect::Deny),
        other => {
            let help = did_you_mean(other, "decisions", ["allow", "prompt", "forbidden"]);
            found.add(codes::WRONG_VALUE, node.at, format!("there is no decision {}", quote(other)), help);
            None
        }
    }
}

fn examples(node: &Node, found: &mut Findings) -> Vec<Example> {
    let mut examples = Vec::new();
    for item in found.list(node, "examples") {
        match &item.value {
            Value::Text(text) => match simple_line(text).and_then(|line| words_of(&line)) {
                Some(words) => examples.push(Example { at: item.at, words }),
                None => {
                    let message = "the example is no simple command, and is not tried";
                    found.add(codes::NO_RULE, item.at, message, "commands of a line are judged one by one");
                }
            },
            _ => {
                let words = found.texts(item, "the words of an example").into_iter().map(|(_, text)| text.to_owned());
                examples.push(Example { at: item.at, words: words.collect() });
            }
        }
    }
    examples
}

/// Every choice of one word for each place; there are few.
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

fn calls(text: &str) -> Result<Vec<Call>, NoTree> {
    let rules = Grammar::parse(Rule::rules, text).map_err(|error| {
        let (start, end) = match error.location {
            InputLocation::Pos(at) => (at, at),
            InputLocation::Span(span) => span,
        };
        NoTree::new(Span::new(start, end), "only calls with plain values are read")
    })?;
    let calls = rules.flat_map(Pair::into_inner).filter(|pair| pair.as_rule() == Rule::call);
    calls.map(call).collect()
}

fn call(pair: Pair<'_, Rule>) -> Result<Call, NoTree> {
    let at = place(&pair);
    let mut parts = pair.into_inner();
    let name = parts.next().map(|name| (name.as_str().to_owned(), place(&name)));
    let (name, name_at) = name.unwrap_or_default();
    let arguments = parts.map(argument).collect::<Result<_, _>>()?;
    Ok(Call { name, name_at, arguments: Node { at, value: map_of(arguments)? } })
}

fn argument(pair: Pair<'_, Rule>) -> Result<Entry, NoTree> {
    let at = place(&pair);
    let mut parts = pair.into_inner();
    let (key, key_at) = parts.next().map(|name| (name.as_str().to_owned(), place(&name))).unwrap_or_default();
    let value = parts.next().map_or(Ok(Node { at, value: Value::Nothing }), value)?;
    Ok(Entry { key, key_at, value })
}

fn value(pair: Pair<'_, Rule>) -> Result<Node, NoTree> {
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

fn text(pair: Pair<'_, Rule>) -> Result<String, NoTree> {
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
            // A line that goes on.
            Some('\n') => {}
            _ => {
                return Err(NoTree {
                    help: Some("write it without a backslash, or as a raw text: `r\"…\"`"),
                    ..NoTree::new(at, "the text has an escape that is not read")
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

/// Whose scripts Codex reads.
const SHELLS: [&str; 3] = ["bash", "sh", "zsh"];

/// More combinations of words than this become one regex.
const WRITTEN_OUT_MAX: usize = 8;
const STARLARK: &str = "calls with plain values, as in `prefix_rule(pattern = [\"git\", \"status\"])`";
