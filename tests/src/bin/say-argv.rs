//! A command -> its words in a file: what a shell made of a line.
//!
//! Adds a record to the file that `ARGV_FILE` names: for every word `=`, the word and a NUL, and one more NUL at
//! the end. A name that starts with `f` fails.

use std::env;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> io::Result<ExitCode> {
    let words: Vec<Vec<u8>> = env::args_os().map(|word| word.into_encoded_bytes()).collect();
    let mut record = Vec::new();
    for word in &words {
        record.push(b'=');
        record.extend_from_slice(word);
        record.push(0);
    }
    record.push(0);
    let file = env::var_os("ARGV_FILE").ok_or(io::ErrorKind::NotFound)?;
    // In one piece, because the commands of a pipe run at once.
    OpenOptions::new().append(true).open(file)?.write_all(&record)?;
    Ok(match words.first().and_then(|name| name.first()) {
        Some(b'f') => ExitCode::FAILURE,
        Some(_) | None => ExitCode::SUCCESS,
    })
}
