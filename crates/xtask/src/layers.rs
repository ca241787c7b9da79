//! Manifests, ARCHITECTURE -> dependencies between our crates that the table below does not allow. A new edge is an edit of
//! the table, seen in review.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, output, unusable};

/// Compares the workspace and ARCHITECTURE with the table and prints where they differ.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let mut command = tree.cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let printed = output(&mut command)?;
    let metadata: Metadata = serde_json::from_str(&printed).map_err(|error| unusable(&command, error.to_string()))?;
    let (manifest, architecture) = (tree.read_text("Cargo.toml")?, tree.read_text("docs/ARCHITECTURE.md")?);
    let mut findings = compare(&TABLE, &metadata, &manifest);
    findings.extend(compare_sentences(&TABLE, &architecture));
    for finding in &findings {
        println!("layers: {finding}");
    }
    println!("layers: {} crates checked, findings: {}", metadata.packages.len(), findings.len());
    Ok(Outcome::fine_if(findings.is_empty()))
}

/// The crates in flow order, each with the crates it may know.
struct Table<'a> {
    /// `[dependencies]` and `[build-dependencies]`: what ships.
    edges: Edges<'a>,
    /// `[dev-dependencies]`, which may run against the flow.
    dev_edges: Edges<'a>,
}

type Edges<'a> = &'a [(&'a str, &'a str)];

#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `null` for normal, `build` or `dev`.
    kind: Option<String>,
    /// Only dependencies inside the tree have one.
    path: Option<String>,
}

fn compare(table: &Table<'_>, metadata: &Metadata, manifest: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let names: Vec<&str> = table.edges.iter().map(|(name, _)| *name).collect();
    for (place, (from, known)) in table.edges.iter().enumerate() {
        let is_before = |to: &str| names.iter().take(place).any(|name| *name == to);
        for to in known.split_whitespace().filter(|to| !is_before(to)) {
            findings.push(format!("`{from}` may not know `{to}`, which comes after it in the flow"));
        }
    }
    // Cargo's metadata sorts the members, and a TOML reader would drop their comments.
    let members = members(manifest);
    if members.iter().map(|(name, _)| *name).ne(names.iter().copied()) {
        findings.push(format!("the members of Cargo.toml, one a line, are not these in this order: {names:?}"));
    }
    for (name, _) in members.iter().filter(|(_, comment)| comment.is_empty()) {
        findings.push(format!("the member `{name}` has no comment that says what it is"));
    }
    let packages: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    if packages != names.iter().copied().collect() {
        findings.push(format!("the crates of the workspace are {packages:?}, and the table has {names:?}"));
    }
    for (kind, allowed) in [("dependencies", table.edges), ("dev-dependencies", table.dev_edges)] {
        let allowed: BTreeSet<(&str, &str)> =
            allowed.iter().flat_map(|(from, to)| to.split_whitespace().map(move |to| (*from, to))).collect();
        let found = edges_of(metadata, kind == "dev-dependencies");
        findings.extend(found.difference(&allowed).map(|(from, to)| format!("`{from}` may not know `{to}` ({kind})")));
        findings.extend(allowed.difference(&found).map(|(from, to)| format!("`{from}` does not use `{to}` ({kind})")));
    }
    findings
}

fn edges_of(metadata: &Metadata, is_dev: bool) -> BTreeSet<(&str, &str)> {
    let mut edges = BTreeSet::new();
    for Package { name: from, dependencies } in &metadata.packages {
        for Dependency { name, kind, path } in dependencies {
            if path.is_some() && (kind.as_deref() == Some("dev")) == is_dev {
                edges.insert((from.as_str(), name.as_str()));
            }
        }
    }
    edges
}

/// Returns the crates among the members with their comments. The name of a crate is the name of its folder.
fn members(manifest: &str) -> Vec<(&str, &str)> {
    let lines = manifest.lines().skip_while(|line| !line.starts_with("members")).skip(1).map(str::trim);
    let entries = lines.take_while(|line| *line != "]").filter_map(|line| line.strip_prefix('"')?.split_once('"'));
    entries
        .map(|(folder, rest)| {
            let comment = rest.split_once('#').map_or("", |(_, comment)| comment.trim());
            (folder.rsplit('/').next().unwrap_or(folder), comment)
        })
        .collect()
}

/// Every crate has a section with one sentence `It must not know …`. The crates that it names are out of reach of the table,
/// directly and through others.
fn compare_sentences(table: &Table<'_>, architecture: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (name, _) in table.edges {
        let section = architecture.split("\n### ").find(|section| section.starts_with(&format!("`{name}`: ")));
        let text = section.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        let sentences: Vec<&str> = text.split(". ").filter(|sentence| sentence.contains(MUST_NOT)).collect();
        let [sentence] = sentences[..] else {
            findings.push(format!("ARCHITECTURE says {} times what `{name}` must not know", sentences.len()));
            continue;
        };
        let known = reachable(table, name);
        for other in sentence.split('`').skip(1).step_by(2) {
            if !table.edges.iter().any(|(known, _)| *known == other) {
                findings.push(format!("ARCHITECTURE: `{name}` must not know `{other}`, which is no crate"));
            } else if known.contains(other) {
                findings.push(format!("ARCHITECTURE: `{name}` must not know `{other}`, and the table lets it"));
            }
        }
    }
    findings
}

fn reachable<'a>(table: &Table<'a>, name: &str) -> BTreeSet<&'a str> {
    let direct = table.edges.iter().find(|(from, _)| *from == name).map_or("", |(_, to)| *to);
    direct.split_whitespace().flat_map(|to| reachable(table, to).into_iter().chain([to])).collect()
}

const MUST_NOT: &str = "It must not know ";

