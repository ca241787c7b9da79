//! Results and requests of `tool_invoke`.

use tool_proto::tool_request::Tool;

use super::*;
use crate::call::CallWrong;

const HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn result() -> ToolInvokeResult {
    ToolInvokeResult {
        timestamp_utc: Timestamp::new(1_730_822_400, 5).unwrap(),
        tool: "filesystem".into(),
        action: "write_file".into(),
        policy: Policy { allowed: true, rule: None, code: None },
        output: Output::of_text(""),
        effects: Effects {
            files: vec![FileEffect { path: "a.txt".into(), size_bytes: 0, sha256: Sha256::read(HASH).unwrap() }],
        },
        error: None,
    }
}

fn wrong(text: &str) -> Wrong {
    ToolInvokeResult::new(text.as_bytes()).unwrap_err().wrong
}

fn written() -> String {
    result().to_string()
}

#[test]
fn invoke_result_has_every_required_field_under_its_name() {
    let expected = format!(
        "{{\"timestamp_utc\":\"2024-11-05T16:00:00.005Z\",\"ok\":true,\"tool\":\"filesystem\",\"action\":\"write_file\",\
         \"policy\":{{\"allowed\":true}},\"output\":{{\"stdout\":\"\",\"truncated\":false}},\
         \"effects\":{{\"files\":[{{\"path\":\"a.txt\",\"size_bytes\":0,\"sha256\":\"{HASH}\"}}]}}}}"
    );
    assert_eq!(written(), expected);
    assert_eq!(ToolInvokeResult::new(expected.as_bytes()).unwrap(), result());
    for (field, missing) in [
        ("\"timestamp_utc\":\"2024-11-05T16:00:00.005Z\",", "timestamp_utc"),
        ("\"ok\":true,", "ok"),
        ("\"tool\":\"filesystem\",", "tool"),
        ("\"action\":\"write_file\",", "action"),
        ("\"policy\":{\"allowed\":true},", "policy"),
        ("\"allowed\":true", "policy.allowed"),
        (",\"truncated\":false", "output.truncated"),
        ("\"output\":{\"stdout\":\"\",\"truncated\":false},", "output"),
        ("\"size_bytes\":0,", "effects.files.size_bytes"),
    ] {
        let without = expected.replace(field, "");
        assert_ne!(without, expected);
        assert_eq!(wrong(&without), Wrong::Missing { field: missing.into() });
    }
}

#[test]
fn invoke_result_takes_no_other_field_and_none_twice() {
    let text = written();
    for (field, more) in [("\"ok\"", "more"), ("\"allowed\"", "policy.more"), ("\"truncated\"", "output.more")] {
        let with_more = text.replace(field, &format!("\"more\":1,{field}"));
        assert_eq!(wrong(&with_more), Wrong::Unknown { field: more.into() });
    }
    let bytes = text.replace("size_bytes", "bytes");
    assert_eq!(wrong(&bytes), Wrong::Unknown { field: "effects.files.bytes".into() });
    let twice = text.replace("\"allowed\":true", "\"allowed\":false,\"allowed\":true");
    assert!(matches!(wrong(&twice), Wrong::Text(crate::Mistake::Repeated { .. })));
    let null = text.replace("\"allowed\":true", "\"allowed\":true,\"rule\":null");
    assert!(matches!(wrong(&null), Wrong::Type { field, .. } if field == "policy.rule"));
}

#[test]
fn invoke_result_shows_hashes_in_full_only() {
    for hash in [&HASH.replace('e', "E"), "e3b0c442", "", &format!("{HASH}0"), &HASH.replace('b', "g")] {
        let text = written().replace(HASH, hash);
        assert!(matches!(wrong(&text), Wrong::Value { field, .. } if field == "effects.files.sha256"), "{hash}");
    }
}

#[test]
fn invoke_result_is_ok_exactly_when_it_was_allowed_and_nothing_went_wrong() {
    let text = written();
    let failure = r#","error":{"type":"NotFound","message":"no"}}"#;
    let failed = format!("{}{failure}", text.strip_suffix('}').unwrap());
    let refused = |text: &str| matches!(wrong(text), Wrong::Value { .. });
    assert!(refused(&text.replace("\"ok\":true", "\"ok\":false")));
    assert!(refused(&text.replace("\"allowed\":true", "\"allowed\":false")));
    let denied = text.replace("\"ok\":true", "\"ok\":false").replace("\"allowed\":true", "\"allowed\":false");
    assert!(!ToolInvokeResult::new(denied.as_bytes()).unwrap().ok());
    assert!(refused(&failed));
    let failed = failed.replace("\"ok\":true", "\"ok\":false");
    let read = ToolInvokeResult::new(failed.as_bytes()).unwrap();
    assert_eq!((read.ok(), read.to_string()), (false, failed));
}

