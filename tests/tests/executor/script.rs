//! What a writer asks for, one thing after another, and what its files are after each: known to whoever looks at them later.

use std::collections::BTreeMap;

use tool_proto::tool_request::Tool;
use tool_proto::{FileEdit, FilePatch, FileWriteExtended, FsCopy, FsDelete, FsMove};

/// The files of a writer, by their paths in its folder.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// One thing to ask for.
pub(crate) enum Step {
    Write {
        path: &'static str,
        content: Vec<u8>,
    },
    Append {
        path: &'static str,
        content: Vec<u8>,
    },
    Edit {
        path: &'static str,
        old: String,
        new: String,
    },
    /// Changes two files in their first lines and makes a third.
    Patch {
        old: u64,
        new: u64,
    },
    Move {
        src: &'static str,
        dst: &'static str,
    },
    Copy {
        src: &'static str,
        dst: &'static str,
    },
    Delete {
        path: &'static str,
    },
    /// Is not allowed.
    Denied,
}

impl Step {
    /// The step of a number. A cycle leaves behind what the next one starts with.
    pub(crate) fn at(number: u64, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
        let large = || 1 + fastrand::Rng::with_seed(number ^ seed).usize(..LARGE_BYTES_MAX);
        let step = number % CYCLE;
        let before = |back: u64| number - back;
        match step {
            0 => Self::Write { path: "a", content: content(number, large()) },
            1 => Self::Edit { path: "a", old: head(before(1)), new: head(number) + &filler(large()) },
            2 => Self::Write { path: "p", content: lines(number) },
            3 => Self::Write { path: "q", content: lines(before(1)) },
            4 => Self::Patch { old: before(2), new: number },
            5 => Self::Move { src: "a", dst: "b" },
            6 => Self::Copy { src: "b", dst: "a" },
            7 => Self::Append { path: "log", content: content(number, random.usize(1..APPENDED_BYTES_MAX)) },
            8 => Self::Delete { path: "n" },
            9 => Self::Denied,
            10 => Self::Write { path: "tree/x/f", content: content(number, large()) },
            11 => Self::Write { path: "tree/y", content: content(number, 100) },
            12 => Self::Copy { src: "tree", dst: "copy" },
            13 => Self::Delete { path: "tree" },
            14 => Self::Move { src: "copy", dst: "moved" },
            _ => Self::Delete { path: "moved" },
        }
    }

    /// How it is asked for, in a folder.
    pub(crate) fn tool(&self, folder: &str) -> Tool {
        let at = |path: &str| format!("{folder}/{path}");
        let write = |path: &str, content: &[u8], append| {
            Tool::FileWriteExtended(FileWriteExtended {
                path: at(path),
                content: content.to_vec(),
                append,
                create_dirs: true,
                ..FileWriteExtended::default()
            })
        };
        match self {
            Self::Write { path, content } => write(path, content, false),
            Self::Append { path, content } => write(path, content, true),
            Self::Denied => write("vault", b"x", false),
            Self::Edit { path, old, new } => {
                Tool::FileEdit(FileEdit { path: at(path), old_content: old.clone(), new_content: new.clone() })
            }
            Self::Patch { old, new } => {
                let hunk = |path: &str| {
                    let path = at(path);
                    let (old, new) = (head(*old), head(*new));
                    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n")
                };
                let made = format!("--- /dev/null\n+++ b/{}\n@@ -0,0 +1 @@\n+{}\n", at("n"), head(*new));
                Tool::FilePatch(FilePatch { path: at("p"), unified_diff: hunk("p") + &hunk("q") + &made })
            }
            Self::Move { src, dst } => Tool::FsMove(FsMove { src: at(src), dst: at(dst), overwrite: *dst == "b" }),
            Self::Copy { src, dst } => {
                Tool::FsCopy(FsCopy { src: at(src), dst: at(dst), overwrite: *dst == "a", preserve_mode: false })
            }
            Self::Delete { path } => Tool::FsDelete(FsDelete { path: at(path), recursive: true, force: false }),
        }
    }

