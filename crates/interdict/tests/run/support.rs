//! A folder with a policy, and the program on it.

use std::fs;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use exec_record::Ledger;
use serde_json::Value;
use tempfile::TempDir;

/// A workspace, a policy and a state.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

/// What the program said.
pub(crate) struct Said {
    pub(crate) lines: Vec<Value>,
    pub(crate) errors: String,
    pub(crate) code: Option<i32>,
}

impl Place {
    /// A workspace with these files, under these rules.
    pub(crate) fn new(rules: &str, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let place = Self { folder };
        fs::write(place.policy(), format!("policy mine language 1\n\nrole coder\n\n{rules}")).unwrap();
        for (path, content) in files {
            let path = place.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        place
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// The program with these arguments beside the usual ones.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &str) -> Said {
        self.run_in(self.state().to_str().unwrap(), arguments, input)
    }

    /// The same with another state.
    pub(crate) fn run_in(&self, state: &str, arguments: &[&str], input: &str) -> Said {
        said(self.command(Path::new(state), arguments), input)
    }

    /// The same without a root.
    pub(crate) fn run_without_root(&self, lines: &[String]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
        command.args(["run", "--policy"]).arg(self.policy()).arg("--state").arg(self.state());
        said(command, &lines.join("\n"))
    }

    /// The same by a process with a limit, as `ulimit` sets it.
    pub(crate) fn run_with_limit(&self, limit: &str, lines: &[String]) -> Said {
        let script = format!("ulimit {limit} && exec \"$0\" \"$@\"");
        let command = behind(&["sh", "-c", &script], &self.command(&self.state(), &["--role", "coder"]));
        said(command, &lines.join("\n"))
    }

    /// The same, started by another program, which is given this one and its arguments behind its own.
    pub(crate) fn run_behind(&self, starter: &[&str], arguments: &[&str], lines: &[String]) -> Said {
        said(behind(starter, &self.command(&self.state(), arguments)), &lines.join("\n"))
    }

    fn command(&self, state: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
        command.args(["run", "--policy"]).arg(self.policy());
        command.arg("--root").arg(self.root()).arg("--state").arg(state).args(arguments);
        command
    }

    /// The program in the role of a coder, with its input open.
    pub(crate) fn start(&self) -> Child {
        let mut command = self.command(&self.state(), &["--role", "coder"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(crate) fn policy(&self) -> PathBuf {
        self.folder.path().join("mine.policy")
    }

    /// How many records of a kind there are so far.
    pub(crate) fn count(&self, kind: &str) -> usize {
        let mut count = 0;
        if let Ok(ledger) = Ledger::open(&self.state()) {
            // Of a state that is just being made, nothing can be read.
            let _ = ledger.each(|record, _| count += usize::from(record.event.kind() == kind));
        }
        count
    }

    /// In the role of a coder.
    pub(crate) fn run(&self, lines: &[String]) -> Said {
        self.run_with(&["--role", "coder"], &(lines.join("\n") + "\n"))
    }

    /// The ledger as it is shown, and the exit code.
    pub(crate) fn show(&self, arguments: &[&str]) -> (String, Option<i32>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
        command.args(["ledger", "show", "--state"]).arg(self.state()).args(arguments);
        let Output { status, stdout, .. } = command.output().unwrap();
        (String::from_utf8(stdout).unwrap(), status.code())
    }

    /// How long the answer to a line is, and how much memory the program has had at once by then.
    pub(crate) fn peak_memory_of(&self, line: &str) -> (usize, usize) {
        let mut command = self.command(&self.state(), &["--role", "coder"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = Vec::new();
        std::io::BufReader::new(child.stdout.take().unwrap()).read_until(b'\n', &mut answer).unwrap();
        // It waits for the next line.
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")).unwrap();
        drop(stdin);
        child.wait().unwrap();
        (answer.len(), peak.parse::<usize>().unwrap() << 10)
    }

    pub(crate) fn verify(&self) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
        command.args(["ledger", "verify", "--format", "json", "--state"]).arg(self.state());
        said(command, "")
    }
}

/// What the doctor says to programs, started by another program.
pub(crate) fn doctor_behind(starter: &[&str], arguments: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
    command.args(["doctor", "--format", "json"]).args(arguments);
    said(behind(starter, &command), "")
}

fn behind(starter: &[&str], program: &Command) -> Command {
    let mut command = Command::new(starter[0]);
    command.args(&starter[1..]).arg(program.get_program()).args(program.get_args());
    command
}

fn said(mut command: Command, input: &str) -> Said {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Nothing of this has to reach a tool.
    command.env("AWS_SECRET_ACCESS_KEY", "poison").env("EDITOR", "poison");
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let lines = stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Said {
        lines: lines.map(|line| serde_json::from_slice(line).unwrap()).collect(),
        errors: String::from_utf8(stderr).unwrap(),
        code: status.code(),
    }
}

/// The SHA-256 of a file, by a program that is not this one.
pub(crate) fn sha256_of(path: &Path) -> String {
    let Output { status, stdout, .. } = Command::new("sha256sum").arg(path).output().unwrap();
    assert!(status.success());
    String::from_utf8(stdout).unwrap().split_whitespace().next().unwrap().to_owned()
}

/// An invocation.
pub(crate) fn invoke(tool: &str, action: &str, args: &Value) -> String {
    serde_json::json!({ "tool": tool, "action": action, "args": args }).to_string()
}

/// An envelope.
pub(crate) fn ask(tool: &str, args: &Value) -> String {
    serde_json::json!({
        "type": "ToolRequest", "tool": tool, "args": args, "request_id": "r-1", "session_id": "any", "timestamp": 1,
    })
    .to_string()
}
