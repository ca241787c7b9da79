//! Runs policyc with an environment that is known, and never waits for ever.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The exit code; none after a signal, ours after [`PATIENCE`] included.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A run to be.
pub(crate) struct Policyc {
    command: Command,
    input: Vec<u8>,
}

/// policyc with arguments, in a folder.
pub(crate) fn policyc<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Policyc {
    Policyc::of(Command::new(BINARY), folder, arguments)
}

/// The same with at most 200 MB of address space (300 in debug), so that its peak of memory is lower still, and
/// with a second of processor time (ten in debug), which other programs do not use up.
///
/// `ulimit` is how a plain shell sets both on Linux; a program that needs more is ended by a signal.
#[cfg(target_os = "linux")]
pub(crate) fn policyc_in_bounds<A: AsRef<OsStr>>(folder: &Path, arguments: impl IntoIterator<Item = A>) -> Policyc {
    // Unoptimised, the program's own code takes a hundred of them.
    let (kilobytes, seconds) = if cfg!(debug_assertions) { ("300000", "10") } else { ("200000", "1") };
    let mut command = Command::new("sh");
    let script = "ulimit -v \"$1\" && ulimit -t \"$2\" && shift 2 && exec \"$0\" \"$@\"";
    command.args(["-c", script, BINARY, kilobytes, seconds]);
    Policyc::of(command, folder, arguments)
}

impl Policyc {
    fn of<A: AsRef<OsStr>>(mut command: Command, folder: &Path, arguments: impl IntoIterator<Item = A>) -> Self {
        command.args(arguments).current_dir(folder);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "RUST_BACKTRACE"] {
            command.env_remove(name);
        }
        Self { command, input: Vec::new() }
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    pub(crate) fn run(mut self) -> Run {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = self.input;
        // A program that does not read its input closes it; that is its right.
        thread::spawn(move || drop(stdin.write_all(&input)));
        let stdout = collect(child.stdout.take().unwrap());
        let stderr = collect(child.stderr.take().unwrap());
        let (Ok(stdout), Ok(stderr)) = (stdout.recv_timeout(PATIENCE), stderr.recv_timeout(PATIENCE)) else {
            child.kill().unwrap();
            child.wait().unwrap();
            return Run { code: None, stdout: String::new(), stderr: format!("killed after {PATIENCE:?}") };
        };
        Run { code: child.wait().unwrap().code(), stdout, stderr }
    }

    /// Runs with a standard output that nobody reads any more.
    pub(crate) fn run_into_closed_pipe(mut self) -> Run {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        self.run_into(writer.into())
    }

    /// Runs with that standard output.
    pub(crate) fn run_into(&mut self, stdout: Stdio) -> Run {
        let output = self.command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::piped()).output().unwrap();
        Run { code: output.status.code(), stdout: String::new(), stderr: text(output.stderr) }
    }
}

/// A new empty folder.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// A new folder with files in it.
pub(crate) fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = folder();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// A file or folder of this crate.
pub(crate) fn of_crate(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Compares a text with `tests/cli/snapshots/NAME.snap`. To accept a new or changed one:
/// `INSTA_UPDATE=always cargo test -p policyc --test cli`, then read the difference.
pub(crate) fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(of_crate("tests/cli/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A text with `<digest>` in the place of every digest.
pub(crate) fn without_digests(text: &str) -> String {
    let is_hex = |c: char| c.is_ascii_hexdigit();
    let word = |word: &str| {
        let digest = word.trim_matches(|c| !is_hex(c));
        let is_digest = digest.len() == 64 && digest.chars().all(is_hex);
        if is_digest { word.replace(digest, "<digest>") } else { word.to_owned() }
    };
    text.split_inclusive(char::is_whitespace).map(word).collect()
}

fn collect(mut stream: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        drop(send.send(text(bytes)));
    });
    receive
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_policyc");

/// A policy nobody can complain about.
pub(crate) const GOOD: &str = "policy good language 1\n";

/// A policy with one syntax error, E0201 at 4:16.
pub(crate) const BAD: &str = "policy bad language 1\nrole reader\nrule read-all:\n  allow reader file.read\n";

/// Only against waiting for ever: a machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);
