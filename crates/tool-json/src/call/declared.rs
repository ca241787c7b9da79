//! Tools that policies declare, under any name that is not built in.

use std::collections::BTreeSet;

use tool_proto::argument::Value;
use tool_proto::tool_request::Tool;
use tool_proto::{Argument, ToolCall};

use super::by_name;
use super::error::{BadValue, CallError, CallWrong};
use crate::json::{Json, Object};

/// `jira.search` is the operation of a tool; `jira` is a tool that is gated as a whole.
pub(super) fn call(name: &str, args: Object) -> Result<Tool, CallWrong> {
    let (tool, operation) = match name.split_once('.') {
        Some((_, "")) => return Err(CallWrong::Name),
        Some(both) => both,
        None => (name, ""),
    };
    if tool.is_empty() {
        return Err(CallWrong::Name);
    }
    let arguments = args.into_entries().into_iter().map(argument).collect::<Result<_, _>>()?;
    Ok(Tool::ToolCall(ToolCall { tool: tool.to_owned(), operation: operation.to_owned(), arguments }))
}

pub(super) fn called(call: ToolCall) -> Result<(String, Object), CallError> {
    let ToolCall { tool, operation, arguments } = call;
    let name = if operation.is_empty() { tool.clone() } else { format!("{tool}.{operation}") };
    let refuse = |tool: &str, wrong| CallError { tool: tool.to_owned(), wrong };
    // The way there has to lead to the same tool: it splits at the first dot and knows what is built in.
    let is_reached = !tool.contains('.') && matches!(by_name(&name, Object::default()), Ok(Tool::ToolCall(_)));
    if !is_reached {
        return Err(refuse(&name, CallWrong::Taken));
    }
    let (mut args, mut names) = (Vec::new(), BTreeSet::new());
    for Argument { name: argument, value } in arguments {
        let Some(value) = value else {
            return Err(refuse(&name, CallWrong::Missing { argument }));
        };
        let value = match value {
            Value::Text(text) => Json::Text(text),
            Value::Number(number) => number.into(),
            Value::Flag(flag) => Json::Flag(flag),
        };
        if !names.insert(argument.clone()) {
            let why = BadValue::Twice { name: argument.clone() };
            return Err(refuse(&name, CallWrong::Value { argument, why }));
        }
        args.push((argument, value));
    }
    Ok((name, Object::of_distinct(args)))
}

fn argument((name, value): (String, Json)) -> Result<Argument, CallWrong> {
    let found = value.kind();
    let value = match value {
        Json::Text(text) => Some(Value::Text(text)),
        Json::Flag(flag) => Some(Value::Flag(flag)),
        Json::Number(number) => number.as_u64().map(Value::Number),
        Json::Null | Json::List(_) | Json::Object(_) => None,
    };
    match value {
        Some(value) => Ok(Argument { name, value: Some(value) }),
        None => Err(CallWrong::Type { argument: name, expected: "text, a flag or a whole number from 0 on", found }),
    }
}
