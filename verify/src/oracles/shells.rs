//! Command lines, by real shells: a shell runs exactly the words that were read.
//!
//! A shell gets a folder with a few commands and nothing else on its way, an empty environment and a deadline. Only lines
//! whose commands are all ours are run. Each command is a script that puts its words into a file of its own.

use std::borrow::ToOwned as _;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::string::String;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::vec::Vec;
use std::{env, format, fs, io, mem, process, thread};

use enforce_core::shell::{Join, Line};

use crate::cases::Premise;

/// Names of the command that says its words; one that starts with `f` fails.
pub const NAMES: [&str; 3] = ["ta", "tb-1", "f"];

/// The words of every command that ran, sorted: commands of a pipe run at once.
pub type Ran = Vec<Vec<Vec<u8>>>;

/// A shell with a folder of its own, which goes away with this value.
#[derive(Debug)]
pub struct Shell {
    program: PathBuf,
    folder: PathBuf,
}

/// The shell runs the words that were read, in the commands that were read. A line with a command that is not ours says
/// nothing.
pub fn words_are_run_as_they_were_read(shell: &Shell, line: &[u8]) -> Premise {
    let Some(expected) = Line::new(line).ok().and_then(|line| expected(&line)) else {
        return Premise::Missed;
    };
    match shell.run(line) {
        Ok(ran) => assert!(
            ran == expected,
            "\"{}\": {} runs {} and it was read as {}",
            line.escape_ascii(),
            shell.program.display(),
            shown(&ran),
            shown(&expected)
        ),
        Err(error) => unreachable!("{} cannot run it: {error}", shell.program.display()),
    }
    Premise::Met
}

impl Shell {
    /// Looks for a shell and gives it its folder.
    ///
    /// # Errors
    /// When it is not installed, or the folder cannot be made.
    pub fn find(name: &str) -> io::Result<Self> {
        let path = env::var_os("PATH").unwrap_or_default();
        let program = env::split_paths(&path).map(|folder| folder.join(name)).find(|file| Path::is_file(file));
        let Some(program) = program else {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("`{name}` is not installed")));
        };
        // Tests of one process have one each.
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("interdict-{name}-{}-{number}", process::id()));
        let shell = Self { program, folder };
        fs::create_dir(&shell.folder)?;
        for part in [COMMANDS, SAID, WORK] {
            fs::create_dir(shell.folder.join(part))?;
        }
        let script = format!("#!{}\n{SAY_ARGV}", shell.program.display());
        let file = shell.folder.join("say-argv");
        io::Write::write_all(
            &mut fs::OpenOptions::new().write(true).create_new(true).mode(0o755).open(&file)?,
            script.as_bytes(),
        )?;
        for name in NAMES {
            symlink(&file, shell.folder.join(COMMANDS).join(name))?;
        }
        Ok(shell)
    }

    /// What the shell makes of a line.
    ///
    /// # Errors
    /// When it does not start or does not end.
    pub fn run(&self, line: &[u8]) -> io::Result<Ran> {
        let said = self.folder.join(SAID);
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(OsStr::from_bytes(line)).current_dir(self.folder.join(WORK));
        command.env_clear().env("PATH", self.folder.join(COMMANDS)).env("SAID", &said).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        wait(command.spawn()?)?;
        let mut ran = Vec::new();
        for entry in fs::read_dir(&said)? {
            let file = entry?.path();
            ran.extend(records(&fs::read(&file)?));
            fs::remove_file(&file)?;
        }
        ran.sort();
        Ok(ran)
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // What is left in the folder for temporary files does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What has to run; nothing for a line with a command that is not ours.
#[must_use]
pub fn expected(line: &Line<'_>) -> Option<Ran> {
    let mut ran = Vec::new();
    let mut is_fine = true;
    // Commands of one pipe run or do not run together, and the last one's end is the pipe's.
    let mut is_running = true;
    for command in line.commands() {
        let words: Vec<Vec<u8>> = command.words().map(|word| word.bytes().collect()).collect();
        let name = words.first().filter(|word| NAMES.iter().any(|name| name.as_bytes() == **word))?;
        is_running = match command.joined_by {
            None | Some(Join::Then) => true,
            Some(Join::Pipe) => is_running,
            Some(Join::And) => is_fine,
            Some(Join::Or) => !is_fine,
        };
        if is_running {
            is_fine = *name != b"f";
            ran.push(words);
        }
    }
    ran.sort();
    Some(ran)
}

/// A line that never ends would be one that was read wrongly.
fn wait(mut child: Child) -> io::Result<()> {
    let deadline = Instant::now() + TIME_MAX;
    while child.try_wait()?.is_none() {
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("it does not end in {TIME_MAX:?}")));
        }
        thread::sleep(LOOK_AGAIN);
    }
    Ok(())
}

/// For every word `=`, the word and a NUL, and one more NUL at the end.
fn records(bytes: &[u8]) -> Ran {
    let (mut records, mut words) = (Vec::new(), Vec::new());
    for word in bytes.split(|byte| *byte == 0) {
        match word.split_first() {
            Some((_, word)) => words.push(word.to_owned()),
            None if words.is_empty() => {}
            None => records.push(mem::take(&mut words)),
        }
    }
    records
}

fn shown(ran: &Ran) -> String {
    let commands = ran.iter().map(|words| {
        let words = words.iter().map(|word| format!("\"{}\"", word.escape_ascii()));
        format!("[{}]", words.collect::<Vec<_>>().join(", "))
    });
    format!("[{}]", commands.collect::<Vec<_>>().join(", "))
}

const SAY_ARGV: &str = r#"{ printf '=%s\0' "${0##*/}" "$@"; printf '\0'; } >> "$SAID/$$"
case "${0##*/}" in f*) exit 1 ;; esac
"#;
const COMMANDS: &str = "commands";
const SAID: &str = "said";
const WORK: &str = "work";
const TIME_MAX: Duration = Duration::from_secs(10);
const LOOK_AGAIN: Duration = Duration::from_micros(100);
