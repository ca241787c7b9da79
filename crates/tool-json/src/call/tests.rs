//! Calls of every tool there and back, with arguments of every kind.

mod examples;
mod generate;
mod git;
mod refusals;

use enforce_core::wire::Request;
use prost::Message as _;
use tool_proto::{Borrowed, FileWrite, FileWriteExtended, testing};

use super::*;
use crate::envelope::Envelope;
use crate::json::parse_object;

use generate::{TOOLS, args, said};

/// From text, as a client sends it.
fn object(text: &str) -> Object {
    parse_object(text.as_bytes()).unwrap()
}

/// Why the arguments of a call are refused.
fn wrong(tool: &str, args: &str) -> FieldError {
    match tool_of(tool, object(args)).unwrap_err() {
        CallError::Argument { tool: named, error } if named == tool => error,
        other => panic!("{other:?}"),
    }
}

/// Why a message cannot be written as JSON.
fn unwritable(tool: Tool) -> String {
    match call_of(tool).unwrap_err() {
        CallError::Unwritable { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

fn assert_core_agrees(message: &ToolRequest) {
    let bytes = message.encode_to_vec();
    assert_eq!(Request::read(&bytes).unwrap(), Borrowed::of(message).request());
}

#[test]
fn ctr_0002_a_call_of_every_tool_goes_there_and_back_without_loss() {
    let mut rng = fastrand::Rng::with_seed(21);
    for case in 0..80_000 {
        let (tool, spec) = &TOOLS[case % TOOLS.len()];
        let args = args(&mut rng, spec);
        let request = RequestEnvelope {
            tool: (*tool).to_owned(),
            args: args.clone(),
            request_id: testing::text(&mut rng),
            session_id: testing::text(&mut rng),
            timestamp: testing::number(&mut rng),
        };
        let text = Envelope::ToolRequest(request.clone()).to_string();
        let Ok(Envelope::ToolRequest(read)) = Envelope::new(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(read, request);

        let message = message_of(read).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_core_agrees(&message);
        assert!(!matches!(message.tool, Some(Tool::ToolCall(_))), "{tool}");
        assert_eq!((&message.request_id, &message.session_token), (&request.request_id, &request.session_id));
        assert_eq!(message.dedupe_key, "");

        let expected = RequestEnvelope { args: said(args, spec), ..request };
        let back = envelope_of(message.clone(), expected.timestamp).unwrap();
        assert_eq!(back, expected, "{text}");
        assert_eq!(message_of(back).unwrap(), message, "{text}");
    }
}

#[test]
fn ctr_0002_a_call_of_a_declared_tool_goes_there_and_back_in_its_order() {
    let mut rng = fastrand::Rng::with_seed(22);
    for _ in 0..20_000 {
        let name =
            *rng.choice(&["jira.search", "jira", "a.b.c", "git_bisect", "\u{e9}", "file.read", "FILE_READ"]).unwrap();
        let mut args = Object::new();
        for place in 0..rng.usize(..5) {
            let value = match rng.u8(..3) {
                0 => rng.bool().into(),
                1 => testing::number(&mut rng).into(),
                _ => Value::from(testing::text(&mut rng)),
            };
            args.insert(format!("{}{place}", testing::text(&mut rng)), value);
        }
        let tool = tool_of(name, args.clone()).unwrap();
        let Tool::ToolCall(call) = &tool else { panic!("{name}") };
        let (expected_tool, expected_operation) = name.split_once('.').unwrap_or((name, ""));
        assert_eq!((call.tool.as_str(), call.operation.as_str()), (expected_tool, expected_operation));
        assert!(call.arguments.iter().map(|argument| argument.name.as_str()).eq(args.keys()));
        assert_core_agrees(&ToolRequest { tool: Some(tool.clone()), ..ToolRequest::default() });
        let (back, back_args) = call_of(tool).unwrap();
        assert_eq!((back.as_str(), Value::from(back_args).to_string()), (name, Value::from(args).to_string()));
    }
}

#[test]
fn messages_of_every_variant_become_calls_that_say_the_same_or_are_refused() {
    let mut rng = fastrand::Rng::with_seed(23);
    let mut done = [0; testing::VARIANTS];
    for case in 0..54_000 {
        let message = ToolRequest { dedupe_key: String::new(), ..testing::request_of(&mut rng, case) };
        let Ok(request) = envelope_of(message.clone(), 0) else { continue };
        let again = message_of(request.clone()).unwrap_or_else(|error| panic!("{error}: {message:?}"));
        assert_eq!(again, in_one_form(message));
        assert_eq!(envelope_of(again, 0).unwrap(), request);
        done[case % testing::VARIANTS] += 1;
    }
    assert!(done.iter().all(|count| *count > 300), "{done:?}");
}

#[test]
fn what_envelopes_have_no_place_for_is_refused() {
    let message =
        ToolRequest { dedupe_key: "k".into(), tool: Some(Tool::ProcList(Default::default())), ..Default::default() };
    assert_eq!(envelope_of(message, 0).unwrap_err(), CallError::unwritable("", "there is a dedupe key"));
    assert_eq!(envelope_of(ToolRequest::default(), 0).unwrap_err(), CallError::unwritable("", "there is no tool"));
    let write = Tool::FileWrite(FileWrite { content: vec![0xff], ..Default::default() });
    assert_eq!(unwritable(write), "must be UTF-8");
    for attribution in ["null", "[]", "7"] {
        let write = FileWriteExtended { attribution: attribution.to_owned(), ..Default::default() };
        assert_eq!(unwritable(Tool::FileWriteExtended(write)), "must be JSON of the argument's type");
    }
}

#[test]
fn a_declared_tool_cannot_be_shown_as_one_that_is_built_in() {
    let call = |tool: &str, operation: &str| {
        let call = ToolCall { tool: tool.into(), operation: operation.into(), arguments: Vec::new() };
        call_of(Tool::ToolCall(call))
    };
    let is_refused = |tool: &str, operation: &str| call(tool, operation).unwrap_err().to_string().ends_with(TAKEN);
    for (tool, _) in TOOLS {
        assert!(is_refused(tool, ""), "{tool}");
    }
    for (tool, operation) in [("git_clone", ""), ("a.b", "c"), ("a.b", ""), ("", "a"), ("", "")] {
        assert!(is_refused(tool, operation), "{tool}.{operation}");
    }
    assert_eq!(call("jira", "search").unwrap().0, "jira.search");
}

#[test]
fn arguments_of_a_declared_tool_without_a_value_or_twice_are_not_shown() {
    let call = |names: &[(&str, Option<bool>)]| {
        let argument = |(name, flag): &(&str, Option<bool>)| Argument {
            name: (*name).to_owned(),
            value: flag.map(ArgumentValue::Flag),
        };
        let arguments = names.iter().map(argument).collect();
        unwritable(Tool::ToolCall(ToolCall { tool: "a".into(), arguments, ..Default::default() }))
    };
    assert_eq!(call(&[("x", None)]), "`x` has no value");
    assert_eq!(call(&[("x", Some(true)), ("y", Some(true)), ("x", Some(false))]), "`x` is there twice");
}

/// A message as JSON would have made it: entries with names in their order, and the shorter of two messages.
fn in_one_form(mut message: ToolRequest) -> ToolRequest {
    let key = |separator: &'static str| {
        move |entry: &String| entry.split_once(separator).map_or_else(String::new, |(key, _)| key.to_owned())
    };
    match &mut message.tool {
        Some(Tool::ShellExec(exec)) => exec.env.sort_by_key(key("=")),
        Some(Tool::ShellExecExtended(exec)) => exec.env.sort_by_key(key("=")),
        Some(Tool::ShellInline(inline)) => inline.env.sort_by_key(key("=")),
        Some(Tool::ArtifactPublish(publish)) => publish.metadata.sort_by_key(key("=")),
        Some(Tool::HttpRequest(request)) => request.headers.sort_by_key(key(": ")),
        Some(Tool::FileWriteExtended(write)) => {
            let FileWriteExtended { path, content, create_only, append, create_dirs, mode, attribution } =
                write.clone();
            if !create_dirs && mode == 0 && attribution.is_empty() {
                message.tool = Some(Tool::FileWrite(FileWrite { path, content, create_only, append }));
            }
        }
        _ => {}
    }
    message
}

const TAKEN: &str = "no declared tool has this name";
