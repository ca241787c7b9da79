//! Cargo -> every test that a test run would run. The test binaries list their own tests, so no source is read
//! and no test that is compiled out counts.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::ci;
use crate::error::TaskError;
use crate::tree::{Tree, output};

/// A test: the crate, the target where it is not the library, and the path inside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Test {
    pub(super) crate_name: String,
    pub(super) target: Option<String>,
    pub(super) path: String,
}

/// Every test of the workspace, sorted.
///
pub(super) fn tests(tree: &Tree) -> Result<Vec<Test>, TaskError> {
    let mut tests = Vec::new();
    for binary in built(tree)? {
        let list = |arguments: &[&str]| output(Command::new(&binary.executable).args(LIST).args(arguments));
        let (all, ignored) = (list(&[])?, list(&["--ignored"])?);
        tests.extend(paths(&all, &ignored).into_iter().map(|path| binary.test(path)));
    }
    tests.sort_unstable();
    Ok(tests)
}

/// Every program with tests. The arguments are those of the test run, so that nothing is built twice.
pub(crate) fn built(tree: &Tree) -> Result<Vec<Binary>, TaskError> {
    let mut command = tree.cargo(ci::TEST);
    command.args(["--no-run", "--message-format=json-render-diagnostics"]);
    Ok(binaries(&output(&mut command)?))
}

/// A program that holds tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Binary {
    pub(crate) crate_name: String,
    /// Where it is not the library.
    pub(crate) target: Option<String>,
    pub(crate) executable: String,
}

impl Binary {
    fn test(&self, path: &str) -> Test {
        Test { crate_name: self.crate_name.clone(), target: self.target.clone(), path: path.to_owned() }
    }
}

/// One of cargo's messages, of which only those about executables are of interest.
#[derive(Debug, Deserialize)]
struct Artifact {
    manifest_path: String,
    target: Target,
    profile: Profile,
    executable: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

/// The programs with tests among what cargo says it has built.
pub(crate) fn binaries(printed: &str) -> Vec<Binary> {
    let artifacts = printed.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    artifacts
        .filter(|artifact| artifact.profile.test)
        .filter_map(|artifact| {
            // Folder = crate, which `layers` holds.
            let folder = Path::new(&artifact.manifest_path).parent()?.file_name()?.to_str()?;
            let is_library = artifact.target.kind.iter().any(|kind| kind == "lib");
            let target = (!is_library).then_some(artifact.target.name);
            Some(Binary { crate_name: folder.to_owned(), target, executable: artifact.executable? })
        })
        .collect()
}

/// The tests of a list, without those that are not run: they prove nothing.
pub(crate) fn paths<'a>(all: &'a str, ignored: &'a str) -> BTreeSet<&'a str> {
    let tests = |list: &'a str| list.lines().filter_map(|line| line.strip_suffix(": test"));
    let ignored: BTreeSet<&str> = tests(ignored).collect();
    tests(all).filter(|path| !ignored.contains(path)).collect()
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Some(target) => write!(f, "{}::{target}::{}", self.crate_name, self.path),
            None => write!(f, "{}::{}", self.crate_name, self.path),
        }
    }
}

/// What such a program is asked for its tests with.
pub(crate) const LIST: &[&str] = &["--list", "--format", "terse"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_with_tests_are_read_as_cargo_writes_them() {
        let printed = r#"{"reason":"compiler-artifact","manifest_path":"x/crates/model/Cargo.toml","target":{"kind":["lib"],"name":"model"},"profile":{"test":true},"executable":"x/model-1"}
{"reason":"compiler-artifact","manifest_path":"x/crates/model/Cargo.toml","target":{"kind":["test"],"name":"rows"},"profile":{"test":true},"executable":"x/rows-2"}
{"reason":"compiler-artifact","manifest_path":"x/crates/model/Cargo.toml","target":{"kind":["lib"],"name":"model"},"profile":{"test":false},"executable":null}
{"reason":"compiler-artifact","manifest_path":"x/crates/model/Cargo.toml","target":{"kind":["example"],"name":"show"},"profile":{"test":false},"executable":"x/show"}
{"reason":"build-finished","success":true}"#;
        let binary = |target: Option<&str>, executable: &str| Binary {
            crate_name: "model".into(),
            target: target.map(String::from),
            executable: executable.into(),
        };
        assert_eq!(binaries(printed), [binary(None, "x/model-1"), binary(Some("rows"), "x/rows-2")]);
    }

    #[test]
    fn a_test_is_named_by_its_crate_its_target_and_its_path() {
        let library = Binary { crate_name: "model".into(), target: None, executable: String::new() };
        assert_eq!(library.test("a::b").to_string(), "model::a::b");
        let other = Binary { target: Some("rows".into()), ..library };
        assert_eq!(other.test("a::b").to_string(), "model::rows::a::b");
    }

    #[test]
    fn a_test_that_is_not_run_is_not_listed() {
        let all = "a::runs: test\na::sleeps: test\na::fast: benchmark\n";
        assert_eq!(paths(all, "a::sleeps: test\n").into_iter().collect::<Vec<_>>(), ["a::runs"]);
    }
}
