//! Ignore files of directories -> whether a path is left out. A tree may come from anywhere, so files, lines and the number
//! of rules are limited; what exceeds a limit is not a rule.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use enforce_core::limits::MAX_PATH_LEN;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::BorrowedFd;

use crate::{Device, Stop, below, beneath, is_shallow, read_whole};

/// The rules of the ignore files in a directory and in those above it.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    above: Option<Arc<IgnoreRules>>,
    folder: Vec<u8>,
    gitignore: Option<Gitignore>,
    ignore: Option<Gitignore>,
    /// Left for directories below.
    budget: RuleBudget,
}

impl IgnoreRules {
    /// Adds the ignore files with these names in a directory.
    pub(super) fn enter(
        self: &Arc<Self>,
        handle: BorrowedFd<'_>,
        folder: &[u8],
        files: &[&[u8]],
        device: &Device,
        stop: &Stop,
    ) -> Arc<Self> {
        let mut budget = self.budget;
        let mut read = |name| if files.contains(&name) { rules(handle, name, device, &mut budget, stop) } else { None };
        let (gitignore, ignore) = (read(GITIGNORE), read(IGNORE));
        if gitignore.is_none() && ignore.is_none() {
            return Arc::clone(self);
        }
        Arc::new(Self { above: Some(Arc::clone(self)), folder: folder.to_vec(), gitignore, ignore, budget })
    }

    /// True if a path is left out. `.ignore` files come before `.gitignore` files, and the nearest file comes first.
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

/// The number and bytes of further rules. The author of a hostile tree writes its ignore files, too, and each rule costs
/// memory, and time for every name.
#[derive(Debug, Clone, Copy)]
struct RuleBudget {
    rules: usize,
    bytes: usize,
}

impl Default for RuleBudget {
    fn default() -> Self {
        Self { rules: RULES_MAX, bytes: RULE_BYTES_MAX }
    }
}

impl RuleBudget {
    /// Takes one rule from the budget; none if it exceeds it.
    fn minus(self, rule: &str) -> Option<Self> {
        Some(Self { rules: self.rules.checked_sub(1)?, bytes: self.bytes.checked_sub(rule.len())? })
    }
}

/// Reads an ignore file. Its rules only choose what a search shows, so invalid lines and unreadable files are skipped. A file
/// that exceeds the budget has no rules at all: the first part alone could mean the opposite of the whole.
fn rules(
    folder: BorrowedFd<'_>,
    name: &[u8],
    device: &Device,
    budget: &mut RuleBudget,
    stop: &Stop,
) -> Option<Gitignore> {
    let (file, stat) = beneath::open_file(folder, name, device).ok()?;
    let text = read_whole(&file, u64::try_from(stat.st_size).unwrap_or(0), IGNORE_FILE_BYTES_MAX, stop).ok()?;
    let mut builder = GitignoreBuilder::new(".");
    let mut left = *budget;
    for rule in text.split(|byte| *byte == b'\n').filter_map(rule) {
        // The caller checks again before it returns anything.
        stop.check().ok()?;
        left = left.minus(rule)?;
        let _ = builder.add_line(None, rule);
    }
    let rules = builder.build().ok().filter(|rules| !rules.is_empty())?;
    *budget = left;
    Some(rules)
}

/// Returns the rule in a line, unless that is blank, a comment, not text, too long or too deeply nested.
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
const IGNORE_FILE_BYTES_MAX: u64 = 1 << 20;
/// The limit of a path.
const RULE_LINE_BYTES_MAX: usize = MAX_PATH_LEN;
/// Rules of the ignore files in one directory and in all above it.
const RULES_MAX: usize = 10_000;
/// Bytes of all those rules. The most expensive kinds need a few hundred times that memory while they are parsed, and for
/// each name as many steps as they and its path have bytes: a fifth of a second, which cannot be interrupted.
const RULE_BYTES_MAX: usize = 64 << 10;
