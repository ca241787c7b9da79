//! Bytes that are a request, and every kind of those that are none.

use std::vec;
use std::vec::Vec;

use super::*;
use crate::limits::MAX_REQUEST_SIZE;

/// A field as a run of bytes.
fn run(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = tag(number, 2);
    field.extend(varint(bytes.len() as u64));
    field.extend(bytes);
    field
}

/// A field as a number.
fn number(field: u8, value: u64) -> Vec<u8> {
    [tag(field, 0), varint(value)].concat()
}

fn tag(number: u8, wire_type: u8) -> Vec<u8> {
    varint(u64::from(number) << 3 | u64::from(wire_type))
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

const MAX_READ_ITEMS: usize = crate::limits::MAX_READ_ITEMS as usize;

fn refused(bytes: &[u8]) -> Malformed {
    Request::read(bytes).unwrap_err().reason
}

#[test]
fn a_request_is_read_in_place() {
    let message = [run(1, b"src/main.rs"), number(2, 7), number(3, 4096)].concat();
    let bytes = [run(1, b"r-1"), run(2, b"token"), run(10, &message)].concat();
    let request = Request::read(&bytes).unwrap();
    let tool = Tool::FileRead(FileRead { path: "src/main.rs", offset: 7, limit: 4096 });
    assert_eq!(request, Request::new("r-1", "token", "", Some(tool)));
    let place = bytes.windows(11).position(|window| window == b"src/main.rs").unwrap();
    let Some(Tool::FileRead(read)) = request.tool() else { panic!() };
    assert!(core::ptr::eq(read.path.as_bytes(), &bytes[place..place + 11]));
}

#[test]
fn fields_may_come_in_any_order_and_say_their_defaults() {
    let message = [number(3, 0), run(1, b"a"), number(2, 0)].concat();
    let bytes = [run(10, &message), run(3, b""), run(1, b"r")].concat();
    let tool = Tool::FileRead(FileRead { path: "a", offset: 0, limit: 0 });
    assert_eq!(Request::read(&bytes).unwrap().tool(), Some(tool));
    assert_eq!(Request::read(b""), Ok(Request::default()));
}

#[test]
fn requests_that_differ_in_anything_are_not_equal_and_all_of_it_is_shown() {
    let tool = |path| Some(Tool::FileRead(FileRead { path, offset: 7, limit: 0 }));
    let request = Request::new("r", "t", "k", tool("a"));
    for other in [
        Request::new("x", "t", "k", tool("a")),
        Request::new("r", "x", "k", tool("a")),
        Request::new("r", "t", "x", tool("a")),
        Request::new("r", "t", "k", tool("x")),
        Request::new("r", "t", "k", None),
    ] {
        assert_ne!(request, other);
    }
    let shown = std::format!("{request:?}");
    let tool = r#"Some(FileRead(FileRead { path: "a", offset: 7, limit: 0 }))"#;
    let expected = r#"Request { request_id: "r", session_token: "t", dedupe_key: "k", tool: "#;
    assert_eq!(shown, [expected, tool, " }"].concat());
}

#[test]
fn inv_0004_a_second_tool_is_refused_also_when_it_is_the_same_one() {
    let (read, edit) = (run(10, &run(1, b"a")), run(12, &run(1, b"a")));
    let at = |second: &[u8]| Request::read(&[&read, second].concat()).unwrap_err();
    assert_eq!(at(&edit), WireError { reason: Malformed::SecondTool, at: read.len() });
    assert_eq!(at(&read), WireError { reason: Malformed::SecondTool, at: read.len() });
    // Also one that says nothing: a lenient reader would merge it.
    assert_eq!(at(&run(10, b"")).reason, Malformed::SecondTool);
}

#[test]
fn a_scalar_that_is_there_twice_is_refused() {
    assert_eq!(refused(&[run(1, b"a"), run(1, b"a")].concat()), Malformed::RepeatedField { number: 1 });
    assert_eq!(refused(&[run(3, b""), run(3, b"")].concat()), Malformed::RepeatedField { number: 3 });
    let twice = [number(2, 0), number(2, 0)].concat();
    assert_eq!(refused(&run(10, &twice)), Malformed::RepeatedField { number: 2 });
}

#[test]
fn a_wrong_wire_type_is_refused() {
    assert_eq!(refused(&number(1, 1)), Malformed::WireType { number: 1 });
    assert_eq!(refused(&number(10, 1)), Malformed::WireType { number: 10 });
    assert_eq!(refused(&run(10, &number(1, 1))), Malformed::WireType { number: 1 });
    assert_eq!(refused(&run(10, &run(2, b"1"))), Malformed::WireType { number: 2 });
    // An entry of a list of texts, and of one of messages.
    assert_eq!(refused(&run(13, &number(5, 1))), Malformed::WireType { number: 5 });
    assert_eq!(refused(&run(34, &number(3, 1))), Malformed::WireType { number: 3 });
    for fixed in [1, 5] {
        let bytes = [tag(2, fixed), vec![0; 8]].concat();
        assert_eq!(refused(&run(10, &bytes)), Malformed::WireType { number: 2 });
    }
    for none in [6, 7] {
        assert_eq!(refused(&tag(1, none)), Malformed::WireType { number: 1 });
    }
}

#[test]
fn groups_are_refused() {
    for group in [3, 4] {
        assert_eq!(refused(&tag(1, group)), Malformed::Group { number: 1 });
        assert_eq!(refused(&run(10, &tag(9, group))), Malformed::Group { number: 9 });
    }
}

#[test]
fn inv_0004_unknown_fields_and_tools_are_refused() {
    for field in [4, 9, 37, 200] {
        assert_eq!(refused(&run(field, b"")), Malformed::UnknownField { number: u32::from(field) });
        assert_eq!(refused(&number(field, 0)), Malformed::UnknownField { number: u32::from(field) });
        for fixed in [1, 5] {
            let bytes = [tag(field, fixed), vec![0; 8]].concat();
            assert_eq!(refused(&bytes), Malformed::UnknownField { number: u32::from(field) });
        }
    }
    for field in [4, 8, 100] {
        assert_eq!(refused(&run(10, &run(field, b""))), Malformed::UnknownField { number: u32::from(field) });
    }
}

#[test]
fn text_that_is_no_utf8_is_refused_and_bytes_may_be_anything() {
    assert_eq!(refused(&run(2, b"\xff")), Malformed::Utf8 { number: 2 });
    assert_eq!(refused(&run(10, &run(1, b"a\xc0\x80"))), Malformed::Utf8 { number: 1 });
    assert_eq!(refused(&run(13, &run(5, b"\xed\xa0\x80"))), Malformed::Utf8 { number: 5 });
    let bytes = run(11, &run(2, b"\xff\xfe"));
    let Some(Tool::FileWrite(write)) = Request::read(&bytes).unwrap().tool() else { panic!() };
    assert_eq!(write.content, b"\xff\xfe");
}

#[test]
fn text_of_every_language_is_read_and_compared_as_it_is_written() {
    for text in ["token", "\u{e9}", "a\u{20ac}/\u{1f980}b", ""] {
        let bytes = [run(2, text.as_bytes()), run(10, &run(1, text.as_bytes()))].concat();
        let request = Request::read(&bytes).unwrap();
        assert_eq!(request.session_token.as_str(), text);
        assert!(request.session_token == *text && request.session_token != *"other");
        assert_eq!(request.tool(), Some(Tool::FileRead(FileRead { path: text, offset: 0, limit: 0 })));
        assert_eq!(std::format!("{:?}", request.session_token), std::format!("{text:?}"));
    }
}

#[test]
fn what_ends_in_the_middle_is_refused() {
    let whole = [run(1, b"r"), run(10, &[run(1, b"path"), number(2, 300)].concat())].concat();
    let is_whole = |end: usize| end == 0 || end == 3 || end == whole.len();
    for end in (0..whole.len()).filter(|end| !is_whole(*end)) {
        assert_eq!(refused(&whole[..end]), Malformed::Truncated, "{end}");
    }
    // Two gigabytes are promised, and a length that no memory could hold.
    for len in [1 << 31, u64::MAX] {
        let bytes = [tag(1, 2), varint(len), b"abc".to_vec()].concat();
        assert_eq!(Request::read(&bytes), Err(WireError { reason: Malformed::Truncated, at: 1 }));
    }
}

#[test]
fn numbers_have_one_form() {
    let zero = |bytes: &[u8]| run(10, &[tag(2, 0), bytes.to_vec()].concat());
    assert_eq!(refused(&zero(&[0x80, 0])), Malformed::Overlong);
    assert_eq!(refused(&zero(&[0x81, 0x80, 0])), Malformed::Overlong);
    let most = [0xff; 9];
    assert_eq!(refused(&zero(&[&most[..], &[2]].concat())), Malformed::Overlong);
    assert_eq!(refused(&zero(&[&most[..], &[0x81, 0]].concat())), Malformed::Overlong);
    assert_eq!(refused(&zero(&[0xff; 11])), Malformed::Overlong);
    assert_eq!(refused(&zero(&[&most[..], &[0x81]].concat())), Malformed::Overlong);
    assert_eq!(refused(&zero(&most)), Malformed::Truncated);
    assert_eq!(refused(&zero(&[0xff; 3])), Malformed::Truncated);
    let bytes = zero(&[&most[..], &[1]].concat());
    let Some(Tool::FileRead(read)) = Request::read(&bytes).unwrap().tool() else { panic!() };
    assert_eq!(read.offset, u64::MAX);
    // A tag and a length in more bytes than they need.
    assert_eq!(refused(&[0x8a, 0]), Malformed::Overlong);
    assert_eq!(refused(&[0x0a, 0x81, 0, b'a']), Malformed::Overlong);
}

#[test]
fn trailing_bytes_and_impossible_field_numbers_are_refused() {
    let whole = run(1, b"r");
    for after in [&[0][..], &[0, 0], &[5], &[2, 0]] {
        let bytes = [&whole, after].concat();
        let expected = WireError { reason: Malformed::TrailingBytes, at: 3 };
        assert_eq!(Request::read(&bytes), Err(expected), "{after:?}");
    }
    let bytes = varint(1 << 32 | 2);
    assert_eq!(refused(&bytes), Malformed::FieldNumber);
}

#[test]
fn a_flag_is_zero_or_one_and_a_small_number_fits() {
    assert_eq!(refused(&run(11, &number(3, 2))), Malformed::TooManyBits { number: 3 });
    assert_eq!(refused(&run(15, &number(5, 1 << 32))), Malformed::TooManyBits { number: 5 });
    let bytes = run(15, &number(5, u64::from(u32::MAX)));
    let Some(Tool::Inference(call)) = Request::read(&bytes).unwrap().tool() else { panic!() };
    assert_eq!(call.temperature_scaled, u32::MAX);
}

#[test]
fn lists_are_read_again_where_they_are() {
    let message = [run(5, b"A=1"), run(1, b"ls"), run(5, b""), number(3, 9), run(5, b"B=2")].concat();
    let bytes = run(13, &message);
    let Some(Tool::ShellExec(shell)) = Request::read(&bytes).unwrap().tool() else { panic!() };
    assert_eq!((shell.command, shell.timeout_ms, shell.env.len()), ("ls", 9, 3));
    assert_eq!(shell.env.iter().collect::<Vec<_>>(), ["A=1", "", "B=2"]);
    assert_eq!(shell.env, Repeated::listed(&["A=1", "", "B=2"]));
    assert_ne!(shell.env, Repeated::EMPTY);
    assert_eq!(std::format!("{:?}", shell.env), r#"["A=1", "", "B=2"]"#);
}

#[test]
fn arguments_have_one_value_at_most() {
    let argument = |fields: &[Vec<u8>]| [vec![run(1, b"n")], fields.to_vec()].concat().concat();
    let call = |arguments: &[Vec<u8>]| {
        let arguments: Vec<u8> = arguments.iter().flat_map(|bytes| run(3, bytes)).collect();
        run(34, &[run(1, b"jira"), arguments].concat())
    };
    let bytes = call(&[argument(&[run(2, b"")]), argument(&[number(3, 0)]), argument(&[number(4, 1)]), argument(&[])]);
    let Some(Tool::ToolCall(read)) = Request::read(&bytes).unwrap().tool() else { panic!() };
    let values: Vec<_> = read.arguments.iter().map(|argument| argument.value).collect();
    let expected =
        [Some(ArgumentValue::Text("")), Some(ArgumentValue::Number(0)), Some(ArgumentValue::Flag(true)), None];
    assert_eq!(values, expected);
    assert_eq!(refused(&call(&[argument(&[run(2, b"x"), number(3, 1)])])), Malformed::SecondValue);
    assert_eq!(refused(&call(&[argument(&[number(3, 1), number(4, 0)])])), Malformed::SecondValue);
    assert_eq!(refused(&call(&[argument(&[run(5, b"")])])), Malformed::UnknownField { number: 5 });
    assert_eq!(refused(&call(&[argument(&[number(4, 2)])])), Malformed::TooManyBits { number: 4 });
}

#[test]
fn lists_are_read_up_to_a_limit() {
    let with = |entries: usize| run(13, &run(5, b"A=").repeat(entries));
    assert!(Request::read(&with(MAX_READ_ITEMS)).is_ok());
    assert_eq!(refused(&with(MAX_READ_ITEMS + 1)), Malformed::TooManyItems { number: 5 });
    let arguments = run(34, &run(3, b"").repeat(MAX_READ_ITEMS + 1));
    assert_eq!(refused(&arguments), Malformed::TooManyItems { number: 3 });
    // A million entries cost no more than those that are read.
    let error = Request::read(&with(1_000_000)).map(|_| ()).unwrap_err();
    assert!(error.at <= 8 + 4 * (MAX_READ_ITEMS + 1), "{error:?}");
}

#[test]
fn a_request_has_a_largest_size() {
    let too_large = vec![0; MAX_REQUEST_SIZE + 1];
    assert_eq!(refused(&too_large), Malformed::TooLarge);
    assert_eq!(refused(&too_large[..MAX_REQUEST_SIZE]), Malformed::TrailingBytes);
}

#[test]
fn errors_name_a_place_in_the_whole_request() {
    let message = [run(1, b"abc"), number(9, 1)].concat();
    let bytes = [run(1, b"r"), run(10, &message)].concat();
    let at = bytes.len() - 2;
    assert_eq!(Request::read(&bytes), Err(WireError { reason: Malformed::UnknownField { number: 9 }, at }));
}
