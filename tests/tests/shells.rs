//! Lines that the reader understands, given to real shells: each shell runs exactly the words that were read.
//! (The reader of DESIGN's section on the shell; TRUST-FLOW.)

#![cfg(test)]
#![cfg(unix)]

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use enforce_core::shell::{Join, Line};
use fastrand::Rng;

const SHELLS: [&str; 2] = ["dash", "bash"];
const LINES: usize = 3_000;
/// Lines that are made to be written anew.
const REWRITTEN: usize = 200_000;
const SEED: u64 = 0x5e11;

/// Names of the command that says its words; the last one fails.
const NAMES: [&str; 3] = ["ta", "tb-1", "f"];

/// What lines are made of. Much of it is refused most of the time; what is not is what matters.
const PIECES: &[&str] = &[
    "ta",
    "tb-1",
    "f",
    " ",
    " ",
    " ",
    "\t",
    "a",
    "b",
    "-x",
    "--long=1",
    "x/y.z",
    "HEAD~1",
    "~",
    "#",
    "a#",
    "!",
    "=",
    ":",
    ",",
    ".",
    "..",
    "{",
    "}",
    "{}",
    "@{0}",
    "%",
    "^",
    "+",
    "]",
    "'",
    "\"",
    "\\",
    "''",
    "\"\"",
    "'a b'",
    "\"a b\"",
    "'$x`*'",
    "\"'\"",
    "'\"'",
    "\\ ",
    "\\'",
    "\\\"",
    "\\\\",
    "\\$",
    "\\\n",
    "\\a",
    "\"\\a\"",
    "\"\\$\\`\\\"\\\\\"",
    "\"\\\n\"",
    "'\\\n'",
    "\\*",
    "\\~",
    "\\#",
    "\\{a,b\\}",
    "{'a,b'}",
    "é",
    "\u{1f980}",
    " && ",
    " || ",
    " ; ",
    " | ",
    ";",
    "|",
    "&&",
    "||",
    "\n",
    "\n\n",
    "\"\n\"",
    "*",
    "$",
    "`",
    "(",
    "<",
    "&",
    " && ta ",
    " || tb-1 ",
    "|f ",
    ";ta ",
    "&&f",
    " ||\n ta ",
    "\nf ",
    "|\\\nta",
];

#[test]
fn real_shells_run_the_words_that_were_read() {
    for shell in SHELLS {
        let found = Command::new(shell).args(["-c", ":"]).status();
        assert!(found.is_ok_and(|status| status.success()), "{shell} is not installed: this test needs it");
    }
    let place = Place::new();
    let mut dice = Rng::with_seed(SEED);
    let (mut compared, mut commands, mut made) = (0, 0, 0);
    while compared < LINES {
        made += 1;
        let text = line(&mut dice);
        let Some(expected) = Line::new(text.as_bytes()).ok().and_then(|line| expected(&line)) else {
            continue;
        };
        for shell in SHELLS {
            assert_eq!(place.run(shell, &text), expected, "{shell} on {text:?}");
        }
        compared += 1;
        commands += expected.len();
    }
    println!("{compared} lines of {made} that were made, {commands} commands, the same in {}", SHELLS.join(" and "));
}

/// What is judged and run is the line written anew, so it has to say the same.
#[test]
fn a_command_written_anew_says_the_same_words() {
    let mut dice = Rng::with_seed(SEED);
    let (mut compared, mut buffer, mut again) = (0, vec![0; 4_096], vec![0; 4_096]);
    for _ in 0..REWRITTEN {
        let text = line(&mut dice);
        let Ok(line) = Line::new(text.as_bytes()) else {
            continue;
        };
        for command in line.commands() {
            let written = command.write(&mut buffer).unwrap();
            assert!(written.len() <= command.written_max());
            let read = Line::new(written).unwrap_or_else(|error| panic!("{text:?}: {written:?}: {error:?}"));
            let commands: Vec<_> = read.commands().collect();
            let [only] = commands[..] else {
                panic!("{text:?}: {written:?} is {} commands", commands.len());
            };
            assert!(only.words().eq(command.words()), "{text:?}: {written:?}");
            assert_eq!(only.write(&mut again), Some(written), "{text:?}");
            compared += 1;
        }
    }
    assert!(compared > REWRITTEN / 20, "only {compared} commands");
}

fn line(dice: &mut Rng) -> String {
    let mut text = String::from(NAMES[dice.usize(..NAMES.len())]);
    for _ in 0..dice.usize(1..14) {
        if dice.u8(..4) == 0 {
            text.push(' ');
        }
        text.push_str(PIECES[dice.usize(..PIECES.len())]);
    }
    text
}

/// The words of every command that runs, in any order; nothing for a line with a command that is not ours.
fn expected(line: &Line<'_>) -> Option<Vec<Vec<Vec<u8>>>> {
    let mut ran = Vec::new();
    let mut is_fine = true;
    // Commands of one pipe run or do not run together, and the last one's end is the pipe's.
    let mut is_running = true;
    for command in line.commands() {
        let words: Vec<Vec<u8>> = command.words().map(|word| word.bytes().collect()).collect();
        if !NAMES.iter().any(|name| name.as_bytes() == words[0]) {
            return None;
        }
        is_running = match command.joined_by {
            None | Some(Join::Then) => true,
            Some(Join::Pipe) => is_running,
            Some(Join::And) => is_fine,
            Some(Join::Or) => !is_fine,
        };
        if is_running {
            is_fine = words[0] != b"f";
            ran.push(words);
        }
    }
    ran.sort();
    Some(ran)
}

/// A folder with our commands, which goes away with this value.
struct Place {
    folder: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("interdict-shells-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        for name in NAMES {
            symlink(env!("CARGO_BIN_EXE_say-argv"), folder.join(name)).unwrap();
        }
        Self { folder }
    }

    fn run(&self, shell: &str, text: &str) -> Vec<Vec<Vec<u8>>> {
        let file = self.folder.join("argv");
        fs::write(&file, b"").unwrap();
        let mut command = Command::new(shell_path(shell));
        command.arg("-c").arg(std::ffi::OsStr::from_bytes(text.as_bytes()));
        command.env_clear().env("PATH", &self.folder).env("ARGV_FILE", &file).env("LC_ALL", "C");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap();
        records(&fs::read(&file).unwrap())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What is left in the folder for temporary files does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Found before the `PATH` of the commands is another one.
fn shell_path(shell: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(shell)).find(|file| Path::is_file(file)).unwrap()
}

fn records(bytes: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut records = Vec::new();
    let mut words = Vec::new();
    for word in bytes.split(|byte| *byte == 0) {
        match word.split_first() {
            Some((b'=', word)) => words.push(word.to_vec()),
            Some(_) => panic!("a record is words with `=` before them"),
            None if words.is_empty() => {}
            None => records.push(std::mem::take(&mut words)),
        }
    }
    records.sort();
    records
}
