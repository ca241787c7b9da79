//! Lines that the reader understands, given to real shells: each shell runs exactly the words that were read.
//! (The reader of DESIGN's section on the shell; TRUST-FLOW.)

#![cfg(test)]
#![cfg(unix)]

use enforce_core::shell::Line;
use fastrand::Rng;
use verify::cases::Premise;
use verify::oracles::LINES;
use verify::oracles::shells::{NAMES, Shell, expected, words_are_run_as_they_were_read};

const SHELLS: [&str; 2] = ["dash", "bash"];
/// Lines that are made to be written anew.
const REWRITTEN: usize = 200_000;
const SEED: u64 = 0x5e11;

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
    let shells = SHELLS.map(|shell| Shell::find(shell).unwrap_or_else(|error| panic!("this test needs it: {error}")));
    let mut dice = Rng::with_seed(SEED);
    let (mut compared, mut commands, mut made) = (0, 0, 0);
    while compared < LINES {
        made += 1;
        let text = line(&mut dice);
        let Some(expected) = Line::new(text.as_bytes()).ok().and_then(|line| expected(&line)) else {
            continue;
        };
        for shell in &shells {
            assert_eq!(words_are_run_as_they_were_read(shell, text.as_bytes()), Premise::Met, "{text:?}");
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
