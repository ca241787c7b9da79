//! This crate itself: its table of targets, its seeds, and how small a case gets.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fuzz::{corpus, minimise};

#[test]
fn what_is_not_needed_goes_and_what_is_stays() {
    let fails = |input: &[u8]| input.contains(&b'x') && input.ends_with(b"yz");
    assert_eq!(minimise(b"some x and more of it, yz".to_vec(), fails), b"xyz");
}

#[test]
fn a_byte_that_could_be_any_is_the_simplest() {
    assert_eq!(minimise(b"q7w".to_vec(), |input| input.len() == 3 && input.first() != Some(&0)), b"a\0\0");
}

#[test]
fn the_table_of_the_readme_has_every_target_and_no_other() {
    let readme = fs::read_to_string(here().join("README.md")).unwrap();
    let rows: Vec<&str> =
        readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|row| row.0).collect();
    assert_eq!(rows, targets());
}

#[test]
fn every_target_has_a_feature_and_a_small_corpus() {
    let manifest = fs::read_to_string(here().join("Cargo.toml")).unwrap();
    for target in targets() {
        let test = format!("[[test]]\nname = \"{target}\"\nrequired-features = [\"{target}\"]\n");
        assert!(manifest.contains(&test), "{test}");
        let files = corpus(&target);
        assert!(!files.is_empty(), "{target}");
        let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(files.len() <= FILES_MAX && bytes <= BYTES_MAX, "{target}: {} files, {bytes} bytes", files.len());
    }
}

#[test]
fn the_committed_table_is_what_its_policy_freezes_to() {
    let committed = fs::read(here().join("tests/data/open.table")).unwrap();
    assert!(committed == fuzz::seeds::open_table(), "`cargo run -p fuzz --example seeds` writes it anew");
}

#[test]
fn dash_is_there_for_the_target_that_needs_it() {
    let found = Command::new("dash").args(["-c", ":"]).status();
    assert!(found.is_ok_and(|status| status.success()), "dash is not installed: the target `shell` needs it");
}

/// The files that hold a target, by name.
fn targets() -> Vec<String> {
    let files = fs::read_dir(here().join("tests")).unwrap().map(|entry| entry.unwrap().path());
    let is_target = |path: &PathBuf| path.is_file() && fs::read_to_string(path).unwrap().contains(MARK);
    let mut names: Vec<String> =
        files.filter(is_target).map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

// In two parts, so that it does not find itself here.
const MARK: &str = concat!("bolero::", "check!()");
const FILES_MAX: usize = 150;
const BYTES_MAX: usize = 128 << 10;
