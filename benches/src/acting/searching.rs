//! How long a request takes that searches a tree of many files, each of them judged, beside ripgrep with the same rules about
//! what to leave out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use enforce_exec::results::Found;
use tool_proto::FsGrep;
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;

use super::house::{self, House};
use super::rounds::{Took, in_turns};

/// What each way took.
pub(super) struct Searched {
    pub(super) ours: Took,
    pub(super) rg: Took,
    pub(super) rg_sorted: Took,
}

pub(super) fn measure(scratch: &Path, rounds: usize) -> Result<Searched, String> {
    let workspace = scratch.join("search");
    let root = &workspace.join(FOLDER);
    make_tree(root).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    let house = House::new(&workspace, &scratch.join("search-state"));
    let token = runtime.block_on(house.session(FOLDER));
    let grep = FsGrep { pattern: PATTERN.to_owned(), case_sensitive: true, ..FsGrep::default() };
    let request = house::request("search".to_owned(), &token, Tool::FsGrep(grep));
    let search = || match runtime.block_on(house.answer(request.clone())) {
        Answer::Success(success) => matches(&success.inline_result),
        other => Err(format!("{other:?}")),
    };
    // Who leaves out other files is not to be compared with.
    let printed =
        rg(root, None).stdout(Stdio::piped()).output().map_err(|error| format!("no `rg` on PATH: {error}"))?;
    let (theirs, ours) = (printed.stdout.split(|byte| *byte == b'\n').count() - 1, search()?);
    assert_eq!((theirs, ours), (EXPECTED, EXPECTED), "both find the same");
    let run = |sort: Option<&str>| {
        let status = rg(root, sort).status().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(status.to_string()) }
    };
    let [ours, rg, rg_sorted] = in_turns(
        rounds,
        [Box::new(|| search().map(|_| ())), Box::new(|| run(None)), Box::new(|| run(Some("--sort=path")))],
    )?;
    Ok(Searched { ours, rg, rg_sorted })
}

/// How many lines an answer has.
fn matches(answer: &[u8]) -> Result<usize, String> {
    let found: Found = serde_json::from_slice(answer).map_err(|error| error.to_string())?;
    Ok(found.matches.len())
}

fn rg(root: &Path, sort: Option<&str>) -> Command {
    let mut command = Command::new("rg");
    command.args(["--no-config", "--line-number", "--column", "--no-heading"]).args(sort);
    command.arg(PATTERN).arg(root).stdin(Stdio::null()).stdout(Stdio::null());
    command
}

/// A few kilobytes of source-like lines each, twenty to a folder, the pattern in one of fifty; and as many folders that
/// an ignore file leaves out, with one file each.
fn make_tree(root: &Path) -> std::io::Result<()> {
    for number in 0..FILES {
        let folder = root.join(format!("group{}/part{}", number % 40, number / 40 % 25));
        fs::create_dir_all(&folder)?;
        let mut text = String::new();
        for line in 0..40 + number % 60 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "    let value_{line} = compute({number}, {line}).unwrap_or_default(); // plain");
        }
        if number % 50 == 0 {
            let _ = writeln!(text, "    // {PATTERN}");
        }
        fs::write(folder.join(format!("file{number}.rs")), text)?;
    }
    for group in 0..40 {
        let folder = root.join(format!("group{group}/generated"));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("left-out.rs"), format!("// {PATTERN}\n"))?;
    }
    fs::write(root.join(".ignore"), "generated/\n*.log\n!kept.log\n")
}

pub(super) const FILES: u32 = 20_000;
const FOLDER: &str = "src";
const EXPECTED: usize = 400;
const PATTERN: &str = "needle";