#[test]
fn invoke_result_names_what_went_wrong() {
    for (kind, name) in [
        (FailureKind::PolicyDenied, "PolicyDenied"),
        (FailureKind::GovernanceUnavailable, "GovernanceUnavailable"),
        (FailureKind::EncodingError, "EncodingError"),
        (FailureKind::NotFound, "NotFound"),
        (FailureKind::Timeout, "Timeout"),
        (FailureKind::InvalidArguments, "InvalidArguments"),
        (FailureKind::IoError, "IoError"),
    ] {
        let policy = Policy { allowed: false, rule: Some("default-deny".into()), code: Some("C".into()) };
        let error = Some(Failure::new(kind, "no"));
        let result =
            ToolInvokeResult { policy, error, output: Output::default(), effects: Effects::default(), ..result() };
        let text = result.to_string();
        let end = format!(
            "\"policy\":{{\"allowed\":false,\"rule\":\"default-deny\",\"code\":\"C\"}},\"output\":{{\"truncated\":false}},\
             \"error\":{{\"type\":\"{name}\",\"message\":\"no\"}}}}"
        );
        assert!(text.ends_with(&end), "{text}");
        assert_eq!(ToolInvokeResult::new(text.as_bytes()).unwrap(), result);
        assert!(matches!(wrong(&text.replace(name, "Other")), Wrong::Word { .. }));
    }
}

#[test]
fn ctr_0029_ctr_0030_a_failure_that_passes_says_so_and_when() {
    let error = ToolError { retryable: true, retry_after_ms: 1_500, ..ToolError::default() };
    let failure = Failure::new(FailureKind::PolicyDenied, "not now").with_retry_of(&error);
    let text = ToolInvokeResult { error: Some(failure), ..result() }.to_string();
    assert!(text.contains("\"ok\":false"), "{text}");
    assert!(text.ends_with(",\"message\":\"not now\",\"retryable\":true,\"retry_after_ms\":1500}}"), "{text}");
    assert_eq!(ToolInvokeResult::new(text.as_bytes()).unwrap().to_string(), text);
}

#[test]
fn invoke_pytest_returns_its_six_fields_and_nothing_parsed() {
    let run = Run { exit_code: -9, duration_ms: 5_000, cmd: vec!["pytest".into(), "-q".into()] };
    let output = Output::of_run("1 passed", "e", run);
    let result = ToolInvokeResult { output, ..result() };
    let text = result.to_string();
    let expected = "\"output\":{\"exit_code\":-9,\"stdout\":\"1 passed\",\"stderr\":\"e\",\"duration_ms\":5000,\
                    \"cmd\":[\"pytest\",\"-q\"],\"truncated\":false}";
    assert!(text.contains(expected), "{text}");
    assert_eq!(ToolInvokeResult::new(text.as_bytes()).unwrap(), result);
    let half = text.replace("\"duration_ms\":5000,", "");
    assert!(matches!(wrong(&half), Wrong::Value { field, .. } if field == "output"));
}

#[test]
fn invoke_cap_holds_for_results_that_are_made_and_that_are_read() {
    let long = "\u{e9}".repeat(OUTPUT_BYTES_MAX);
    let output = Output::of_text(&long);
    assert!(output.truncated());
    assert_eq!(output.stdout().map(str::len), Some(OUTPUT_BYTES_MAX));
    let text = ToolInvokeResult { output, ..result() }.to_string();
    assert!(ToolInvokeResult::new(text.as_bytes()).is_ok());
    let longer = text.replace("\"stdout\":\"", "\"stdout\":\"x");
    assert!(matches!(wrong(&longer), Wrong::Value { field, .. } if field == "output"));
    let other = text.replace("\"stdout\":\"", "\"stderr\":\"x\",\"stdout\":\"");
    assert!(matches!(wrong(&other), Wrong::Value { field, .. } if field == "output"));
}

