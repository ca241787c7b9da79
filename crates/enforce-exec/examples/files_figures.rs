//! A folder and a pattern -> how long reading and searching take, beside the plain loop: ratios, not absolutes.
//!
//! `cargo run --release -p enforce-exec --example files_figures -- DIR PATTERN [RG]`
//! Without a tree at DIR, one of 20,000 files is made there. RG is a ripgrep to compare with.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use enforce_exec::files::{Digests, Grep, Links, Scope, Span, Stop, Workspace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(dir), Some(pattern)) = (arguments.next(), arguments.next()) else {
        return Err("DIR and PATTERN are missing".into());
    };
    let root = Path::new(&dir);
    if !root.exists() {
        make_tree(root)?;
    }
    let workspace = Workspace::open(root, Links::Refuse)?;
    let mut out = std::io::stdout().lock();

    let file = root.join("one-mebibyte");
    fs::write(&file, vec![b'x'; 1 << 20])?;
    let stop = Stop::when_told();
    let (plain, ours) = compare(
        || {
            let mut bytes = Vec::new();
            fs::File::open(&file)?.read_to_end(&mut bytes)?;
            std::hint::black_box(blake3::hash(&bytes));
            Ok(())
        },
        || {
            let content = workspace.read(b"one-mebibyte", Span::WHOLE, Digests::Blake3, &mut |_| Ok(()), &stop)?;
            std::hint::black_box(content);
            Ok(())
        },
    )?;
    writeln!(out, "read 1 MiB: plain {plain:?}, ours {ours:?}, ratio {:.2}", ratio(ours, plain))?;

    let search = || {
        let grep =
            Grep { pattern: &pattern, scope: Scope { folder: b"", glob: "" }, case_sensitive: true, max_results: 0 };
        std::hint::black_box(workspace.grep(grep, &|_| true, &stop)?);
        Ok(())
    };
    let Some(rg) = arguments.next() else { return Ok(()) };
    for sorted in [false, true] {
        let peer = || {
            let mut command = Command::new(&rg);
            command.args(["--line-number", "--column", "--no-heading"]).args(sorted.then_some("--sort=path"));
            command.arg(&pattern).arg(root).stdout(Stdio::null()).status()?;
            Ok(())
        };
        let (theirs, ours) = compare(peer, search)?;
        let name = if sorted { "rg --sort path" } else { "rg" };
        writeln!(out, "grep: {name} {theirs:?}, ours {ours:?}, ratio {:.2}", ratio(ours, theirs))?;
    }
    Ok(())
}

/// The quickest of many turns each, taken in turn: a busy machine can only lengthen them.
fn compare(
    mut one: impl FnMut() -> Result<(), Box<dyn std::error::Error>>,
    mut other: impl FnMut() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(Duration, Duration), Box<dyn std::error::Error>> {
    let (mut best_one, mut best_other) = (Duration::MAX, Duration::MAX);
    for _ in 0..TURNS {
        let start = Instant::now();
        one()?;
        best_one = best_one.min(start.elapsed());
        let start = Instant::now();
        other()?;
        best_other = best_other.min(start.elapsed());
    }
    Ok((best_one, best_other))
}

fn ratio(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}

/// 20,000 files of a few kilobytes of source-like lines, twenty to a folder; the word `needle` in one of fifty.
fn make_tree(root: &Path) -> std::io::Result<()> {
    for number in 0..20_000_u32 {
        let folder = root.join(format!("group{}/part{}", number % 40, number / 40 % 25));
        fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for line in 0..40 + number % 60 {
            text.push_str(&format!("    let value_{line} = compute({number}, {line}).unwrap_or_default(); // plain\n"));
        }
        if number % 50 == 0 {
            text.push_str("    // needle\n");
        }
        fs::write(folder.join(format!("file{number}.rs")), text)?;
    }
    Ok(())
}

const TURNS: usize = 15;
