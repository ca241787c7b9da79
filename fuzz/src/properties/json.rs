//! JSON of the tool runtime: whatever text comes, it is read or refused, and what was read is written and read again as
//! the same.

use std::fmt::{Debug, Display};

use tool_json::{Envelope, ToolInvoke, ToolInvokeResult, envelope_of, message_of, parse};
use tool_proto::Validator as _;
use verify::cases::Premise;

/// A value that was read is written and read again equal.
pub fn values_are_read_again(bytes: &[u8]) -> Premise {
    read_again(parse(bytes).ok(), |text| parse(text).ok())
}

/// An envelope that was read is written and read again equal.
pub fn envelopes_are_read_again(bytes: &[u8]) -> Premise {
    read_again(Envelope::new(bytes).ok(), |text| Envelope::new(text).ok())
}

/// A result of `tool_invoke` that was read is written and read again equal.
pub fn results_are_read_again(bytes: &[u8]) -> Premise {
    read_again(ToolInvokeResult::read(bytes).ok(), |text| ToolInvokeResult::read(text).ok())
}

/// A request that is a message is said again by an envelope, which is the same message.
pub fn requests_go_there_and_back(bytes: &[u8]) -> Premise {
    let Ok(Envelope::ToolRequest(request)) = Envelope::new(bytes) else {
        return Premise::Missed;
    };
    let timestamp = request.timestamp;
    let Ok(message) = message_of(request) else {
        return Premise::Missed;
    };
    // Whether it is valid does not matter, only that somebody can say.
    let _ = message.validate();
    let again = envelope_of(message.clone(), timestamp).map(message_of);
    assert!(matches!(&again, Ok(Ok(again)) if *again == message), "{message:?} comes back as {again:?}");
    Premise::Met
}

/// An invocation is a message or refused.
pub fn invocations_are_messages_or_refused(bytes: &[u8]) -> Premise {
    let Ok(invoke) = ToolInvoke::new(bytes) else {
        return Premise::Missed;
    };
    match invoke.message("r".to_owned(), "s".to_owned()) {
        Ok(message) => drop(message.validate()),
        Err(error) => assert!(!error.failure().message.contains('\n'), "{error:?}"),
    }
    Premise::Met
}

fn read_again<T: Display + Debug + PartialEq>(read: Option<T>, again: impl Fn(&[u8]) -> Option<T>) -> Premise {
    let Some(read) = read else {
        return Premise::Missed;
    };
    let written = read.to_string();
    assert_eq!(again(written.as_bytes()).as_ref(), Some(&read), "{written}");
    Premise::Met
}
