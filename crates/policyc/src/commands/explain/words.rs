//! Arguments of a command line -> a request in the words of a test: what a shell has unquoted gets its quotes back.

use policy_model::catalogue::AttributeKind;
use policy_model::{Model, Operation};

/// Writes the part of a test before its arrow. A single argument with blanks is taken as it is; of several, each is a word.
pub(super) fn as_test(words: &[String], model: &Model) -> String {
    if let [whole] = words
        && whole.contains(char::is_whitespace)
    {
        return whole.clone();
    }
    let (roles, rest) = words.split_at_checked(roles(words)).unwrap_or((words, &[]));
    let mut text = roles.join(" ");
    let Some((operation, facts)) = rest.split_first() else {
        return text;
    };
    text.push_str(&format!(" {operation}"));
    let known = model.operation(operation).and_then(|id| model.operations.get(id.0));
    let mut facts = facts.iter().map(String::as_str).peekable();
    while let Some(name) = facts.next() {
        text.push_str(&format!(" {name}"));
        let kind = known.and_then(|operation| operation.attribute(name)).map(|attribute| attribute.kind);
        let next = facts.peek().copied();
        match kind {
            Some(AttributeKind::Flag) => {}
            Some(kind) if kind.is_number() => {
                if let Some(number) = facts.next() {
                    text.push_str(&format!(" {number}{}", unit(kind, number, facts.peek().copied(), known)));
                }
            }
            Some(_) => text.extend(facts.next().map(|value| format!(" {}", quoted(value)))),
            // Not an attribute: most likely one with a value, as the finding about it should show.
            None if next.is_some_and(|next| !is_word_of(known, next) && !starts_number(next)) => {
                text.extend(facts.next().map(|value| format!(" {}", quoted(value))));
            }
            None => {}
        }
    }
    text
}

/// Counts the words that name the roles: the first, and those that a comma joins to it.
fn roles(words: &[String]) -> usize {
    let joined = words.iter().zip(words.iter().skip(1));
    let more = joined.take_while(|(one, next)| one.ends_with(',') || next.starts_with(',')).count();
    more.saturating_add(1).min(words.len())
}

/// The unit of a bare number: sizes are in bytes and times in milliseconds, as in JSON.
fn unit(kind: AttributeKind, number: &str, next: Option<&str>, known: Option<&Operation>) -> &'static str {
    let is_bare = number.chars().all(|c| c.is_ascii_digit() || c == '_')
        && next.is_none_or(|next| is_word_of(known, next) && !UNITS.contains(&next));
    match kind {
        AttributeKind::Size if is_bare => " B",
        AttributeKind::Duration if is_bare => " ms",
        _ => "",
    }
}

fn is_word_of(known: Option<&Operation>, word: &str) -> bool {
    known.is_some_and(|operation| operation.attribute(word).is_some())
}

fn starts_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Words that can also be parameters of a tool; the language decides between the two.
const UNITS: &[&str] = &["B", "KiB", "MiB", "GiB", "ms", "s", "min", "h"];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use policy_model::{CheckOptions, Memory, check_in};

    use super::*;

    #[test]
    fn values_get_quotes_and_units() {
        for (words, expected) in [
            (
                &["coder", "file.read", "path", "src/main.rs", "bytes", "4096"][..],
                r#"coder file.read path "src/main.rs" bytes 4096 B"#,
            ),
            (&["coder", "file.read", "bytes", "4", "KiB", "path", "a"], r#"coder file.read bytes 4 KiB path "a""#),
            (&["coder", "file.read", "bytes", "10MiB", "append"], "coder file.read bytes 10MiB append"),
            (&["coder", "file.read", "bytes", "4096", "append"], "coder file.read bytes 4096 B append"),
            (&["coder", "file.read", "bytes", "10", "MB"], "coder file.read bytes 10 MB"),
            (
                &["coder", "shell.exec", "timeout", "1500", "line", "a \"b\" \\c"],
                r#"coder shell.exec timeout 1500 ms line "a \"b\" \\c""#,
            ),
            (
                &["coder", "inference.call", "temperature", "0.75", "tokens", "5"],
                "coder inference.call temperature 0.75 tokens 5",
            ),
            (&["coder", "wait", "for", "10", "min", "1"], "coder wait for 10 min 1"),
            (&["coder", "wait", "min", "1", "for", "10"], "coder wait min 1 for 10 ms"),
            (&["coder", "file.read", "path", "append"], r#"coder file.read path "append""#),
            (&["coder", "file.read", "append", "path"], "coder file.read append path"),
        ] {
            assert_eq!(as_test(&owned(words), &model()), expected);
        }
    }

    #[test]
    fn commas_join_roles() {
        for words in
            [&["coder,reader", "git.push"][..], &["coder,", "reader", "git.push"], &["coder", ",reader", "git.push"]]
        {
            assert_eq!(as_test(&owned(words), &model()).replace([' ', ','], ""), "coderreadergit.push");
        }
        assert_eq!(as_test(&owned(&["anyone", "git.push", "force"]), &model()), "anyone git.push force");
    }

    #[test]
    fn one_argument_with_blanks_is_taken_as_it_is() {
        let words = "coder file.read  path \"a b\"";
        assert_eq!(as_test(&owned(&[words]), &model()), words);
        assert_eq!(as_test(&owned(&["coder"]), &model()), "coder");
        assert_eq!(as_test(&[], &model()), "");
    }

    #[test]
    fn what_is_no_attribute_keeps_its_value() {
        assert_eq!(
            as_test(&owned(&["coder", "file.read", "pth", "src/a"]), &model()),
            r#"coder file.read pth "src/a""#
        );
        assert_eq!(
            as_test(&owned(&["coder", "file.raed", "path", "src/a"]), &model()),
            r#"coder file.raed path "src/a""#
        );
        assert_eq!(
            as_test(&owned(&["coder", "file.read", "byts", "10", "append"]), &model()),
            "coder file.read byts 10 append"
        );
    }

    fn model() -> Model {
        let text = "policy p language 1\nrole reader\nrole coder\ntool wait(for: time, min: int)\n";
        check_in(&Memory::default().with("p", text), Path::new("p"), CheckOptions::default()).model.unwrap()
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }
}
