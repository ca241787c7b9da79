//! Accepted and refused texts.

use super::*;

fn error(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn values_are_written_again_in_their_order() {
    for text in [
        "null",
        "true",
        "-9223372036854775808",
        "18446744073709551615",
        "0.1",
        "-0.0",
        r#""a\n\"\\é""#,
        "[]",
        "{}",
        r#"{"b":[1,{"a":null}],"a":false}"#,
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
    }
}

#[test]
fn fractions_are_read_again_as_the_same_number() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..100_000 {
        let number = f64::from_bits(rng.u64(..));
        if number.is_finite() && number.abs() < 9e18 {
            let text = Value::from(number).to_string();
            assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
        }
    }
}

#[test]
fn a_duplicate_field_is_refused_at_any_depth() {
    assert_eq!(error(r#"{"a":1,"a":1}"#), "duplicate field `a` at line 1 column 10");
    assert_eq!(error("[{\"x\":{\"b\":1,\n\"\\u0062\":1}}]"), "duplicate field `b` at line 2 column 8");
    assert_eq!(error("{\"a\\n`\":1,\"a\\n`\":1}"), "duplicate field `a\\n\\u{60}` at line 1 column 16");
}

#[test]
fn numbers_that_would_lose_digits_are_refused() {
    for text in ["18446744073709551616", "-9223372036854775809", "1e19", "123456789012345678901234567890"] {
        assert!(error(text).starts_with("a number does not fit into 64 bits at line 1 column "), "{text}");
    }
    assert_eq!(error("1e999"), "number out of range at line 1 column 5");
}

#[test]
fn deep_values_are_refused_and_the_deepest_read() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(nested(100).as_bytes()).is_ok());
    let too_deep = |text: &str| error(text).starts_with("values are nested deeper than 100 at ");
    assert!(too_deep(&nested(101)));
    assert!(too_deep(&"[".repeat(100_000)));
    assert!(too_deep(&"{\"a\":".repeat(100_000)));
}

#[test]
fn too_many_values_are_refused() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    assert!(parse(list((1 << 20) - 1).as_bytes()).is_ok());
    assert!(error(&list(1 << 20)).starts_with("there are more than 1048576 values at "));
}

#[test]
fn text_that_is_not_json_is_refused_with_its_place() {
    assert_eq!(error("{\n\"a\": 1,\n}"), "trailing comma at line 3 column 1");
    assert_eq!(error("1 2"), "trailing characters at line 1 column 3");
    assert_eq!(error("{\"a\":"), "EOF while parsing a value at line 1 column 5");
    assert_eq!(error(""), "EOF while parsing a value at line 1 column 0");
    for text in [b"\"\xff\"".as_slice(), b"\"\\ud800\"", b"NaN"] {
        assert!(parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn text_that_is_too_long_is_not_parsed() {
    let text = vec![b' '; MAX_REQUEST_SIZE + 1];
    assert_eq!(parse(&text).unwrap_err().to_string(), "the text has 134217729 bytes, more than 134217728");
}

#[test]
fn objects_are_equal_whatever_their_order() {
    let json = |text: &str| parse(text.as_bytes()).unwrap();
    assert_eq!(json(r#"{"a":1,"b":2}"#), json(r#"{"b":2,"a":1}"#));
    assert_ne!(json(r#"{"a":1,"b":2}"#), json(r#"{"b":2}"#));
    assert_ne!(json(r#"{"a":1}"#), json(r#"{"a":2}"#));
    assert_ne!(json("[1,2]"), json("[2,1]"));
}

#[test]
fn serde_json_accepts_all_that_is_accepted_here() {
    let mut rng = fastrand::Rng::with_seed(2);
    let pieces = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-", "0.5", "null", "true", " ", "\\", "\""];
    let mut both = 0;
    for _ in 0..200_000 {
        let text: String = (0..rng.usize(1..9)).map(|_| *rng.choice(pieces.iter()).unwrap()).collect();
        let theirs: Result<Value, _> = serde_json::from_str(&text);
        match (parse(text.as_bytes()), theirs) {
            (Ok(ours), Ok(theirs)) => {
                both += 1;
                assert_eq!(ours, theirs, "{text}");
            }
            (Err(error), Ok(_)) => assert!(error.to_string().starts_with("duplicate field "), "{text}: {error}"),
            (Ok(_), Err(_)) => panic!("{text}"),
            (Err(_), Err(_)) => {}
        }
    }
    assert!(both > 1_000, "{both}");
}
