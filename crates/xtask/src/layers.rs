//! Manifests -> whether the crates know only what they may know. The allowed edges are this file's
//! tables; a new edge is an edit here, seen in review.

use std::fmt;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, output, unusable};

/// Compares the workspace with the tables and prints where they differ.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let mut command = tree.cargo(&["metadata", "--format-version", "1", "--no-deps", "--locked"]);
    let printed = output(&mut command)?;
    let metadata: Metadata = serde_json::from_str(&printed).map_err(|error| unusable(&command, error.to_string()))?;
    let errors = compare(&HOUSE, &metadata, &tree.read_text("Cargo.toml")?);
    for error in &errors {
        println!("layers: {error}");
    }
    println!("layers: {} crates checked, findings: {}", metadata.packages.len(), errors.len());
    Ok(if errors.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// The crates in flow order, each with the crates it may know.
struct House<'a> {
    /// For what ships: `[dependencies]` and `[build-dependencies]`.
    edges: &'a [(&'a str, &'a [&'a str])],
    /// For tests and benches only, so these may run against the flow.
    dev_edges: &'a [(&'a str, &'a [&'a str])],
}

/// A difference between the tables and the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LayerError {
    /// An edge of the table points down the flow.
    AgainstFlow { from: String, to: String },
    /// A member without a line in the table.
    UnknownMember { name: String },
    /// A line of the table without a member.
    MissingMember { name: String },
    /// A crate that is a member without being listed, as cargo allows.
    NotListed { name: String },
    /// A folder that is not named like a crate of the workspace.
    FolderIsNoCrate { folder: String },
    /// A member listed before one that comes earlier in the flow.
    OutOfFlow { name: String, after: String },
    /// A member's line that does not say what the crate is.
    NoComment { folder: String },
    /// A dependency the table does not have.
    NewEdge { kind: Kind, from: String, to: String },
    /// An edge of the table that no manifest has.
    UnusedEdge { kind: Kind, from: String, to: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Shipped,
    Dev,
}

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

fn compare(house: &House<'_>, metadata: &Metadata, manifest: &str) -> Vec<LayerError> {
    let members = members(manifest);
    let mut errors = against_flow(house);
    errors.extend(unlike_members(house, metadata, &members));
    errors.extend(out_of_flow(house, &members));
    let uncommented = members.iter().filter(|member| !member.commented);
    errors.extend(uncommented.map(|member| LayerError::NoComment { folder: member.folder.to_owned() }));
    errors.extend(unlike_edges(Kind::Shipped, house.edges, metadata));
    errors.extend(unlike_edges(Kind::Dev, house.dev_edges, metadata));
    errors
}

fn against_flow(house: &House<'_>) -> Vec<LayerError> {
    let above = |from: usize, to: &str| house.edges.iter().take(from).any(|(name, _)| *name == to);
    let mut errors = Vec::new();
    for (place, (from, tos)) in house.edges.iter().enumerate() {
        for to in tos.iter().filter(|to| !above(place, to)) {
            errors.push(LayerError::AgainstFlow { from: (*from).to_owned(), to: (*to).to_owned() });
        }
    }
    errors
}

fn unlike_members(house: &House<'_>, metadata: &Metadata, members: &[Member<'_>]) -> Vec<LayerError> {
    let mut errors = Vec::new();
    for package in metadata.packages.iter().filter(|package| place(house, &package.name).is_none()) {
        errors.push(LayerError::UnknownMember { name: package.name.clone() });
    }
    for (name, _) in house.edges {
        if !metadata.packages.iter().any(|package| package.name == *name) {
            errors.push(LayerError::MissingMember { name: (*name).to_owned() });
        }
    }
    for package in &metadata.packages {
        if !members.iter().any(|member| member.name() == package.name) {
            errors.push(LayerError::NotListed { name: package.name.clone() });
        }
    }
    for member in members {
        if !metadata.packages.iter().any(|package| package.name == member.name()) {
            errors.push(LayerError::FolderIsNoCrate { folder: member.folder.to_owned() });
        }
    }
    errors
}

fn out_of_flow(house: &House<'_>, members: &[Member<'_>]) -> Vec<LayerError> {
    let known: Vec<(usize, &str)> =
        members.iter().filter_map(|member| Some((place(house, member.name())?, member.name()))).collect();
    let pairs = known.iter().zip(known.iter().skip(1));
    pairs
        .filter(|((before, _), (after, _))| before > after)
        .map(|((_, after), (_, name))| LayerError::OutOfFlow { name: (*name).to_owned(), after: (*after).to_owned() })
        .collect()
}

