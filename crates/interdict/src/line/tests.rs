//! Lines of both shapes, and lines that are none.

use tool_proto::tool_request::Tool;

use super::*;

fn read(text: &str) -> Line {
    Line::read(text.as_bytes(), "token", 7)
}

fn answered(text: &str) -> (String, Option<String>) {
    match read(text) {
        Line::Answered(Answered { line, mistake }) => (line, mistake),
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
fn what_is_no_request_is_answered_with_what_is_wrong() {
    for text in ["", "7", "{}", "{\"type\":\"Nothing\"}", "nonsense", "{\"type\":7,\"tool\":\"file_read\"}"] {
        let (line, mistake) = answered(text);
        assert!(line.starts_with("{\"type\":\"ErrorMessage\",\"code\":\"E_VALIDATION_FAIL\""), "{line}");
        assert!(mistake.is_some());
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
        (with("{}"), "lacks its argument `path`"),
        (with(r#"{"path":"a","more":1}"#), "has no argument `more`"),
        (with(r#"{"path":1}"#), "the argument `path`"),
        (with("[]"), "the field `args`"),
        (r#"{"type":"ToolRequest","request_id":"r","tool":"file_read"}"#.to_owned(), "is missing"),
        (with(r#"{"path":"a"}"#).replace("\"timestamp\":1", "\"timestamp\":\"now\""), "the field `timestamp`"),
        (with(r#"{"path":"a"}"#).replace("\"timestamp\":1", "\"timestamp\":1,\"x\":1"), "the field `x`"),
    ] {
        let (line, mistake) = answered(&text);
        let start = r#"{"type":"ToolResponse","ok":false,"tool":"file_read","request_id":"r","duration_ms":"#;
        assert!(line.starts_with(start) && line.contains(word), "{line}");
        assert!(line.contains(r#""data":null,"errors":[{"code":"E_VALIDATION_FAIL","message":""#), "{line}");
        assert!(mistake.is_some());
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
        let (line, mistake) = answered(text);
        let policy = r#""policy":{"allowed":false,"rule":"default-deny","code":"VALIDATION_FAILED"}"#;
        assert!(line.contains(policy) && line.contains("\"PolicyDenied\""), "{line}");
        assert!(mistake.is_some());
    }
}

#[test]
fn a_heartbeat_is_answered_and_is_no_mistake() {
    let (line, mistake) = answered(r#"{"type":"Heartbeat","session_id":"s","timestamp":1}"#);
    assert!(line.starts_with("{\"type\":\"Heartbeat\",\"session_id\":\"s\""), "{line}");
    assert_eq!(mistake, None);
}
