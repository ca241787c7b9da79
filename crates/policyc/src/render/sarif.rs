//! Report -> SARIF 2.1.0, for code scanning services and editors.

use std::collections::BTreeMap;

use policy_syntax::{Code, Label, Location};
use serde_json::{Value, json};

use crate::exit::RunError;
use crate::report::{Finding, Report, plain_path};

/// Writes one log with one run; its rules are the codes that occur, sorted by id.
pub(crate) fn render(report: &Report<'_>) -> Result<String, RunError> {
    let codes: BTreeMap<&str, &Code> =
        report.findings.iter().map(|f| (f.diagnostic.code.id, f.diagnostic.code)).collect();
    let indices: BTreeMap<&str, usize> = codes.keys().enumerate().map(|(index, id)| (*id, index)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "policyc",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.values().map(|code| rule(code)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(|f| result(f, &indices)).collect::<Vec<_>>(),
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).map_err(|error| RunError::Format(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.id,
        "shortDescription": { "text": code.title },
        "fullDescription": { "text": code.explanation },
        "help": {
            "text": format!("{}\n\nWrong:\n\n{}\n\nRight:\n\n{}", code.explanation, code.wrong, code.right),
            "markdown": format!(
                "{}\n\n**Wrong**\n\n```\n{}\n```\n\n**Right**\n\n```\n{}\n```",
                code.explanation, code.wrong, code.right
            ),
        },
        "defaultConfiguration": { "level": code.severity.as_str() },
    })
}

fn result(finding: &Finding<'_>, indices: &BTreeMap<&str, usize>) -> Value {
    let diagnostic = finding.diagnostic;
    let mut message = diagnostic.message.clone();
    if let Some(help) = &diagnostic.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let mut result = json!({
        "ruleId": diagnostic.code.id,
        "ruleIndex": indices.get(diagnostic.code.id),
        "level": diagnostic.code.severity.as_str(),
        "message": { "text": message },
        "locations": [{ "physicalLocation": place(finding, diagnostic.primary.at) }],
    });
    if !diagnostic.secondary.is_empty() {
        let related: Vec<_> = diagnostic.secondary.iter().enumerate().map(|label| related(finding, label)).collect();
        result.as_object_mut().map(|object| object.insert("relatedLocations".to_owned(), related.into()));
    }
    result
}

fn related(finding: &Finding<'_>, (index, label): (usize, &Label)) -> Value {
    let place = place(finding, label.at);
    match label.text.is_empty() {
        true => json!({ "id": index, "physicalLocation": place }),
        false => json!({ "id": index, "physicalLocation": place, "message": { "text": label.text } }),
    }
}

fn place(finding: &Finding<'_>, at: Location) -> Value {
    let source = finding.source(at);
    let artifact = json!({ "uri": uri(source.map_or("", |source| source.name())) });
    // A file that could not be read has no lines to point at.
    if source.is_none_or(|source| source.text().is_empty()) {
        return json!({ "artifactLocation": artifact });
    }
    let region = finding.region_of(at);
    json!({ "artifactLocation": artifact, "region": {
        "startLine": region.start.line,
        "startColumn": region.start.column,
        "endLine": region.end.line,
        "endColumn": region.end.column,
    } })
}

/// Converts a relative path to a relative reference and an absolute one to a `file:` URI. All but unreserved
/// characters are encoded, so that `a:b` is not read as a scheme nor `50%` as an escape.
fn uri(path: &str) -> String {
    let path = plain_path(path);
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_encoded_and_relative_where_the_path_is() {
        let uris: Vec<_> =
            ["./policies/a b.policy", "50%.policy", "a:b/ü.policy", "../x", "/tmp/x"].into_iter().map(uri).collect();
        assert_eq!(uris, ["policies/a%20b.policy", "50%25.policy", "a%3Ab/%C3%BC.policy", "../x", "file:///tmp/x"]);
    }
}
