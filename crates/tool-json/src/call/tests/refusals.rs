//! What no tool takes, by name.

use super::generate::Kind;
use super::*;

/// One value of each kind of JSON.
const VALUES: [&str; 9] = ["null", "true", "7", "-7", "0.5", "\"text\"", "[]", "[7]", "{\"a\":7}"];

fn takes(kind: Kind, value: &str) -> bool {
    match kind {
        Kind::Text | Kind::Name => value == "\"text\"",
        Kind::Number | Kind::SmallNumber => value == "7",
        Kind::Flag => value == "true",
        Kind::Texts => value == "[]",
        Kind::Pairs | Kind::Headers | Kind::Where | Kind::Mode | Kind::Hash => false,
        Kind::Attribution => value == "{\"a\":7}",
        Kind::Stdin | Kind::Body => matches!(value, "null" | "\"text\""),
        Kind::List => matches!(value, "[]" | "[7]"),
        Kind::Json => true,
    }
}

#[test]
fn an_argument_that_a_tool_does_not_have_is_refused_by_name() {
    let mut rng = fastrand::Rng::with_seed(31);
    for (tool, spec) in TOOLS {
        let mut args = args(&mut rng, spec);
        args.insert("else", Json::Null).unwrap();
        let error = tool_of(tool, args).unwrap_err();
        let expected = CallWrong::Unknown { argument: "else".into() };
        assert_eq!(error, CallError { tool: (*tool).to_owned(), wrong: expected });
    }
}

#[test]
fn an_argument_that_has_to_be_there_is_missed_by_name() {
    let mut rng = fastrand::Rng::with_seed(32);
    for (tool, spec) in TOOLS {
        for (argument, _, _) in spec.iter().filter(|(_, _, is_required)| *is_required) {
            let mut args = args(&mut rng, spec);
            args.take(argument).unwrap();
            let expected = CallWrong::Missing { argument: (*argument).to_owned() };
            assert_eq!(tool_of(tool, args).unwrap_err().wrong, expected, "{tool}");
        }
    }
}

#[test]
fn an_argument_of_another_kind_is_refused_by_name() {
    let mut rng = fastrand::Rng::with_seed(33);
    for (tool, spec) in TOOLS {
        for (argument, kind, _) in *spec {
            for value in VALUES {
                let mut args = args(&mut rng, spec);
                args.take(argument);
                args.insert(*argument, Json::new(value.as_bytes()).unwrap()).unwrap();
                let result = tool_of(tool, args);
                assert_eq!(result.is_ok(), takes(*kind, value), "{tool}.{argument}: {value}");
                let named = match result.map_err(|error| error.wrong) {
                    Ok(_) => continue,
                    Err(
                        CallWrong::Type { argument, .. }
                        | CallWrong::Unknown { argument }
                        | CallWrong::Value { argument, .. },
                    ) => argument,
                    Err(other) => panic!("{other:?}"),
                };
                assert_eq!(named.split('.').next(), Some(*argument), "{tool}: {value}");
            }
        }
    }
}

#[test]
fn arguments_of_a_declared_tool_are_text_flags_and_numbers_from_zero_on() {
    for value in ["null", "-1", "0.5", "1.0", "[]", "{}", "[\"a\"]"] {
        let wrong = wrong("jira.search", &format!("{{\"a\":{value}}}"));
        assert!(matches!(wrong, CallWrong::Type { argument, .. } if argument == "a"), "{value}");
    }
    for name in ["", ".", ".a", "a.", "."] {
        assert_eq!(wrong(name, "{}"), CallWrong::Name, "{name}");
    }
}

