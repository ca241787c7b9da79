//! What strict reading takes and refuses.

use super::*;

fn mistake(text: &str) -> (Mistake, usize, usize) {
    let error = Json::new(text.as_bytes()).unwrap_err();
    (error.mistake, error.line, error.column)
}

#[test]
fn what_is_read_is_written_again_in_its_order() {
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
        assert_eq!(Json::new(text.as_bytes()).unwrap().to_string(), text);
    }
}

#[test]
fn fractions_are_read_again_as_the_same_number() {
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..100_000 {
        let number = f64::from_bits(rng.u64(..));
        if number.is_finite() && number.abs() < 9e18 {
            let text = Json::Number(Number::from_f64(number).unwrap()).to_string();
            assert_eq!(Json::new(text.as_bytes()).unwrap().to_string(), text);
        }
    }
}

#[test]
fn a_name_that_is_there_twice_is_refused_at_any_depth() {
    let repeated = |name: &str| Mistake::Repeated { name: name.to_owned() };
    assert_eq!(mistake(r#"{"a":1,"a":1}"#), (repeated("a"), 1, 10));
    assert_eq!(mistake("[{\"x\":{\"b\":1,\n\"\\u0062\":1}}]"), (repeated("b"), 2, 8));
    assert!(serde_json::from_str::<Json>(r#"{"a":1,"a":1}"#).is_err());
}

#[test]
fn numbers_that_would_lose_digits_are_refused() {
    for text in ["18446744073709551616", "-9223372036854775809", "1e19", "123456789012345678901234567890"] {
        assert_eq!(mistake(text).0, Mistake::Number, "{text}");
    }
    assert!(matches!(mistake("1e999").0, Mistake::Syntax { .. }));
}

#[test]
fn deep_values_are_refused_and_the_deepest_read() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Json::new(nested(100).as_bytes()).is_ok());
    assert_eq!(mistake(&nested(101)).0, Mistake::TooDeep { most: 100 });
    assert_eq!(mistake(&"[".repeat(100_000)).0, Mistake::TooDeep { most: 100 });
    assert_eq!(mistake(&"{\"a\":".repeat(100_000)).0, Mistake::TooDeep { most: 100 });
}

#[test]
fn too_many_values_are_refused() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    assert!(Json::new(list((1 << 20) - 1).as_bytes()).is_ok());
    assert_eq!(mistake(&list(1 << 20)).0, Mistake::TooMany { most: 1 << 20 });
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let syntax = |what: &str| Mistake::Syntax { what: what.to_owned() };
    assert_eq!(mistake("{\n\"a\": 1,\n}"), (syntax("trailing comma"), 3, 1));
    assert_eq!(mistake("1 2"), (syntax("trailing characters"), 1, 3));
    assert_eq!(mistake("{\"a\":"), (Mistake::Ends, 1, 5));
    assert_eq!(mistake(""), (Mistake::Ends, 1, 0));
    assert!(matches!(Json::new(b"\"\xff\"").unwrap_err().mistake, Mistake::Syntax { .. }));
    assert!(matches!(Json::new(b"\"\\ud800\"").unwrap_err().mistake, Mistake::Syntax { .. }));
    assert!(matches!(Json::new(b"NaN").unwrap_err().mistake, Mistake::Syntax { .. }));
}

#[test]
fn text_that_is_too_long_is_not_looked_at() {
    let text = vec![b' '; enforce_core::limits::MAX_REQUEST_SIZE + 1];
    let most = enforce_core::limits::MAX_REQUEST_SIZE;
    assert_eq!(Json::new(&text).unwrap_err().mistake, Mistake::TooLong { most, found: most + 1 });
}

#[test]
fn objects_are_equal_whatever_their_order() {
    let json = |text: &str| Json::new(text.as_bytes()).unwrap();
    assert_eq!(json(r#"{"a":1,"b":2}"#), json(r#"{"b":2,"a":1}"#));
    assert_ne!(json(r#"{"a":1,"b":2}"#), json(r#"{"b":2}"#));
    assert_ne!(json(r#"{"a":1}"#), json(r#"{"a":2}"#));
    assert_ne!(json("[1,2]"), json("[2,1]"));
}

#[test]
fn what_strict_reading_takes_serde_json_takes_too() {
    let mut rng = fastrand::Rng::with_seed(2);
    let pieces = ["{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-", "0.5", "null", "true", " ", "\\", "\""];
    let mut both = 0;
    for _ in 0..200_000 {
        let text: String = (0..rng.usize(1..9)).map(|_| *rng.choice(pieces.iter()).unwrap()).collect();
        let theirs: Result<serde_json::Value, _> = serde_json::from_str(&text);
        match (Json::new(text.as_bytes()), theirs) {
            (Ok(ours), Ok(theirs)) => {
                both += 1;
                assert_eq!(serde_json::to_value(&ours).unwrap(), theirs, "{text}");
            }
            (Err(error), Ok(_)) => assert!(matches!(error.mistake, Mistake::Repeated { .. }), "{text}: {error}"),
            (Ok(_), Err(_)) => panic!("{text}"),
            (Err(_), Err(_)) => {}
        }
    }
    assert!(both > 1_000, "{both}");
}