fn unlike_edges(kind: Kind, allowed: &[(&str, &[&str])], metadata: &Metadata) -> Vec<LayerError> {
    let may = |from: &str, to: &str| allowed.iter().any(|(name, tos)| *name == from && tos.contains(&to));
    let actual = edges(kind, metadata);
    let mut errors = Vec::new();
    for (from, to) in actual.iter().filter(|(from, to)| !may(from, to)) {
        errors.push(LayerError::NewEdge { kind, from: (*from).to_owned(), to: (*to).to_owned() });
    }
    for (from, tos) in allowed {
        for to in tos.iter().filter(|to| !actual.contains(&(*from, **to))) {
            errors.push(LayerError::UnusedEdge { kind, from: (*from).to_owned(), to: (*to).to_owned() });
        }
    }
    errors
}

/// Edges between crates of the workspace, in the order cargo lists them.
fn edges(kind: Kind, metadata: &Metadata) -> Vec<(&str, &str)> {
    let is_ours = |dependency: &&Dependency| {
        dependency.path.is_some() && metadata.packages.iter().any(|package| package.name == dependency.name)
    };
    let has_kind = |dependency: &&Dependency| (dependency.kind.as_deref() == Some("dev")) == (kind == Kind::Dev);
    let mut edges = Vec::new();
    for package in &metadata.packages {
        for dependency in package.dependencies.iter().filter(is_ours).filter(has_kind) {
            edges.push((package.name.as_str(), dependency.name.as_str()));
        }
    }
    edges
}

fn place(house: &House<'_>, name: &str) -> Option<usize> {
    house.edges.iter().position(|(known, _)| *known == name)
}

/// A line of the manifest's `members`.
#[derive(Debug, PartialEq, Eq)]
struct Member<'a> {
    folder: &'a str,
    commented: bool,
}

impl Member<'_> {
    /// Folder = crate, so the last part of the folder is the crate's name.
    fn name(&self) -> &str {
        Path::new(self.folder).file_name().and_then(|name| name.to_str()).unwrap_or(self.folder)
    }
}

/// The members in the order of the manifest, one a line. Cargo's metadata sorts them, and a TOML reader
/// would drop the comments, which are half of what is checked here.
fn members(manifest: &str) -> Vec<Member<'_>> {
    let lines = manifest.lines().skip_while(|line| !line.starts_with("members")).skip(1);
    let entries = lines.take_while(|line| line.trim_start() != "]").filter(|line| line.trim_start().starts_with('"'));
    entries
        .filter_map(|line| {
            let (folder, rest) = line.trim_start().strip_prefix('"')?.split_once('"')?;
            let comment = rest.split_once('#').map_or("", |(_, comment)| comment.trim());
            Some(Member { folder, commented: !comment.is_empty() })
        })
        .collect()
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AgainstFlow { from, to } => {
                write!(f, "`{from}` may not know `{to}`, which comes after it in the flow")
            }
            Self::UnknownMember { name } => write!(f, "`{name}` has no line in the table of layers"),
            Self::MissingMember { name } => write!(f, "`{name}` is in the table of layers but not in the workspace"),
            Self::NotListed { name } => write!(f, "`{name}` has no line of its own among the workspace's members"),
            Self::FolderIsNoCrate { folder } => write!(f, "no crate is named like its folder `{folder}`"),
            Self::OutOfFlow { name, after } => {
                write!(f, "`{name}` is listed after `{after}` but comes before it in the flow")
            }
            Self::NoComment { folder } => write!(f, "the member `{folder}` has no comment that says what it is"),
            Self::NewEdge { kind, from, to } => write!(f, "`{from}` may not know `{to}` ({kind})"),
            Self::UnusedEdge { kind, from, to } => write!(f, "`{from}` need not know `{to}` any more ({kind})"),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shipped => "dependencies",
            Self::Dev => "dev-dependencies",
        })
    }
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
        ("enforce-exec", &["table-format", "enforce-core", "tool-proto", "exec-base", "exec-files", "exec-sandbox"]),
        ("interdict", &["table-format", "tool-proto", "tool-json", "policy-judge", "enforce-exec"]),
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
                "policy-cedar",
                "policy-table",
                "tool-proto",
                "enforce-exec",
                "xtask",
            ],
        ),
    ],
    // The generator of synthetic policies feeds the benches; a crate that knows itself has its feature `testing` on.
    dev_edges: &[
        ("policy-syntax", &["policy-syntax"]),
        ("policy-model", &["policy-import", "xtask"]),
        ("policy-table", &["enforce-core", "xtask"]),
        ("tool-json", &["tool-proto"]),
        ("tests", &["tool-proto", "enforce-exec", "verify"]),
    ],
};

#[cfg(test)]
mod tests;
