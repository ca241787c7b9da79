//! Lines of both shapes, and lines of neither.

use tool_proto::tool_request::Tool;

use super::*;

fn read(text: &str) -> Line {
    Line::read(text.as_bytes(), "token", 7)
}

fn answered(text: &str) -> (String, bool) {
    match read(text) {
        Line::Answered { reply, is_invalid } => (reply, is_invalid),
        Line::Ask(ask) => panic!("{ask:?}"),
    }
}

#[test]
fn an_envelope_and_an_invocation_ask_for_the_same() {
    let envelope = r#"{"type":"ToolRequest","tool":"file_read","args":{"path":"a"},"request_id":"r","session_id":"s","timestamp":1}"#;
    let invocation = r#"{"tool":"filesystem","action":"read_file","args":{"path":"a"}}"#;
    for (text, request_id) in [(envelope, "r"), (invocation, "invocation-7")] {
        let Line::Ask(ask) = read(text) else { panic!("{text}") };
        assert_eq!((ask.message.request_id.as_str(), ask.message.session_token.as_str()), (request_id, "token"));
        assert!(matches!(&ask.message.tool, Some(Tool::FileRead(read)) if read.path == "a"), "{text}");
    }
}

#[test]
fn a_line_that_is_not_a_request_is_answered_with_an_error() {
    for text in ["", "7", "{}", "{\"type\":\"Nothing\"}", "nonsense", "{\"type\":7,\"tool\":\"file_read\"}"] {
        let (line, is_invalid) = answered(text);
        assert!(line.starts_with("{\"type\":\"ErrorMessage\",\"code\":\"E_VALIDATION_FAIL\""), "{line}");
        assert!(is_invalid);
    }
}

#[test]
fn ctr_0022_ctr_0023_a_request_is_answered_by_a_response_whatever_is_wrong_with_it() {
    let with = |args: &str| {
        format!(
            r#"{{"type":"ToolRequest","tool":"file_read","args":{args},"request_id":"r","session_id":"s","timestamp":1}}"#
        )
    };
    for (text, word) in [
        (with("{}"), "`file_read`: missing argument `path`"),
        (with(r#"{"path":"a","more":1}"#), "unknown argument `more`"),
        (with(r#"{"path":1}"#), "`path` must be a string, not `1`"),
        (with("[]"), "`args` must be an object"),
        (r#"{"type":"ToolRequest","request_id":"r","tool":"file_read"}"#.to_owned(), "missing field `args`"),
        (with(r#"{"path":"a"}"#).replace("\"timestamp\":1", "\"timestamp\":\"now\""), "`timestamp` must be "),
        (with(r#"{"path":"a"}"#).replace("\"timestamp\":1", "\"timestamp\":1,\"x\":1"), "unknown field `x`"),
    ] {
        let (line, is_invalid) = answered(&text);
        let start = r#"{"type":"ToolResponse","ok":false,"tool":"file_read","request_id":"r","duration_ms":"#;
        assert!(line.starts_with(start) && line.contains(word), "{line}");
        assert!(line.contains(r#""data":null,"errors":[{"code":"E_VALIDATION_FAIL","message":""#), "{line}");
        assert!(is_invalid);
    }
    let (line, _) = answered(r#"{"type":"ToolRequest"}"#);
    assert!(line.starts_with(r#"{"type":"ToolResponse","ok":false,"tool":"","request_id":"""#), "{line}");
}

#[test]
fn invoke_unknown_tools_and_actions_are_denied() {
    for text in [
        r#"{"tool":"filesystem","action":"format_disk","args":{}}"#,
        r#"{"tool":"nothing","action":"read_file","args":{}}"#,
    ] {
        let (line, is_invalid) = answered(text);
        let policy = r#""policy":{"allowed":false,"rule":"default-deny","code":"VALIDATION_FAILED"}"#;
        assert!(line.contains(policy) && line.contains("\"PolicyDenied\""), "{line}");
        assert!(is_invalid);
    }
}

#[test]
fn a_heartbeat_is_answered_and_is_valid() {
    let (line, is_invalid) = answered(r#"{"type":"Heartbeat","session_id":"s","timestamp":1}"#);
    assert!(line.starts_with("{\"type\":\"Heartbeat\",\"session_id\":\"s\""), "{line}");
    assert!(!is_invalid);
}
