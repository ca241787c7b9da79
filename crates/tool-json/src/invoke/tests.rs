//! Results and requests of `tool_invoke`.

use super::*;

const HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn result_of(ended: Ended) -> ToolInvokeResult {
    let time = Timestamp::from_unix_ms(1_730_822_400_005);
    ToolInvokeResult::new(time, "filesystem".into(), "write_file".into(), ended)
}

fn result() -> ToolInvokeResult {
    let effects = Effects { files: vec![FileEffect::new("a.txt".into(), 0, HASH).unwrap()] };
    result_of(Ended { output: Output::of_text(""), effects, ..Ended::default() })
}

fn wrong(text: &str) -> String {
    ToolInvokeResult::read(text.as_bytes()).unwrap_err().to_string()
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
    assert_eq!(ToolInvokeResult::read(expected.as_bytes()).unwrap(), result());
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
        assert_eq!(wrong(&without), format!("missing field `{missing}`"));
    }
}

#[test]
fn invoke_result_takes_no_other_field_and_none_twice() {
    let text = written();
    for (field, more) in [("\"ok\"", "more"), ("\"allowed\"", "policy.more"), ("\"truncated\"", "output.more")] {
        let with_more = text.replace(field, &format!("\"more\":1,{field}"));
        assert_eq!(wrong(&with_more), format!("unknown field `{more}`"));
    }
    let bytes = text.replace("size_bytes", "bytes");
    assert_eq!(wrong(&bytes), "unknown field `effects.files.bytes`");
    let twice = text.replace("\"allowed\":true", "\"allowed\":false,\"allowed\":true");
    assert!(wrong(&twice).starts_with("duplicate field `allowed` at "));
    let null = text.replace("\"allowed\":true", "\"allowed\":true,\"rule\":null");
    assert_eq!(wrong(&null), "`policy.rule` must be a string, not null");
}

#[test]
fn invoke_result_shows_hashes_in_full_only() {
    for hash in [&HASH.replace('e', "E"), "e3b0c442", "", &format!("{HASH}0"), &HASH.replace('b', "g")] {
        let text = written().replace(HASH, hash);
        assert!(wrong(&text).starts_with("`effects.files.sha256` must be 64 hexadecimal digits"), "{hash}");
    }
}

#[test]
fn invoke_result_is_ok_exactly_when_it_was_allowed_and_nothing_went_wrong() {
    let text = written();
    let failure = r#","error":{"type":"NotFound","message":"no"}}"#;
    let failed = format!("{}{failure}", text.strip_suffix('}').unwrap());
    let refused = |text: &str| wrong(text).starts_with("`ok` must be true exactly when ");
    assert!(refused(&text.replace("\"ok\":true", "\"ok\":false")));
    assert!(refused(&text.replace("\"allowed\":true", "\"allowed\":false")));
    let denied = text.replace("\"ok\":true", "\"ok\":false").replace("\"allowed\":true", "\"allowed\":false");
    assert!(!ToolInvokeResult::read(denied.as_bytes()).unwrap().ok());
    assert!(refused(&failed));
    let failed = failed.replace("\"ok\":true", "\"ok\":false");
    let read = ToolInvokeResult::read(failed.as_bytes()).unwrap();
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
        let result = result_of(Ended { policy, error, ..Ended::default() });
        let text = result.to_string();
        let end = format!(
            "\"policy\":{{\"allowed\":false,\"rule\":\"default-deny\",\"code\":\"C\"}},\"output\":{{\"truncated\":false}},\
             \"error\":{{\"type\":\"{name}\",\"message\":\"no\"}}}}"
        );
        assert!(text.ends_with(&end), "{text}");
        assert_eq!(ToolInvokeResult::read(text.as_bytes()).unwrap(), result);
        assert_eq!(wrong(&text.replace(name, "Other")), "`error.type` has the unknown value `Other`");
    }
}

#[test]
fn ctr_0029_ctr_0030_a_failure_that_passes_says_so_and_when() {
    let error = ToolError { retryable: true, retry_after_ms: 1_500, ..ToolError::default() };
    let failure = Failure::new(FailureKind::PolicyDenied, "not now").with_retry_of(&error);
    let text = result_of(Ended { error: Some(failure), ..Ended::default() }).to_string();
    assert!(text.contains("\"ok\":false"), "{text}");
    assert!(text.ends_with(",\"message\":\"not now\",\"retryable\":true,\"retry_after_ms\":1500}}"), "{text}");
    assert_eq!(ToolInvokeResult::read(text.as_bytes()).unwrap().to_string(), text);
}

