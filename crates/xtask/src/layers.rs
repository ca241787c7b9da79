//! Manifests -> dependencies between our crates that the tables below do not allow. A new edge is an edit here, seen in
//! review.

use serde::Deserialize;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, output, unusable};

/// Compares the workspace with the tables and prints where they differ.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let mut command = tree.cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let printed = output(&mut command)?;
    let metadata: Metadata = serde_json::from_str(&printed).map_err(|error| unusable(&command, error.to_string()))?;
    let findings = compare(&HOUSE, &metadata, &tree.read_text("Cargo.toml")?);
    for finding in &findings {
        println!("layers: {finding}");
    }
    println!("layers: {} crates checked, findings: {}", metadata.packages.len(), findings.len());
    Ok(Outcome::fine_if(findings.is_empty()))
}

/// The crates in flow order, each with the crates it may know.
struct House<'a> {
    /// For what ships: `[dependencies]` and `[build-dependencies]`.
    edges: Edges<'a>,
    /// For tests and benches only, so these may run against the flow.
    dev_edges: Edges<'a>,
}

type Edges<'a> = &'a [(&'a str, &'a [&'a str])];

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

fn compare(house: &House<'_>, metadata: &Metadata, manifest: &str) -> Vec<String> {
    let mut findings = against_flow(house);
    let members = members(manifest);
    let place = |name: &str| house.edges.iter().position(|(known, _)| *known == name);
    for Package { name, .. } in &metadata.packages {
        if place(name).is_none() {
            findings.push(format!("`{name}` has no line in the table of layers"));
        }
        if !members.iter().any(|(folder, _)| folder_name(folder) == name) {
            findings.push(format!("`{name}` has no line of its own among the workspace's members"));
        }
    }
    let is_package = |name: &str| metadata.packages.iter().any(|package| package.name == name);
    for (name, _) in house.edges.iter().filter(|(name, _)| !is_package(name)) {
        findings.push(format!("`{name}` is in the table of layers but not in the workspace"));
    }
    for (folder, comment) in &members {
        if !is_package(folder_name(folder)) {
            findings.push(format!("no crate is named like its folder `{folder}`"));
        }
        if comment.is_empty() {
            findings.push(format!("the member `{folder}` has no comment that says what it is"));
        }
    }
    let known: Vec<&str> =
        members.iter().map(|(folder, _)| folder_name(folder)).filter(|n| place(n).is_some()).collect();
    for (before, after) in known.iter().zip(known.iter().skip(1)).filter(|(before, after)| place(before) > place(after))
    {
        findings.push(format!("`{after}` is listed after `{before}` but comes before it in the flow"));
    }
    findings.extend(unlike_edges("dependencies", house.edges, metadata));
    findings.extend(unlike_edges("dev-dependencies", house.dev_edges, metadata));
    findings
}

fn against_flow(house: &House<'_>) -> Vec<String> {
    let mut findings = Vec::new();
    for (place, (from, tos)) in house.edges.iter().enumerate() {
        for to in tos.iter().filter(|to| !house.edges.iter().take(place).any(|(name, _)| name == *to)) {
            findings.push(format!("`{from}` may not know `{to}`, which comes after it in the flow"));
        }
    }
    findings
}

fn unlike_edges(kind: &str, allowed: Edges<'_>, metadata: &Metadata) -> Vec<String> {
    let mut actual = Vec::new();
    for package in &metadata.packages {
        for Dependency { name, kind: found, path } in &package.dependencies {
            let is_kind = (found.as_deref() == Some("dev")) == (kind == "dev-dependencies");
            if is_kind && path.is_some() && metadata.packages.iter().any(|package| package.name == *name) {
                actual.push((package.name.as_str(), name.as_str()));
            }
        }
    }
    let allowed: Vec<(&str, &str)> =
        allowed.iter().flat_map(|(from, tos)| tos.iter().map(move |to| (*from, *to))).collect();
    let new = actual.iter().filter(|edge| !allowed.contains(edge));
    let new = new.map(|(from, to)| format!("`{from}` may not know `{to}` ({kind})"));
    let unused = allowed.iter().filter(|edge| !actual.contains(edge));
    new.chain(unused.map(|(from, to)| format!("`{from}` need not know `{to}` any more ({kind})"))).collect()
}

/// The folders of the members with their comments, in the order of the manifest, one a line. Cargo's metadata sorts
/// them, and a TOML reader would drop the comments, which are half of what is checked here.
fn members(manifest: &str) -> Vec<(&str, &str)> {
    let lines = manifest.lines().skip_while(|line| !line.starts_with("members")).skip(1).map(str::trim);
    let entries = lines.take_while(|line| *line != "]").filter_map(|line| line.strip_prefix('"')?.split_once('"'));
    entries.map(|(folder, rest)| (folder, rest.split_once('#').map_or("", |(_, comment)| comment.trim()))).collect()
}

/// Folder = crate, so the last part of the folder is the crate's name.
fn folder_name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or(folder)
}

const HOUSE: House<'static> = House {
    edges: &[
        ("table-format", &[]),
        ("enforce-core", &["table-format"]),
        ("policy-syntax", &[]),
        ("policy-model", &["policy-syntax"]),
        ("policy-import", &["enforce-core", "policy-syntax", "policy-model"]),
        ("policy-cedar", &["policy-syntax", "policy-model"]),
        ("policy-table", &["table-format", "policy-syntax", "policy-model"]),
        ("tool-proto", &["enforce-core"]),
        ("tool-json", &["enforce-core", "tool-proto"]),
        ("policy-judge", &["table-format", "policy-syntax", "policy-model", "policy-table"]),
        (
            "policyc",
            &[
                "table-format",
                "enforce-core",
                "policy-syntax",
                "policy-model",
                "policy-import",
                "policy-cedar",
                "policy-table",
                "policy-judge",
            ],
        ),
        ("exec-base", &[]),
        ("exec-files", &["enforce-core", "exec-base"]),
        ("exec-sandbox", &["enforce-core", "exec-base"]),
        ("exec-record", &["table-format", "enforce-core", "exec-base"]),
        (
            "enforce-exec",
            &["table-format", "enforce-core", "tool-proto", "exec-base", "exec-files", "exec-sandbox", "exec-record"],
        ),
        ("interdict", &["table-format", "tool-proto", "tool-json", "policy-judge", "exec-record", "enforce-exec"]),
        ("xtask", &[]),
        ("tests", &["table-format", "enforce-core", "policy-syntax", "policy-model", "policy-cedar", "policy-table"]),
        ("verify", &["table-format", "enforce-core", "tool-proto"]),
        (
            "fuzz",
            &[
                "table-format",
                "enforce-core",
                "policy-syntax",
                "policy-model",
                "policy-import",
                "policy-table",
                "tool-proto",
                "tool-json",
                "policyc",
                "tests",
                "verify",
            ],
        ),
        (
            "benches",
            &[
                "table-format",
                "enforce-core",
                "policy-syntax",
                "policy-model",
                "policy-table",
                "tool-proto",
                "exec-record",
                "enforce-exec",
                "xtask",
            ],
        ),
    ],
    // The generator of synthetic policies feeds the benches; a crate that knows itself has its feature `testing` on.
    dev_edges: &[
        ("policy-syntax", &["policy-syntax"]),
        ("policy-model", &["policy-import"]),
        ("policy-table", &["enforce-core", "xtask"]),
        ("tool-json", &["tool-proto"]),
        ("tests", &["tool-proto", "exec-record", "enforce-exec", "verify"]),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: House<'static> =
        House { edges: &[("text", &[]), ("model", &["text"]), ("tools", &[])], dev_edges: &[("model", &["tools"])] };
    const MANIFEST: &str = r#"
[workspace]
members = [
  "crates/text",  # bytes -> text
  "crates/model", # text -> model
  "crates/tools", # tree -> findings
]
"#;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
        let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
            name: (*name).to_owned(),
            kind: kind.map(String::from),
            path: Some(format!("crates/{name}")),
        };
        Package { name: name.to_owned(), dependencies: dependencies.iter().map(dependency).collect() }
    }

    /// The small house in order, with this package in place of its own.
    fn metadata(changed: Option<Package>) -> Metadata {
        let model = package("model", &[("text", None), ("tools", Some("dev"))]);
        let mut packages = vec![model, package("text", &[]), package("tools", &[])];
        packages.retain(|package| changed.as_ref().is_none_or(|changed| changed.name != package.name));
        packages.extend(changed);
        Metadata { packages }
    }

    fn found(changed: Option<Package>, manifest: &str, expected: &[&str]) {
        let findings = compare(&SMALL, &metadata(changed), manifest);
        let is_expected = findings.len() == expected.len() && findings.iter().zip(expected).all(|(a, b)| a.contains(b));
        assert!(is_expected, "{findings:?}, and not {expected:?}");
    }

    #[test]
    fn a_house_in_order_has_no_findings_and_this_house_runs_with_the_flow() {
        found(None, MANIFEST, &[]);
        assert_eq!(against_flow(&HOUSE), [""; 0]);
    }

    #[test]
    fn a_table_against_the_flow_is_refused() {
        for edges in
            [&[("text", ["model"].as_slice()), ("model", &[])], &[("model", ["text"].as_slice()), ("text", &[])]]
        {
            assert_eq!(against_flow(&House { edges, dev_edges: &[] }).len(), 1);
        }
        assert_eq!(against_flow(&House { edges: &[("text", &["text"])], dev_edges: &[] }).len(), 1);
    }

    #[test]
    fn members_and_the_table_are_the_same_crates() {
        let more = MANIFEST.replace("findings\n]", "findings\n  \"crates/extra\", # new\n]");
        found(Some(package("extra", &[])), &more, &["`extra` has no line in the table"]);
        found(None, &more, &["no crate is named like its folder `crates/extra`"]);
        let mut without = metadata(None);
        without.packages.retain(|package| package.name != "text");
        let manifest = MANIFEST.replace("  \"crates/text\",  # bytes -> text\n", "");
        assert!(compare(&SMALL, &without, &manifest)[0].contains("`text` is in the table of layers but not"));
        let moved = MANIFEST.replace("crates/tools", "crates/misc");
        found(None, &moved, &["`tools` has no line of its own", "its folder `crates/misc`"]);
        let one_line = "members = [\"crates/text\", \"crates/model\", \"crates/tools\"]\n";
        found(None, one_line, &["`model` has no line", "`text` has no line", "`tools` has no line"]);
    }

    #[test]
    fn members_are_in_flow_order_and_have_comments() {
        let swapped = "members = [\n  \"crates/model\", # b\n  \"crates/text\", # a\n  \"crates/tools\", # c\n]\n";
        found(None, swapped, &["`text` is listed after `model`"]);
        for without in ["\"crates/text\",", "\"crates/text\", #", "\"crates/text\", #  "] {
            let manifest = MANIFEST.replace("\"crates/text\",  # bytes -> text", without);
            found(None, &manifest, &["`crates/text` has no comment"]);
        }
    }

    #[test]
    fn each_kind_of_dependency_has_its_own_edges() {
        let tools = |kind| Some(package("tools", &[("text", kind)]));
        found(tools(None), MANIFEST, &["`tools` may not know `text` (dependencies)"]);
        found(tools(Some("build")), MANIFEST, &["`tools` may not know `text` (dependencies)"]);
        found(tools(Some("dev")), MANIFEST, &["`tools` may not know `text` (dev-dependencies)"]);
        let model = package("model", &[("text", None), ("tools", None)]);
        let expected = ["`model` may not know `tools` (dependencies)", "`model` need not know `tools` any more (dev-"];
        found(Some(model), MANIFEST, &expected);
        let model = package("model", &[("tools", Some("dev"))]);
        found(Some(model), MANIFEST, &["`model` need not know `text` any more (dependencies)"]);
        let mut foreign = package("tools", &[("text", None)]);
        foreign.dependencies[0].path = None;
        found(Some(foreign), MANIFEST, &[]);
    }

    #[test]
    fn metadata_is_read_as_cargo_writes_it() {
        let json = r#"{"packages":[{"name":"model","version":"0.1.0","dependencies":[
            {"name":"text","kind":null,"path":"crates/text","rename":null},
            {"name":"tools","kind":"dev","path":"crates/tools"},
            {"name":"serde","kind":null}]},
            {"name":"text","dependencies":[]},{"name":"tools","dependencies":[]}]}"#;
        let metadata: Metadata = serde_json::from_str(json).unwrap();
        assert_eq!(compare(&SMALL, &metadata, MANIFEST), [""; 0]);
    }
}