fn invoke(text: &str) -> Result<Tool, InvokeError> {
    let message = ToolInvoke::new(text.as_bytes()).unwrap().message("r".into(), "s".into())?;
    assert_eq!((message.request_id.as_str(), message.session_token.as_str()), ("r", "s"));
    Ok(message.tool.unwrap())
}

#[test]
fn actions_of_the_specification_are_the_messages_they_say() {
    assert_eq!(
        invoke(r#"{"tool":"filesystem","action":"read_file","args":{"path":"a"}}"#),
        Ok(Tool::FileRead(tool_proto::FileRead { path: "a".into(), offset: 0, limit: 0 }))
    );
    assert_eq!(
        invoke(r#"{"tool":"filesystem","action":"write_file","args":{"path":"a","content":""}}"#),
        Ok(Tool::FileWrite(tool_proto::FileWrite { path: "a".into(), ..Default::default() }))
    );
    for (path, glob) in [("", "./"), ("src", "src/"), ("src/", "src/"), ("/", "/"), ("br[1]", "br\\[1]/")] {
        let text = format!(r#"{{"tool":"filesystem","action":"list_dir","args":{{"path":"{path}"}}}}"#);
        let expected = tool_proto::FsList { glob: glob.into(), max_results: 0, include_hidden: false };
        assert_eq!(invoke(&text), Ok(Tool::FsList(expected)));
    }
    assert_eq!(
        invoke(r#"{"tool":"pytest","action":"run","args":{"paths":["tests"],"timeout_ms":5000}}"#),
        Ok(Tool::PytestRun(tool_proto::PytestRun {
            paths: vec!["tests".into()],
            timeout_ms: 5_000,
            network_access: false
        }))
    );
}

#[test]
fn invoke_unknown_tools_and_actions_are_denied() {
    for (tool, action) in [
        ("filesystem", "delete"),
        ("filesystem", ""),
        ("pytest", "read_file"),
        ("shell", "run"),
        ("file_read", ""),
        ("Filesystem", "read_file"),
        ("filesystem.read_file", ""),
    ] {
        let text = format!(r#"{{"tool":"{tool}","action":"{action}","args":{{}}}}"#);
        let error = invoke(&text).unwrap_err();
        assert_eq!(error, InvokeError::Unknown { tool: tool.into(), action: action.into() });
        let Failure { kind, message, .. } = error.failure();
        assert_eq!(kind, FailureKind::PolicyDenied);
        let named = "; there are filesystem read_file, filesystem write_file, filesystem list_dir, pytest run";
        assert!(message.ends_with(named), "{message}");
    }
}

#[test]
fn arguments_that_an_action_does_not_take_are_refused_by_name() {
    let wrong = |text: &str| match invoke(text).unwrap_err() {
        InvokeError::Call(error) => {
            assert!(error.tool.contains('.'), "{error}");
            error.wrong
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(
        wrong(r#"{"tool":"filesystem","action":"list_dir","args":{}}"#),
        CallWrong::Missing { argument: "path".into() }
    );
    assert_eq!(
        wrong(r#"{"tool":"filesystem","action":"list_dir","args":{"path":"a","glob":"**"}}"#),
        CallWrong::Unknown { argument: "glob".into() }
    );
    assert_eq!(
        wrong(r#"{"tool":"filesystem","action":"read_file","args":{"path":"a","encoding":"b"}}"#),
        CallWrong::Unknown { argument: "encoding".into() }
    );
    assert_eq!(
        wrong(r#"{"tool":"filesystem","action":"list_dir","args":{"path":"a","include_hidden":false}}"#),
        CallWrong::Unknown { argument: "include_hidden".into() }
    );
}

#[test]
fn requests_have_three_fields_and_each_once() {
    for text in [
        r#"{"tool":"a","action":"b"}"#,
        r#"{"tool":"a","action":"b","args":[]}"#,
        r#"{"tool":"a","action":"b","args":{},"x":1}"#,
        r#"{"tool":"a","tool":"a","action":"b","args":{}}"#,
        r#"{"tool":"a","action":"b","args":{"p":1,"p":2}}"#,
        r#"["a","b",{}]"#,
    ] {
        assert!(ToolInvoke::new(text.as_bytes()).is_err(), "{text}");
    }
}