#[test]
fn modes_are_three_or_four_octal_digits_and_say_something() {
    let write =
        |mode: &str| tool_of("file_write", object(&format!(r#"{{"path":"a","content":"","mode_octal":"{mode}"}}"#)));
    for mode in [
        "",
        "0",
        "64",
        "00644",
        "0o644",
        "888",
        "+644",
        "-644",
        " 644",
        "644 ",
        "000",
        "0000",
        "rw-r--r--",
        "\u{0666}44",
    ] {
        let expected = value("mode_octal", BadValue::OctalMode { found: mode.into() });
        assert_eq!(write(mode).unwrap_err().wrong, expected);
    }
    for (mode, bits) in [("644", 0o644), ("0644", 0o644), ("7777", 0o7777), ("001", 1)] {
        assert!(matches!(write(mode), Ok(Tool::FileWriteExtended(write)) if write.mode == bits), "{mode}");
    }
}

#[test]
fn headers_cannot_start_another_line_or_be_there_in_two_spellings() {
    let headers = |headers: &str| wrong("curl", &format!(r#"{{"method":"GET","url":"u","headers":{headers}}}"#));
    for name in ["", "a:b", "a b", "a\\r\\nb", "a\\u0000", "a\\n", "\u{e9}", ":path"] {
        let wrong = headers(&format!(r#"{{"{name}":"v"}}"#));
        assert!(matches!(wrong, CallWrong::Value { why: BadValue::HeaderName { .. }, .. }), "{name}");
    }
    for text in ["a\\rb", "a\\nb", "a\\u0000", "\\r\\nHost: b"] {
        assert_eq!(
            headers(&format!(r#"{{"A":"{text}"}}"#)),
            value("headers", BadValue::HeaderValue { name: "A".into() })
        );
    }
    assert_eq!(headers(r#"{"Host":"a","host":"b"}"#), value("headers", BadValue::Twice { name: "host".into() }));
}

#[test]
fn keys_of_the_environment_end_at_their_first_equals_sign() {
    for (tool, argument, rest) in
        [("shell_exec", "env", r#""cmd":"a""#), ("shell_inline", "env", r#""interpreter":"a","script":"b""#)]
    {
        let args = format!(r#"{{{rest},"{argument}":{{"A=B":"c"}}}}"#);
        assert_eq!(wrong(tool, &args), value(argument, BadValue::EqualsInKey { key: "A=B".into() }));
    }
}

#[test]
fn entries_that_are_no_pairs_and_pairs_that_are_there_twice_are_not_shown() {
    let shell = |env: &[&str]| {
        let env = env.iter().map(|entry| (*entry).to_owned()).collect();
        call_of(Tool::ShellExec(tool_proto::ShellExec { env, ..Default::default() })).map_err(|error| error.wrong)
    };
    assert_eq!(shell(&["A"]), Err(value("env", BadValue::NoPair { entry: "A".into() })));
    assert_eq!(shell(&["A=1", "A=1"]), Err(value("env", BadValue::Twice { name: "A".into() })));
    assert_eq!(shell(&["A=1=2"]).unwrap().1.to_string(), r#"{"cmd":"","env":{"A":"1=2"}}"#);
}

#[test]
fn hashes_are_64_digits_in_lower_case() {
    let system = wrong("inference_call", r#"{"provider":"p","model":"m","prompt_hash":"","system_prompt_hash":null}"#);
    assert!(matches!(system, CallWrong::Type { argument, .. } if argument == "system_prompt_hash"));
    for hash in [String::new(), "a".repeat(63), "a".repeat(65), "A".repeat(64), "g".repeat(64)] {
        let args = format!(r#"{{"provider":"p","model":"m","prompt_hash":"{hash}"}}"#);
        assert_eq!(wrong("inference_call", &args), value("prompt_hash", BadValue::Hash));
    }
}

#[test]
fn messages_name_the_tool_and_the_argument_on_one_line() {
    for (tool, args, expected) in [
        ("file_read", "{}", "`file_read` lacks its argument `path`"),
        ("file_read", r#"{"path":"a","x\ny":1}"#, "`file_read` has no argument `x\\ny`"),
        ("file_read", r#"{"path":7}"#, "the argument `path` of `file_read` is a number instead of text"),
        ("ast_query", r#"{"where":{"kind":"fn"}}"#, "`ast_query` has no argument `where.kind`"),
        (
            "git_push",
            r#"{"remote":"--exec=x`\n","refspec":"a"}"#,
            "the argument `remote` of `git_push` is `--exec=x\\u{60}\\n`, which git would read as an option",
        ),
        (
            "a.\u{202e}.",
            r#"{"a":null}"#,
            "the argument `a` of `a.\\u{202e}.` is null instead of text, a flag or a whole number from 0 on",
        ),
    ] {
        assert_eq!(tool_of(tool, object(args)).unwrap_err().to_string(), expected);
    }
}
