//! Text -> what a reader of the core says of it, in the words of the corpus.

use std::net::IpAddr;

use enforce_core::Verdict;
use enforce_core::net::is_private_ip;
use enforce_core::path::{Contained, Root};
use enforce_core::shell::{Command, Line, ShellError};
use serde_json::{Value, json};

use crate::gate::Gate;

/// What the corpus allows of the network.
pub(crate) const TRUSTED: &str = r#"host in "trusted.com", "*.trusted.com" and scheme == "https" and port == 443"#;

/// By its text alone, with the root as the working directory.
pub(crate) fn path(path: &[u8]) -> Value {
    match Contained::new(Root::new(b"/workspace").unwrap(), b"", path) {
        Ok(_) => json!("contained"),
        Err(_) => json!("refused"),
    }
}

/// The words of each command.
pub(crate) fn line(line: &[u8]) -> Value {
    let words = |command: Command<'_>| -> Vec<String> {
        command.words().map(|word| String::from_utf8(word.bytes().collect()).unwrap()).collect()
    };
    match Line::new(line) {
        Ok(line) => json!(line.commands().map(words).collect::<Vec<_>>()),
        Err(ShellError::Complex { .. }) => json!("complex"),
        Err(ShellError::Invalid { .. }) => json!("invalid"),
    }
}

pub(crate) fn address(address: &str) -> Value {
    let is_private = is_private_ip(address.parse::<IpAddr>().unwrap());
    json!(if is_private { "private" } else { "public" })
}

pub(crate) fn url(gate: &Gate, url: &[u8]) -> Value {
    match gate.judge(url) {
        Verdict::Allow => json!("allow"),
        Verdict::Ask | Verdict::Deny => json!("deny"),
    }
}
