//! The envelopes of the tool runtime, as its specification shows them, and everything near them.

use super::*;

const REQUEST: &str = r#"{"type":"ToolRequest","tool":"file_read","args":{"path":"src/main.rs"},"request_id":"uuid","session_id":"sess-123","timestamp":1730822400}"#;
const RESPONSE: &str = r#"{"type":"ToolResponse","ok":true,"tool":"file_read","request_id":"uuid","duration_ms":34,"data":{"content":"fn main() {}","sha256":"…"},"errors":[]}"#;
const EVENT: &str = r#"{"type":"EventMessage","event":"TaskProgress","request_id":"uuid","progress":{"pct":65,"message":"running tests"}}"#;
const ERROR: &str =
    r#"{"type":"ErrorMessage","code":"E_FILE_IO","message":"File not found: src/lib.rs","request_id":"uuid"}"#;
const HEARTBEAT: &str = r#"{"type":"Heartbeat","session_id":"sess-123","timestamp":1730822430}"#;
const ALL: [&str; 5] = [REQUEST, RESPONSE, EVENT, ERROR, HEARTBEAT];

fn read(text: &str) -> Result<Envelope, ReadError> {
    Envelope::new(text.as_bytes())
}

fn wrong(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

fn object(text: &str) -> Object {
    parse_object(text.as_bytes()).unwrap()
}

#[test]
fn sdk_envelopes_are_read_and_written_as_the_specification_shows_them() {
    for text in ALL {
        assert_eq!(read(text).unwrap().to_string(), text);
    }
    let Envelope::ToolRequest(request) = read(REQUEST).unwrap() else { panic!("another type") };
    let expected = RequestEnvelope {
        tool: "file_read".into(),
        args: object(r#"{"path":"src/main.rs"}"#),
        request_id: "uuid".into(),
        session_id: "sess-123".into(),
        timestamp: 1_730_822_400,
    };
    assert_eq!(request, expected);
}

#[test]
fn sdk_envelopes_are_read_whatever_the_order_of_their_fields() {
    for text in ALL {
        let mut entries: Vec<(String, Value)> = object(text).into_iter().collect();
        for _ in 0..entries.len() {
            entries.rotate_left(1);
            let turned = Value::from(Object::from_iter(entries.clone())).to_string();
            assert_eq!(read(&turned).unwrap(), read(text).unwrap(), "{turned}");
        }
    }
}

#[test]
fn sdk_envelopes_without_one_of_their_fields_are_refused() {
    for text in ALL {
        for name in object(text).keys() {
            let mut without = object(text);
            without.shift_remove(name).unwrap();
            assert_eq!(wrong(&Value::from(without).to_string()), format!("missing field `{name}`"));
        }
    }
    assert_eq!(wrong(&EVENT.replace("\"pct\":65,", "")), "missing field `progress.pct`");
}

#[test]
fn sdk_envelopes_with_another_field_are_refused() {
    for text in ALL {
        let more = text.replacen('{', r#"{"more":1,"#, 1);
        assert_eq!(wrong(&more), "unknown field `more`", "{text}");
    }
    let inside = EVENT.replace("\"pct\"", "\"speed\":1,\"pct\"");
    assert_eq!(wrong(&inside), "unknown field `progress.speed`");
    let inside = RESPONSE.replace("[]", r#"[{"code":"E_GIT","message":"","hint":1}]"#);
    assert_eq!(wrong(&inside), "unknown field `errors.hint`");
}

#[test]
fn sdk_envelopes_with_a_field_twice_are_refused_wherever_it_is() {
    for text in ALL {
        for (name, value) in object(text).iter() {
            let entry = format!("{{\"{name}\":{value},");
            let twice = text.replacen('{', &entry, 1);
            assert!(wrong(&twice).starts_with(&format!("duplicate field `{name}` at ")), "{twice}");
        }
    }
    let twice = REQUEST.replace("{\"path\"", "{\"path\":\"a\",\"path\"");
    assert!(wrong(&twice).starts_with("duplicate field `path` at "));
    let deep = REQUEST.replace("\"src/main.rs\"", "[{\"a\":{\"b\":1,\"b\":1}}]");
    assert!(wrong(&deep).starts_with("duplicate field `b` at "));
    let two = EVENT.replace("\"pct\":65", "\"pct\":65,\"pct\":66");
    assert!(wrong(&two).starts_with("duplicate field `pct` at "));
}

#[test]
fn sdk_envelopes_have_objects_where_a_list_of_the_fields_would_do_for_serde() {
    assert_eq!(wrong(r#"["Heartbeat","s",1]"#), "expected an object, found a list");
    let listed = EVENT.replace(r#"{"pct":65,"message":"running tests"}"#, "[65,\"running tests\"]");
    assert_eq!(wrong(&listed), "`progress` must be an object, not a list");
    let args = REQUEST.replace(r#"{"path":"src/main.rs"}"#, "[]");
    assert_eq!(wrong(&args), "`args` must be an object, not a list");
    let args = REQUEST.replace(r#"{"path":"src/main.rs"}"#, "null");
    assert_eq!(wrong(&args), "`args` must be an object, not null");
}

#[test]
fn sdk_envelopes_of_another_type_are_refused() {
    assert_eq!(wrong(r#"{"type":"Heart"}"#), "`type` has the unknown value `Heart`");
    assert_eq!(wrong(r#"{"type":1}"#), "`type` must be a string, not `1`");
    assert_eq!(wrong("{}"), "missing field `type`");
}

#[test]
fn sdk_envelopes_have_whole_numbers_that_are_not_negative() {
    for number in ["-1", "1.5", "1.0", "1e3", "\"1\"", "null", "true", "[1]"] {
        let text = HEARTBEAT.replace("1730822430", number);
        assert!(wrong(&text).starts_with("`timestamp` must be a whole number from 0 on, not "), "{number}");
    }
    assert!(read(&HEARTBEAT.replace("1730822430", "18446744073709551615")).is_ok());
    assert!(read(&EVENT.replace("65", "100")).is_ok());
    assert_eq!(wrong(&EVENT.replace("65", "101")), "`progress.pct` must be at most 100");
}

#[test]
fn ctr_0029_ctr_0030_an_error_that_passes_says_so_and_when() {
    let error = ToolError { retryable: true, retry_after_ms: 1_500, ..ToolError::default() };
    let Ok(Envelope::ToolResponse(response)) = Envelope::new(RESPONSE.as_bytes()) else { panic!() };
    let with = |error| Envelope::ToolResponse(ResponseEnvelope { ok: false, errors: vec![error], ..response.clone() });
    let passing = with(ResponseError::new(ErrorCode::Policy, "not now").with_retry_of(&error));
    let text = passing.to_string();
    let errors = r#""errors":[{"code":"E_POLICY","message":"not now","retryable":true,"retry_after_ms":1500}]}"#;
    assert!(text.ends_with(errors), "{text}");
    assert_eq!(Envelope::new(text.as_bytes()).unwrap(), passing);
    // What does not pass says nothing of it.
    let lasting = with(ResponseError::new(ErrorCode::Policy, "no")).to_string();
    assert!(lasting.ends_with(r#""errors":[{"code":"E_POLICY","message":"no"}]}"#), "{lasting}");
}

#[test]
fn ctr_0026_ctr_0027_a_denial_has_its_rule_and_its_code_beside_its_sentence() {
    let denied = ToolDenied { rule_id: "keep".into(), rationale_code: "FS_DELETE_DENIED".into(), message: "no".into() };
    let Ok(Envelope::ToolResponse(response)) = Envelope::new(RESPONSE.as_bytes()) else { panic!() };
    let errors = vec![ResponseError::denied(ErrorCode::Policy, denied)];
    let envelope = Envelope::ToolResponse(ResponseEnvelope { ok: false, errors, ..response });
    let text = envelope.to_string();
    let errors = r#"{"code":"E_POLICY","message":"no","rule_id":"keep","rationale_code":"FS_DELETE_DENIED"}"#;
    assert!(text.ends_with(&format!(r#""errors":[{errors}]}}"#)), "{text}");
    assert_eq!(Envelope::new(text.as_bytes()).unwrap(), envelope);
}

#[test]
fn sdk_errors_are_the_ten_and_no_others() {
    let codes = [
        (ErrorCode::FileIo, "E_FILE_IO"),
        (ErrorCode::AstParse, "E_AST_PARSE"),
        (ErrorCode::AstEdit, "E_AST_EDIT"),
        (ErrorCode::ValidationFail, "E_VALIDATION_FAIL"),
        (ErrorCode::Git, "E_GIT"),
        (ErrorCode::Http, "E_HTTP"),
        (ErrorCode::Shell, "E_SHELL"),
        (ErrorCode::Policy, "E_POLICY"),
        (ErrorCode::Timeout, "E_TIMEOUT"),
        (ErrorCode::Internal, "E_INTERNAL"),
    ];
    for (code, name) in codes {
        let text = ERROR.replace("E_FILE_IO", name);
        let Envelope::ErrorMessage(message) = read(&text).unwrap() else { panic!("another type") };
        assert_eq!(message.code, code);
        assert_eq!(Envelope::ErrorMessage(message).to_string(), text);
    }
    for other in ["E_OTHER", "FileIo", "e_git", "E_GIT ", ""] {
        let text = ERROR.replace("E_FILE_IO", other);
        assert_eq!(wrong(&text), format!("`code` has the unknown value `{other}`"));
    }
    assert_eq!(wrong(&ERROR.replace("\"E_FILE_IO\"", "4")), "`code` must be a string, not `4`");
    assert_eq!(wrong(&ERROR.replace("\"E_FILE_IO\"", "{\"E_GIT\":null}")), "`code` must be a string, not an object");
}

#[test]
fn sdk_envelopes_say_where_a_mistake_is() {
    assert_eq!(wrong("{\n\"type\"\n"), "EOF while parsing an object at line 3 column 0");
    let listed = RESPONSE.replace("[]", r#"[{"code":"E_GIT","message":1}]"#);
    assert_eq!(wrong(&listed), "`errors.message` must be a string, not `1`");
}

#[test]
fn sdk_envelopes_are_bounded_in_depth_and_length() {
    let deep = REQUEST.replace("{\"path\":\"src/main.rs\"}", &format!("{{\"a\":{}", "[".repeat(100_000)));
    assert!(wrong(&deep).starts_with("values are nested deeper than 100 at "));
    let most = enforce_core::limits::MAX_REQUEST_SIZE;
    let long = REQUEST.replace("src/main.rs", &"a".repeat(most));
    assert!(wrong(&long).ends_with(&format!(" bytes, more than {most}")));
}

#[test]
fn messages_show_what_the_sender_wrote_on_one_line() {
    assert_eq!(
        wrong(r#"{"type":"a\nb\u001b[0m\u202e`"}"#),
        "`type` has the unknown value `a\\nb\\u{1b}[0m\\u{202e}\\u{60}`"
    );
    assert_eq!(wrong(r#"{"type":"Heartbeat","a\nb`":1}"#), "unknown field `a\\nb\\u{60}`");
    assert_eq!(
        wrong("{\"type\":\"Heartbeat\",\"a\\nb\":1,\"a\\nb\":2}"),
        "duplicate field `a\\nb` at line 1 column 35"
    );
}

#[test]
fn any_bytes_are_read_or_refused() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..50_000 {
        let mut bytes = rng.choice(ALL).unwrap().as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let place = rng.usize(..bytes.len());
            match rng.u8(..3) {
                0 => bytes[place] = rng.u8(..),
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, *rng.choice(b"{}[]\",:0e\\u").unwrap()),
            }
        }
        if let Ok(envelope) = Envelope::new(&bytes) {
            assert_eq!(read(&envelope.to_string()).unwrap(), envelope);
        }
    }
}
