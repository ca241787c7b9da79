//! What no tool takes, by name.

use super::generate::Kind;
use super::*;
use crate::json::parse;

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
        args.insert("else".to_owned(), Value::Null);
        let expected = CallError::argument(tool, FieldError::new("else", Problem::Unknown));
        assert_eq!(tool_of(tool, args), Err(expected));
    }
}

#[test]
fn an_argument_that_has_to_be_there_is_missed_by_name() {
    let mut rng = fastrand::Rng::with_seed(32);
    for (tool, spec) in TOOLS {
        for (argument, _, _) in spec.iter().filter(|(_, _, is_required)| *is_required) {
            let mut args = args(&mut rng, spec);
            args.shift_remove(*argument).unwrap();
            let expected = CallError::argument(tool, FieldError::new(argument, Problem::Missing));
            assert_eq!(tool_of(tool, args), Err(expected));
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
                args.shift_remove(*argument);
                args.insert((*argument).to_owned(), parse(value.as_bytes()).unwrap());
                let result = tool_of(tool, args);
                assert_eq!(result.is_ok(), takes(*kind, value), "{tool}.{argument}: {value}");
                match result {
                    Ok(_) => {}
                    Err(CallError::Argument { error, .. }) => {
                        assert_eq!(error.path.split('.').next(), Some(*argument), "{tool}: {value}");
                        assert_ne!(error.problem, Problem::Missing, "{tool}: {value}");
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn arguments_of_a_declared_tool_are_text_flags_and_numbers_from_zero_on() {
    for value in ["null", "-1", "0.5", "1.0", "[]", "{}", "[\"a\"]"] {
        let wrong = wrong("jira.search", &format!("{{\"a\":{value}}}"));
        assert!(wrong.path == "a" && matches!(wrong.problem, Problem::Type { .. }), "{value}");
    }
    for name in ["", ".", ".a", "a.", "."] {
        assert_eq!(tool_of(name, Object::new()), Err(CallError::Name { tool: name.to_owned() }), "{name}");
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
        let expected = "`file_write`: `mode_octal` must be three or four octal digits, not all of them zero";
        assert_eq!(write(mode).unwrap_err().to_string(), expected);
    }
    for (mode, bits) in [("644", 0o644), ("0644", 0o644), ("7777", 0o7777), ("001", 1)] {
        assert!(matches!(write(mode), Ok(Tool::FileWriteExtended(write)) if write.mode == bits), "{mode}");
    }
}

#[test]
fn headers_cannot_start_another_line_or_be_there_in_two_spellings() {
    let headers = |headers: &str| wrong("curl", &format!(r#"{{"method":"GET","url":"u","headers":{headers}}}"#));
    for name in ["", "a:b", "a b", "a\\r\\nb", "a\\u0000", "a\\n", "\u{e9}", ":path"] {
        let wrong = headers(&format!(r#"{{"{name}":"v"}}"#)).to_string();
        assert!(wrong.starts_with("`headers` has the invalid header name `"), "{wrong}");
    }
    for text in ["a\\rb", "a\\nb", "a\\u0000", "\\r\\nHost: b"] {
        let wrong = headers(&format!(r#"{{"A":"{text}"}}"#)).to_string();
        assert_eq!(wrong, "`headers` must not have a line break or NUL in the value of `A`");
    }
    assert_eq!(headers(r#"{"Host":"a","host":"b"}"#).to_string(), "`headers` must not have `host` twice");
}

#[test]
fn keys_of_the_environment_end_at_their_first_equals_sign() {
    for (tool, argument, rest) in
        [("shell_exec", "env", r#""cmd":"a""#), ("shell_inline", "env", r#""interpreter":"a","script":"b""#)]
    {
        let args = format!(r#"{{{rest},"{argument}":{{"A=B":"c"}}}}"#);
        assert_eq!(wrong(tool, &args).to_string(), "`env` must not have a `=` in the key `A=B`");
    }
}

#[test]
fn entries_that_are_no_pairs_and_pairs_that_are_there_twice_are_not_shown() {
    let shell = |env: &[&str]| {
        let env = env.iter().map(|entry| (*entry).to_owned()).collect();
        Tool::ShellExec(tool_proto::ShellExec { env, ..Default::default() })
    };
    assert_eq!(unwritable(shell(&["A"])), "must have `=` in the entry `A`");
    assert_eq!(unwritable(shell(&["A=1", "A=1"])), "must not have `A` twice");
    assert_eq!(call_of(shell(&["A=1=2"])).unwrap().1, object(r#"{"cmd":"","env":{"A":"1=2"}}"#));
}

#[test]
fn hashes_are_64_digits_in_lower_case() {
    let system = wrong("inference_call", r#"{"provider":"p","model":"m","prompt_hash":"","system_prompt_hash":null}"#);
    assert_eq!(system.to_string(), "`prompt_hash` must be 64 hexadecimal digits in lower case");
    let hash = "a".repeat(64);
    let null = format!(r#"{{"provider":"p","model":"m","prompt_hash":"{hash}","system_prompt_hash":null}}"#);
    assert_eq!(wrong("inference_call", &null).to_string(), "`system_prompt_hash` must be a string, not null");
    for hash in [String::new(), "a".repeat(63), "a".repeat(65), "A".repeat(64), "g".repeat(64)] {
        let args = format!(r#"{{"provider":"p","model":"m","prompt_hash":"{hash}"}}"#);
        let wrong = wrong("inference_call", &args).to_string();
        assert_eq!(wrong, "`prompt_hash` must be 64 hexadecimal digits in lower case");
    }
}

#[test]
fn messages_name_the_tool_and_the_argument_on_one_line() {
    for (tool, args, expected) in [
        ("file_read", "{}", "`file_read`: missing argument `path`"),
        ("file_read", r#"{"path":"a","x\ny":1}"#, "`file_read`: unknown argument `x\\ny`"),
        ("file_read", r#"{"path":7}"#, "`file_read`: `path` must be a string, not `7`"),
        ("ast_query", r#"{"where":{"kind":"fn"}}"#, "`ast_query`: unknown argument `where.kind`"),
        (
            "git_push",
            r#"{"remote":"--exec=x`\n","refspec":"a"}"#,
            "`git_push`: `remote` must not be `--exec=x\\u{60}\\n`, which git would read as an option",
        ),
        (
            "a.\u{202e}.",
            r#"{"a":null}"#,
            "`a.\\u{202e}.`: `a` must be a string, a boolean or a whole number from 0 on, not null",
        ),
    ] {
        assert_eq!(tool_of(tool, object(args)).unwrap_err().to_string(), expected);
    }
}
