//! What a fuzzer left behind -> a file of the committed corpus, and a test that fails.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::engine::SEEDS;
use crate::error::TaskError;
use crate::tree::Tree;

/// An input that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Find {
    target: String,
    /// Of its file in the corpus.
    name: String,
    input: Vec<u8>,
    /// What does not hold, and the case as a test that can be pasted.
    stub: String,
}

impl Find {
    /// Of an input that ended the whole process: nobody was left to make a test of it.
    pub(super) fn of_crash(target: &str, file: &Path, input: Vec<u8>) -> Self {
        let artifact = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let (kind, hash) = artifact.split_once('-').unwrap_or(("crash", artifact));
        let stub = format!(
            "`{target}` ends with a {kind}\n\n    #[test]\n    fn {target}_survives_what_was_found() {{\n        \
             let bytes = b\"{}\";\n        for ask in fuzz::asks(\"{target}\") {{\n            \
             assert!(ask.holds(bytes).is_ok());\n        }}\n    }}\n",
            input.escape_ascii()
        );
        Self { target: target.to_owned(), name: hash.to_owned(), input, stub }
    }

    /// Puts the input among the committed ones and prints the test.
    pub(super) fn file(&self, tree: &Tree) -> Result<(), TaskError> {
        let place = Path::new(SEEDS).join(&self.target).join("corpus").join(&self.name);
        let path = tree.root().join(&place);
        fs::write(&path, &self.input).map_err(|source| TaskError::Write { path, source })?;
        println!("\n{}: FOUND {}\n{}", self.target, place.display(), self.stub);
        println!(
            "    the test goes to fuzz/tests/found.rs; `cargo test -p fuzz --test {}` replays the file",
            self.target
        );
        let path = tree.root().join(STUBS).join(format!("{}-{}.rs", self.target, self.name));
        fs::write(&path, &self.stub).map_err(|source| TaskError::Write { path, source })
    }
}

/// What a target has put on disk: an input, and what it says of it beside it.
pub(super) fn read(target: &str, folder: &Path) -> Result<Vec<Find>, TaskError> {
    let mut finds = Vec::new();
    for path in listed(folder)?.into_iter().filter(|path| path.extension().is_none()) {
        let Ok(stub) = fs::read_to_string(path.with_extension("txt")) else {
            continue;
        };
        let input = fs::read(&path).map_err(|source| TaskError::Read { path: path.clone(), source })?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        finds.push(Find { target: target.to_owned(), name, input, stub });
    }
    Ok(finds)
}

/// What libFuzzer kept because the process died of it.
pub(super) fn crashes(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    Ok(listed(folder)?.into_iter().filter(|path| is_crash(path)).collect())
}

/// Whether a line of libFuzzer's says that it kept one: `Test unit written to target/fuzz/crashes/path/crash-0f`.
pub(super) fn is_crash_kept(line: &str) -> bool {
    line.split_once(KEPT).is_some_and(|(_, file)| is_crash(Path::new(file.trim_end())))
}

fn is_crash(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    KINDS.iter().any(|kind| name.starts_with(kind))
}

fn listed(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let entries = fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
    let entries = entries.map_err(|source| TaskError::Read { path: folder.to_owned(), source })?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

const STUBS: &str = "target/fuzz/finds";
/// What libFuzzer says of an input that it keeps.
const KEPT: &str = "Test unit written to ";
/// How the names of libFuzzer's files start. A slow input is no crash, and is kept beside them.
const KINDS: &[&str] = &["crash-", "timeout-", "oom-", "leak-"];