#[test]
fn invoke_pytest_returns_its_six_fields_and_nothing_parsed() {
    let output = Output::of_run("1 passed", "e", -9, 5_000, vec!["pytest".into(), "-q".into()]);
    let result = result_of(Ended { output, ..Ended::default() });
    let text = result.to_string();
    let expected = "\"output\":{\"exit_code\":-9,\"stdout\":\"1 passed\",\"stderr\":\"e\",\"duration_ms\":5000,\
                    \"cmd\":[\"pytest\",\"-q\"],\"truncated\":false}";
    assert!(text.contains(expected), "{text}");
    assert_eq!(ToolInvokeResult::read(text.as_bytes()).unwrap(), result);
    let half = text.replace("\"duration_ms\":5000,", "");
    assert!(wrong(&half).starts_with("`output` must have `exit_code`, "));
}

#[test]
fn invoke_cap_holds_for_results_that_are_made_and_that_are_read() {
    let long = "\u{e9}".repeat(OUTPUT_BYTES_MAX);
    let output = Output::of_text(&long);
    let text = result_of(Ended { output, ..Ended::default() }).to_string();
    assert!(text.contains("\"truncated\":true"));
    assert!(ToolInvokeResult::read(text.as_bytes()).is_ok());
    let longer = text.replace("\"stdout\":\"", "\"stdout\":\"x");
    assert_eq!(wrong(&longer), "`output` must not be longer than 64 KB");
    let other = text.replace("\"stdout\":\"", "\"stderr\":\"x\",\"stdout\":\"");
    assert_eq!(wrong(&other), "`output` must not be longer than 64 KB");
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
        let named = "; known are filesystem read_file, filesystem write_file, filesystem list_dir, pytest run";
        assert!(message.ends_with(named), "{message}");
    }
}

#[test]
fn arguments_that_an_action_does_not_take_are_refused_by_name() {
    for (action, args, expected) in [
        ("list_dir", "{}", "missing argument `path`"),
        ("list_dir", r#"{"path":1}"#, "`path` must be a string, not `1`"),
        ("list_dir", r#"{"path":"a","glob":"**"}"#, "unknown argument `glob`"),
        ("read_file", r#"{"path":"a","encoding":"b"}"#, "unknown argument `encoding`"),
        ("list_dir", r#"{"path":"a","include_hidden":false}"#, "unknown argument `include_hidden`"),
    ] {
        let error = invoke(&format!(r#"{{"tool":"filesystem","action":"{action}","args":{args}}}"#)).unwrap_err();
        assert_eq!(error.to_string(), format!("`filesystem.{action}`: {expected}"));
        assert_eq!(error.failure().kind, FailureKind::InvalidArguments);
    }
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

#[test]
fn invoke_result_times_are_written_as_iso_8601() {
    for (unix_ms, expected) in [
        (0, "1970-01-01T00:00:00.000Z"),
        (951_782_399_999, "2000-02-28T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (951_868_800_001, "2000-03-01T00:00:00.001Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (UNIX_MS_MAX, "9999-12-31T23:59:59.999Z"),
        (u64::MAX, "9999-12-31T23:59:59.999Z"),
    ] {
        let timestamp = Timestamp::from_unix_ms(unix_ms);
        assert_eq!(timestamp.to_string(), expected);
        assert_eq!(Timestamp::try_from(expected.to_owned()), Ok(timestamp));
    }
    assert_eq!(Timestamp::at(UNIX_EPOCH - Duration::from_secs(1)), Timestamp::from_unix_ms(0));
}

#[test]
fn invoke_result_times_in_another_form_or_another_zone_are_refused() {
    assert!(Timestamp::try_from("2026-01-10T08:33:00.000Z".to_owned()).is_ok());
    for text in [
        "",
        "2026-01-10",
        "2026-01-10T08:33:00",
        "2026-01-10T08:33:00Z",
        "2026-01-10T08:33:00.000+00:00",
        "2026-01-10T19:33:00.000+11:00",
        "2026-01-10 08:33:00.000Z",
        "2026-01-10t08:33:00.000z",
        "2026-01-10T08:33:00.00Z",
        "2026-01-10T08:33:00.000001Z",
        "2026-13-10T08:33:00.000Z",
        "2026-02-29T08:33:00.000Z",
        "2026-01-10T24:00:00.000Z",
        "2026-01-10T08:33:60.000Z",
        "1969-12-31T23:59:59.000Z",
        "\u{0662}026-01-10T08:33:00.000Z",
    ] {
        assert!(Timestamp::try_from(text.to_owned()).is_err(), "{text}");
    }
}
