//! The workspace on disk: where it is, which files are in it, and programs started at its root.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use crate::error::TaskError;

/// The workspace this program is run in.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Asks cargo: the path this program was built at may be another one by now.
    pub(crate) fn locate() -> Result<Self, TaskError> {
        let mut command = cargo();
        command.args(["locate-project", "--workspace", "--message-format", "plain"]);
        let manifest = PathBuf::from(output(&mut command)?.trim_end());
        match manifest.parent() {
            Some(root) => Ok(Self { root: root.to_owned() }),
            None => Err(unusable(&command, "no folder in it")),
        }
    }

    /// The folder of the workspace's manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Cargo with these arguments, at the root.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root).args(arguments);
        command
    }

    /// Where a package outside the workspace is built: beside what the workspace builds, and not in the tree.
    pub(crate) fn target(&self, name: &str) -> PathBuf {
        PathBuf::from(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target"))).join(name)
    }

    /// Every file that is tracked or would be, sorted, with `/` between folders.
    ///
    /// A fresh clone has only tracked files, so there the two are the same; before a commit the new
    /// files count too, which is when they are best corrected.
    pub(crate) fn files(&self) -> Result<Vec<String>, TaskError> {
        let mut command = Command::new("git");
        command.current_dir(&self.root).args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let listed = output(&mut command)?;
        let mut files: Vec<String> =
            listed.split_terminator('\0').filter(|path| self.is_file(path)).map(String::from).collect();
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }

    /// The bytes of a file of the tree, or of one that was built.
    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Result<Vec<u8>, TaskError> {
        let path = self.root.join(path);
        fs::read(&path).map_err(|source| TaskError::Read { path, source })
    }

    /// The text of a file of the tree.
    pub(crate) fn read_text(&self, path: &str) -> Result<String, TaskError> {
        let path = self.root.join(path);
        fs::read_to_string(&path).map_err(|source| TaskError::Read { path, source })
    }

    /// Not a link, whose target is listed itself or is not ours; not deleted since it was tracked.
    fn is_file(&self, path: &str) -> bool {
        fs::symlink_metadata(self.root.join(path)).is_ok_and(|metadata| metadata.is_file())
    }
}

/// Runs a program with our own streams and says how it ended.
pub(crate) fn status(command: &mut Command) -> Result<ExitStatus, TaskError> {
    command.status().map_err(|source| TaskError::Start { program: shown(command), source })
}

/// Runs a program that must succeed and takes what it prints; its complaints go to our stderr.
pub(crate) fn output(command: &mut Command) -> Result<String, TaskError> {
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|source| TaskError::Start { program: shown(command), source })?;
    if !output.status.success() {
        return Err(TaskError::Failed { program: shown(command), status: output.status });
    }
    String::from_utf8(output.stdout).map_err(|_| unusable(command, "not UTF-8"))
}

/// Runs a program whose failure is a finding, and takes what it prints; nothing when it failed.
pub(crate) fn attempt(command: &mut Command) -> Result<Option<String>, TaskError> {
    match output(command) {
        Ok(printed) => Ok(Some(printed)),
        Err(TaskError::Failed { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The output of this program is not what it should be.
pub(crate) fn unusable(command: &Command, reason: impl Into<String>) -> TaskError {
    TaskError::Output { program: shown(command), reason: reason.into() }
}

/// The program and its arguments, as one would type them.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let mut words = vec![program.to_string_lossy()];
    words.extend(command.get_args().map(|argument| argument.to_string_lossy()));
    words.join(" ")
}

/// The cargo that started us, so that one run uses one toolchain.
fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("bin/cargo");
        command.args(["test", "--workspace"]);
        assert_eq!(shown(&command), "cargo test --workspace");
    }

    #[test]
    fn a_program_that_is_not_there_cannot_start() {
        let error = output(&mut Command::new("no-such-program-of-ours")).unwrap_err();
        assert!(matches!(error, TaskError::Start { program, .. } if program == "no-such-program-of-ours"));
    }

    #[test]
    fn the_root_is_found_from_the_folder_of_a_crate() {
        let tree = Tree::locate().unwrap();
        assert!(tree.read_text("Cargo.toml").unwrap().contains("[workspace]"));
        assert!(tree.is_file("crates/xtask/Cargo.toml"));
        assert!(!tree.is_file("crates/xtask"));
    }
}
