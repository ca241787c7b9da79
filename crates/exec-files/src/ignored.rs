//! The ignore files of folders -> whether a path is left out. A tree may come from anywhere, so every file, line and
//! number of rules has a limit, and what is beyond it is no rule.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use enforce_core::limits::MAX_PATH_LEN;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::BorrowedFd;

use crate::{Device, Stop, below, beneath, is_shallow, read_whole};

/// The ignore files of a folder and of those above it.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    above: Option<Arc<Ignored>>,
    /// The folder that they are in.
    folder: Vec<u8>,
    gitignore: Option<Gitignore>,
    ignore: Option<Gitignore>,
    /// For rules of folders below.
    room: Room,
}

impl Ignored {
    /// With what is in a folder; the same as above, if there is nothing.
    pub(super) fn enter(
        self: &Arc<Self>,
        handle: BorrowedFd<'_>,
        folder: &[u8],
        files: IgnoreFiles,
        device: &Device,
        stop: &Stop,
    ) -> Arc<Self> {
        let mut room = self.room;
        let mut read = |is_there: bool, name| {
            if is_there { rules(handle, name, device, &mut room, stop) } else { None }
        };
        let (gitignore, ignore) = (read(files.has_gitignore, GITIGNORE), read(files.has_ignore, IGNORE));
        if gitignore.is_none() && ignore.is_none() {
            return Arc::clone(self);
        }
        Arc::new(Self { above: Some(Arc::clone(self)), folder: folder.to_vec(), gitignore, ignore, room })
    }

    /// Whether a path is left out. `.ignore` files are asked first, then `.gitignore` files, the nearest first.
    pub(super) fn skips(&self, path: &[u8], is_folder: bool) -> bool {
        let by = |rules: fn(&Self) -> &Option<Gitignore>| {
            let mut level = Some(self);
            while let Some(here) = level {
                if let Some(rules) = rules(here) {
                    match rules.matched(Path::new(OsStr::from_bytes(below(path, &here.folder))), is_folder) {
                        Match::None => {}
                        decided => return Some(decided.is_ignore()),
                    }
                }
                level = here.above.as_deref();
            }
            None
        };
        by(|level| &level.ignore).or_else(|| by(|level| &level.gitignore)).unwrap_or(false)
    }
}

/// Which ignore files a folder has, and may be read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IgnoreFiles {
    pub(super) has_gitignore: bool,
    pub(super) has_ignore: bool,
}

impl IgnoreFiles {
    /// Takes note of a name in the folder.
    pub(super) fn note(&mut self, name: &[u8], may_read: impl FnOnce() -> bool) {
        match name {
            GITIGNORE => self.has_gitignore = may_read(),
            IGNORE => self.has_ignore = may_read(),
            _ => {}
        }
    }
}

/// How many more rules can hold in one place, and of how many bytes. Whoever wrote a tree wrote its ignore files too, and
/// each rule costs memory, and time for every name that is looked at.
#[derive(Debug, Clone, Copy)]
struct Room {
    rules: usize,
    bytes: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { rules: RULES_MAX, bytes: RULE_BYTES_MAX }
    }
}

impl Room {
    /// With one rule more; nothing, if there is no room for it.
    fn with(self, rule: &str) -> Option<Self> {
        Some(Self { rules: self.rules.checked_sub(1)?, bytes: self.bytes.checked_sub(rule.len())? })
    }
}

/// The rules of one ignore file. They only choose what is shown first, so a line that cannot be read is no rule, and a
/// file that cannot be read has none. Nor has one with more rules than there is room for: the first of them alone
/// could say the contrary of all.
fn rules(folder: BorrowedFd<'_>, name: &[u8], device: &Device, room: &mut Room, stop: &Stop) -> Option<Gitignore> {
    let (file, stat) = beneath::open_file(folder, name, device).ok()?;
    let text = read_whole(&file, u64::try_from(stat.st_size).unwrap_or(0), IGNORE_FILE_BYTES_MAX, stop).ok()?;
    let mut builder = GitignoreBuilder::new(".");
    let mut left = *room;
    for rule in text.split(|byte| *byte == b'\n').filter_map(rule) {
        // Whoever called asks as well before anything is shown.
        stop.check().ok()?;
        left = left.with(rule)?;
        let _ = builder.add_line(None, rule);
    }
    let rules = builder.build().ok().filter(|rules| !rules.is_empty())?;
    *room = left;
    Some(rules)
}

/// What a line says, if it is text and neither blank nor a comment, and as short and shallow as what can be a rule.
fn rule(line: &[u8]) -> Option<&str> {
    if line.len() > RULE_LINE_BYTES_MAX || line.first() == Some(&b'#') {
        return None;
    }
    let line = str::from_utf8(line).ok()?;
    let line = line.strip_suffix('\r').unwrap_or(line);
    (!line.trim_end().is_empty() && is_shallow(line)).then_some(line)
}

pub(super) const GITIGNORE: &[u8] = b".gitignore";
pub(super) const IGNORE: &[u8] = b".ignore";
/// Bytes of an ignore file that is heeded.
const IGNORE_FILE_BYTES_MAX: u64 = 1 << 20;
/// Bytes of a line that can be a rule: as many as a path has.
const RULE_LINE_BYTES_MAX: usize = MAX_PATH_LEN;
/// Rules that hold in one place: those of the ignore files of a folder and of all above it.
const RULES_MAX: usize = 10_000;
/// Bytes of all those rules. The dearest kinds take a few hundred times as much memory while they are read, and for each
/// name as many steps as they and its path have bytes: a fifth of a second, in which nobody can stop them.
const RULE_BYTES_MAX: usize = 64 << 10;
