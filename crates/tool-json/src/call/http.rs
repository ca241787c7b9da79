//! The tool that speaks HTTP.

use std::collections::BTreeMap;

use tool_proto::tool_request::Tool;

use super::arguments::{arguments, bad, text};
use super::error::{BadValue, CallWrong};
use crate::json::{Object, read};

arguments! {
    Curl {
        method: String, url: String;
        headers: BTreeMap<String, String>, body: Option<String>, timeout_ms: u64, max_bytes: u64, max_redirects: u64
    }
}

pub(super) fn request(args: Object) -> Result<Tool, CallWrong> {
    let Curl { method, url, headers, body, timeout_ms, max_bytes, max_redirects } = read(args)?;
    let headers = lines(headers)?;
    let body = body.unwrap_or_default().into_bytes();
    Ok(Tool::HttpRequest(tool_proto::HttpRequest { method, url, headers, body, timeout_ms, max_bytes, max_redirects }))
}

pub(super) fn requested(request: tool_proto::HttpRequest) -> Result<Object, CallWrong> {
    let tool_proto::HttpRequest { method, url, headers, body, timeout_ms, max_bytes, max_redirects } = request;
    let body = Some(text("body", body)?).filter(|body| !body.is_empty());
    let mut map = BTreeMap::new();
    for entry in headers {
        let Some((name, value)) = entry.split_once(": ") else {
            return Err(bad("headers", BadValue::NoHeader { entry }));
        };
        if map.insert(name.to_owned(), value.to_owned()).is_some() {
            return Err(bad("headers", BadValue::Twice { name: name.to_owned() }));
        }
    }
    // What could not have been said is not shown as if it had been.
    lines(map.clone())?;
    Ok(Curl { method, url, headers: map, body, timeout_ms, max_bytes, max_redirects }.object())
}

/// `Name: value` entries in the order of the names, so that one object is one list. Nothing in them starts another line,
/// and no name is there in two spellings.
fn lines(headers: BTreeMap<String, String>) -> Result<Vec<String>, CallWrong> {
    let mut folded = BTreeMap::new();
    let mut lines = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(bad("headers", BadValue::HeaderName { name }));
        }
        if value.contains(['\r', '\n', '\0']) {
            return Err(bad("headers", BadValue::HeaderValue { name }));
        }
        lines.push(format!("{name}: {value}"));
        if folded.insert(name.to_ascii_lowercase(), ()).is_some() {
            return Err(bad("headers", BadValue::Twice { name }));
        }
    }
    Ok(lines)
}

/// Of which names are made: neither a colon, nor a blank, nor a control.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
