//! This crate itself: its table of targets and its seeds.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::process::Command;

use fuzz::corpus;

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
        assert!(manifest.contains(&format!("\n{target} = [")), "{target}");
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

/// The names in `targets.rs`.
fn targets() -> Vec<String> {
    let text = fs::read_to_string(here().join("tests/targets.rs")).unwrap();
    let names = text.lines().filter_map(|line| line.strip_prefix("target! { \"")?.split_once('"'));
    names.map(|(name, _)| name.to_owned()).collect()
}

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

const FILES_MAX: usize = 150;
const BYTES_MAX: usize = 128 << 10;