    /// What it is answered with.
    pub(crate) fn code(&self) -> &'static str {
        if matches!(self, Self::Denied) { "FILE_WRITE_DENIED" } else { "DONE" }
    }

    /// What the files are when it is done.
    pub(crate) fn done(&self, files: &Files) -> Files {
        let mut after = files.clone();
        match self {
            Self::Denied => {}
            Self::Write { path, content } => drop(after.insert((*path).to_owned(), content.clone())),
            Self::Append { path, content } => after.entry((*path).to_owned()).or_default().extend(content),
            Self::Edit { path, old, new } => {
                let text = String::from_utf8(after.remove(*path).unwrap()).unwrap();
                after.insert((*path).to_owned(), text.replacen(old, new, 1).into_bytes());
            }
            Self::Patch { new, .. } => {
                after.insert("p".to_owned(), lines(*new));
                after.insert("q".to_owned(), lines(*new));
                after.insert("n".to_owned(), format!("{}\n", head(*new)).into_bytes());
            }
            Self::Move { src, dst } => {
                for (path, content) in below(files, src) {
                    after.remove(&path);
                    after.insert(path.replacen(src, dst, 1), content);
                }
            }
            Self::Copy { src, dst } => {
                let copies = below(files, src).into_iter().map(|(path, content)| (path.replacen(src, dst, 1), content));
                after.extend(copies);
            }
            Self::Delete { path } => after.retain(|held, _| !is_below(held, path)),
        }
        after
    }

    /// Whether the files can be these when the executor is killed within it.
    pub(crate) fn may_leave(&self, before: &Files, found: &Files) -> bool {
        let after = self.done(before);
        if *found == *before || *found == after {
            return true;
        }
        match self {
            // Each file of a diff is the old or the new one.
            Self::Patch { .. } => {
                let is_either = |path: &String| [before.get(path), after.get(path)].contains(&found.get(path));
                before.keys().chain(after.keys()).chain(found.keys()).all(is_either)
            }
            // What is appended is added to the file that is there: its beginning may be all of it.
            Self::Append { path, .. } => {
                let others = |files: &Files| {
                    let mut files = files.clone();
                    files.remove(*path);
                    files
                };
                let (old, new) = (before.get(*path).map_or(&b""[..], Vec::as_slice), &after[*path]);
                found.get(*path).is_some_and(|found| found.starts_with(old) && new.starts_with(found))
                    && others(found) == others(before)
            }
            _ => false,
        }
    }
}

fn is_below(path: &str, top: &str) -> bool {
    path == top || path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'))
}

fn below(files: &Files, top: &str) -> Files {
    files
        .iter()
        .filter(|(path, _)| is_below(path, top))
        .map(|(path, content)| (path.clone(), content.clone()))
        .collect()
}

/// What a file starts with; there is nothing like it in the rest.
fn head(number: u64) -> String {
    format!("<{number}>")
}

fn filler(bytes: usize) -> String {
    let mut filler = PATTERN.repeat(bytes / PATTERN.len() + 1);
    filler.truncate(bytes);
    filler
}

fn content(number: u64, bytes: usize) -> Vec<u8> {
    (head(number) + &filler(bytes)).into_bytes()
}

fn lines(number: u64) -> Vec<u8> {
    (head(number) + "\n" + &"a line\n".repeat(LINES)).into_bytes()
}

/// Steps until it starts again.
pub(crate) const CYCLE: u64 = 16;
const PATTERN: &str = "0123456789abcdefghijklmnopqrstuvwxyz.-+*/ :;,()[]{}";
/// Enough that a kill would meet a file that is written in its place.
const LARGE_BYTES_MAX: usize = 2_000_000;
const APPENDED_BYTES_MAX: usize = 100_000;
const LINES: usize = 5_000;