const TABLE: Table<'static> = Table {
    edges: &[
        ("table-format", ""),
        ("enforce-core", "table-format"),
        ("policy-syntax", ""),
        ("policy-model", "enforce-core policy-syntax"),
        ("policy-cedar", "policy-syntax policy-model"),
        ("policy-table", "table-format policy-syntax policy-model"),
        ("tool-proto", "enforce-core"),
        ("tool-json", "enforce-core tool-proto"),
        ("policy-judge", "table-format enforce-core policy-syntax policy-model policy-table tool-proto"),
        ("policy-import", "enforce-core policy-syntax policy-model policy-judge"),
        (
            "policyc",
            "table-format enforce-core policy-syntax policy-model policy-import policy-cedar policy-table tool-proto policy-judge",
        ),
        ("exec-base", ""),
        ("exec-files", "enforce-core exec-base"),
        ("exec-sandbox", "enforce-core exec-base"),
        ("exec-record", "table-format enforce-core exec-base"),
        ("enforce-exec", "table-format enforce-core tool-proto exec-base exec-files exec-sandbox exec-record"),
        ("interdict", "table-format tool-proto tool-json policy-judge exec-record enforce-exec"),
        ("xtask", ""),
        ("tests", "table-format enforce-core policy-syntax policy-model policy-cedar policy-table"),
        ("verify", "table-format enforce-core tool-proto"),
        (
            "fuzz",
            "table-format enforce-core policy-syntax policy-model policy-import policy-table tool-proto tool-json policyc \
             tests verify",
        ),
        (
            "benches",
            "table-format enforce-core policy-syntax policy-model policy-table tool-proto exec-record enforce-exec xtask",
        ),
    ],
    // The generator of large policies feeds the benches; a crate that knows itself has its feature `testing` on.
    dev_edges: &[
        ("policy-syntax", "policy-syntax"),
        ("policy-cedar", "policy-cedar"),
        ("policy-table", "enforce-core xtask"),
        ("tool-json", "tool-proto"),
        ("policy-judge", "policy-import"),
        ("tests", "tool-proto tool-json policyc exec-record enforce-exec verify"),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Table<'static> =
        Table { edges: &[("text", ""), ("model", "text"), ("tools", "model")], dev_edges: &[("text", "tools")] };
    const MANIFEST: &str = r#"
members = [
  "crates/text",  # bytes -> text
  "crates/model", # text -> model
  "tools", # tree -> findings
]
"#;
    const METADATA: &str = r#"{"packages":[
        {"name":"model","version":"0.1.0","dependencies":[
            {"name":"text","kind":null,"path":"crates/text"}, {"name":"serde","kind":null}]},
        {"name":"text","dependencies":[{"name":"tools","kind":"dev","path":"tools"}]},
        {"name":"tools","dependencies":[{"name":"model","kind":"build","path":"crates/model"}]}]}"#;

    fn found(table: &Table<'_>, metadata: &str, manifest: &str) -> Vec<String> {
        compare(table, &serde_json::from_str(metadata).unwrap(), manifest)
    }

    fn assert_found(findings: &[String], expected: &[&str]) {
        let is_expected = findings.len() == expected.len() && findings.iter().zip(expected).all(|(a, b)| a.contains(b));
        assert!(is_expected, "{findings:?}, and not {expected:?}");
    }

    #[test]
    fn a_house_in_order_has_no_findings() {
        assert_found(&found(&SMALL, METADATA, MANIFEST), &[]);
    }

    #[test]
    fn members_are_those_of_the_table_in_its_order_with_comments() {
        for wrong in [
            MANIFEST.replace("\"tools\"", "\"other\""),
            MANIFEST.replace("  \"tools\", # tree -> findings\n", ""),
            "members = [\"crates/text\", \"crates/model\", \"tools\"]\n".to_owned(),
        ] {
            assert_found(&found(&SMALL, METADATA, &wrong), &["not these in this order"]);
        }
        let silent = MANIFEST.replace("# bytes -> text", "");
        assert_found(&found(&SMALL, METADATA, &silent), &["`text` has no comment"]);
        assert_found(
            &found(&SMALL, &METADATA.replace("\"name\":\"tools\",\"d", "\"name\":\"t\",\"d"), MANIFEST),
            &["the crates of the workspace are", "`t` may not know `model` (dep", "`tools` does not use `model` (dep"],
        );
    }

    #[test]
    fn each_kind_of_edge_is_allowed_apart_and_used() {
        let dev = METADATA.replace(r#""kind":null,"path""#, r#""kind":"dev","path""#);
        let expected = ["`model` does not use `text` (dep", "`model` may not know `text` (dev-dep"];
        assert_found(&found(&SMALL, &dev, MANIFEST), &expected);
        let against = Table { edges: &[("text", ""), ("model", "text tools"), ("tools", "model")], ..SMALL };
        let expected = ["`model` may not know `tools`, which comes after", "`model` does not use `tools`"];
        assert_found(&found(&against, METADATA, MANIFEST), &expected);
    }

    #[test]
    fn a_sentence_names_crates_that_are_out_of_reach() {
        let architecture = "# A\n\n### `text`: a\n\nIt must not know `model`.\n\n### `model`: b\n\nX. It must not know \
                            a file. Y.\n\n### `tools`: c\n\nIt must not know a\n`clock`.\n";
        assert_found(&compare_sentences(&SMALL, &architecture.replace("`clock`", "clock")), &[]);
        assert_found(&compare_sentences(&SMALL, architecture), &["`clock`, which is no crate"]);
        let through = architecture.replace("`clock`", "`text`");
        assert_found(&compare_sentences(&SMALL, &through), &["`tools` must not know `text`, and the table lets it"]);
        assert_found(&compare_sentences(&SMALL, ""), &["0 times", "0 times", "0 times"]);
    }
}
