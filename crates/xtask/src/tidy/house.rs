//! The rules over the whole tree: what must be there, what may not be, what each crate inherits.

use super::File;
use super::finding::{Fault, Finding};

/// Everything wrong with the tree as a whole.
pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(missing(files));
    findings.extend(pinned_toolchains(files));
    findings.extend(too_large(files));
    findings.extend(not_inherited(files));
    findings.extend(crates_not_in_architecture(files));
    findings.extend(commands_not_shown(files));
    findings
}

fn missing(files: &[File]) -> Vec<Finding> {
    let is_missing = |path: &&&str| find(files, path).is_none();
    REQUIRED.iter().filter(is_missing).map(|path| Finding::new(path, 1, Fault::Missing)).collect()
}

fn pinned_toolchains(files: &[File]) -> Vec<Finding> {
    let name = |path: &str| path.rsplit('/').next().map(String::from).unwrap_or_default();
    let is_pin = |file: &&File| TOOLCHAIN_PINS.contains(&name(&file.path).as_str());
    files.iter().filter(is_pin).map(|file| Finding::new(&file.path, 1, Fault::PinnedToolchain)).collect()
}

fn too_large(files: &[File]) -> Vec<Finding> {
    let is_large = |file: &&File| file.bytes.len() > FILE_BYTES_MAX && !LARGE.contains(&file.path.as_str());
    let fault = |file: &File| Fault::TooLarge { bytes: file.bytes.len() };
    files.iter().filter(is_large).map(|file| Finding::new(&file.path, 1, fault(file))).collect()
}

fn not_inherited(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    // A crate that is a root of its own has nobody to inherit from.
    for (path, manifest) in crates(files).filter(|(_, manifest)| !manifest.lines().any(|line| line == "[workspace]")) {
        let is_older =
            |line: &str| line == VERSION && OLDER.contains(&path) && has_line(manifest, PACKAGE, OLDER_VERSION);
        let calls_system = |section: &str| section == LINTS && path == UNSAFE && has_own_lints(files, manifest);
        let has =
            |section: &str, line: &str| has_line(manifest, section, line) || is_older(line) || calls_system(section);
        for (section, line) in INHERITED.iter().filter(|(section, line)| !has(section, line)) {
            let fault = Fault::NotInherited(if *section == LINTS { LINTS_INHERITED } else { line });
            findings.push(Finding::new(path, 1, fault));
        }
    }
    findings
}

/// Whether a manifest denies unsafe code instead of forbidding it, and has every other lint of the workspace.
fn has_own_lints(files: &[File], manifest: &str) -> bool {
    let mut section = String::new();
    let is_kept = |line: &str| {
        if line.starts_with('[') {
            line.clone_into(&mut section);
        }
        let is_lint = !line.is_empty() && !line.starts_with(['[', '#']) && !line.starts_with("unsafe_code");
        let own = section.strip_prefix("[workspace.").map(|own| format!("[{own}"));
        match own.filter(|own| is_lint && own.starts_with("[lints.")) {
            Some(own) => has_line(manifest, &own, line),
            None => true,
        }
    };
    has_line(manifest, "[lints.rust]", UNSAFE_DENIED) && text(files, "Cargo.toml").lines().map(str::trim).all(is_kept)
}

fn crates_not_in_architecture(files: &[File]) -> Vec<Finding> {
    let architecture = text(files, ARCHITECTURE);
    crates(files)
        .filter_map(|(_, manifest)| name(manifest))
        .map(|name| format!("`{name}`"))
        .filter(|name| !architecture.contains(name))
        .map(|name| Finding::new(ARCHITECTURE, 1, Fault::NotMentioned(name.trim_matches('`').to_owned())))
        .collect()
}

fn commands_not_shown(files: &[File]) -> Vec<Finding> {
    COMMANDS
        .iter()
        .filter(|(path, command)| !text(files, path).lines().any(|line| line.trim() == *command))
        .map(|(path, command)| Finding::new(path, 1, Fault::NotMentioned((*command).to_owned())))
        .collect()
}

/// The manifests of crates, with their paths.
fn crates(files: &[File]) -> impl Iterator<Item = (&str, &str)> {
    let manifests = files.iter().filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"));
    let texts = manifests.filter_map(|file| Some((file.path.as_str(), file.text()?)));
    texts.filter(|(_, manifest)| manifest.lines().any(|line| line == "[package]"))
}

/// The name a manifest gives its crate.
fn name(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find(|line| line.starts_with("name = "))?;
    line.split('"').nth(1)
}

/// Whether a section of a manifest has the line. Crates here are written alike, so lines are enough.
fn has_line(manifest: &str, section: &str, wanted: &str) -> bool {
    let mut current = "";
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            current = line;
        } else if current == section && line == wanted {
            return true;
        }
    }
    false
}

fn find<'a>(files: &'a [File], path: &str) -> Option<&'a File> {
    files.iter().find(|file| file.path == path)
}

/// The text of a file; that it is not there is another rule's finding.
fn text<'a>(files: &'a [File], path: &str) -> &'a str {
    find(files, path).and_then(File::text).unwrap_or_default()
}

const ARCHITECTURE: &str = "docs/ARCHITECTURE.md";

const REQUIRED: &[&str] = &[
    ".ci/run",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    ARCHITECTURE,
    "grammar/policy.pest",
];

const TOOLCHAIN_PINS: &[&str] = &["rust-toolchain", "rust-toolchain.toml"];

const FILE_BYTES_MAX: usize = 512 << 10;
/// Files that may be larger, each with its reason.
const LARGE: &[&str] = &[];

const LINTS: &str = "[lints]";
const LINTS_INHERITED: &str = "lints.workspace = true";
/// What a manifest must have, as (section, line).
const INHERITED: &[(&str, &str)] =
    &[(PACKAGE, VERSION), (PACKAGE, "license.workspace = true"), (LINTS, "workspace = true")];
/// The one crate that calls the system by itself, in files that say why, and what it says of lints.
const UNSAFE: &str = "crates/exec-sandbox/Cargo.toml";
const UNSAFE_DENIED: &str = "unsafe_code = \"deny\"";
const PACKAGE: &str = "[package]";
const VERSION: &str = "rust-version.workspace = true";
/// Crates that a model checker builds too, which brings along an older compiler, and what they say instead.
const OLDER: &[&str] = &["crates/table-format/Cargo.toml", "crates/enforce-core/Cargo.toml", "verify/Cargo.toml"];
const OLDER_VERSION: &str = "rust-version = \"1.91\"";

/// Lines that stand on their own in a file: what a newcomer types, and what CI runs, is the same.
const COMMANDS: &[(&str, &str)] = &[
    ("README.md", "cargo run -q --release -p policyc -- check policies/examples/coding-agent.policy"),
    ("README.md", "cargo xtask test"),
    (".ci/run", "cargo xtask test"),
];

#[cfg(test)]
mod tests;
