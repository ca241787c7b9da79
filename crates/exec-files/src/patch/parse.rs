//! Diff text -> sections. What it does not know it refuses, by the number of the line.

use super::PatchError;
use super::hunks::hunks;
use super::lines::{Lines, unquoted};
use super::section::{Hunk, NewMode, Section, SectionChange};
use crate::resolve;

/// The sections of a diff of one or several files.
pub(super) fn sections(diff: &[u8]) -> Result<Vec<Section<'_>>, PatchError> {
    let mut lines = Lines::of(diff)?;
    let mut sections = Vec::new();
    while lines.skip_blank() {
        let head = head(&mut lines)?;
        let hunks = hunks(&mut lines)?;
        sections.push(section(head, hunks)?);
    }
    Ok(sections)
}

/// The sections of a diff of one file, which may start with its first hunk.
pub(super) fn sections_for<'d>(path: &[u8], diff: &'d [u8]) -> Result<Vec<Section<'d>>, PatchError> {
    let mut lines = Lines::of(diff)?;
    if !lines.skip_blank() || !lines.peek().starts_with(b"@@ ") {
        return sections(diff);
    }
    let hunks = hunks(&mut lines)?;
    if lines.skip_blank() {
        return Err(lines.wrong("a hunk"));
    }
    Ok(vec![Section { change: SectionChange::Modify { path: path.to_vec() }, hunks }])
}

/// What stands before the hunks of a file. Names as they are written; `None` is `/dev/null`.
#[derive(Default)]
struct Head {
    line: usize,
    git: Option<Vec<u8>>,
    old: Option<Option<Vec<u8>>>,
    new: Option<Option<Vec<u8>>>,
    rename_from: Option<Vec<u8>>,
    rename_to: Option<Vec<u8>>,
    created: Option<NewMode>,
    is_deleted: bool,
}

fn head(lines: &mut Lines<'_>) -> Result<Head, PatchError> {
    let mut head = Head { line: lines.number, ..Head::default() };
    if let Some(names) = lines.peek().strip_prefix(b"diff --git ") {
        head.git = Some(names.to_vec());
        lines.next();
        while !lines.is_over() && extended(&mut head, lines)? {
            lines.next();
        }
    }
    if let Some(name) = lines.peek().strip_prefix(b"--- ") {
        head.line = lines.number;
        head.old = Some(lines.name(name)?);
        lines.next();
        let Some(name) = lines.peek().strip_prefix(b"+++ ") else { return Err(lines.wrong("`+++ ` and a path")) };
        head.new = Some(lines.name(name)?);
        lines.next();
    } else if head.git.is_none() {
        return Err(lines.wrong("`--- ` and a path"));
    }
    Ok(head)
}

/// One line of what git adds to a head; whether it was one.
fn extended(head: &mut Head, lines: &Lines<'_>) -> Result<bool, PatchError> {
    let line = lines.peek();
    let says = |word: &[u8]| line.strip_prefix(word);
    if let Some(mode) = says(b"new file mode ") {
        head.created = Some(match mode {
            b"100644" => NewMode::Plain,
            b"100755" => NewMode::Executable,
            _ => return Err(lines.unsupported("a link, a submodule or a strange mode")),
        });
    } else if let Some(mode) = says(b"deleted file mode ") {
        check_plain(mode, lines)?;
        head.is_deleted = true;
    } else if let Some(rest) = says(b"index ") {
        if let Some(space) = rest.iter().position(|byte| *byte == b' ') {
            check_plain(rest.get(space + 1..).unwrap_or_default(), lines)?;
        }
    } else if let Some(name) = says(b"rename from ") {
        head.rename_from = Some(lines.plain_name(name)?);
    } else if let Some(name) = says(b"rename to ") {
        head.rename_to = Some(lines.plain_name(name)?);
    } else if says(b"old mode ").is_some() || says(b"new mode ").is_some() {
        return Err(lines.unsupported("a change of mode"));
    } else if says(b"copy from ").is_some() || says(b"copy to ").is_some() {
        return Err(lines.unsupported("a copy"));
    } else if says(b"GIT binary patch").is_some() || says(b"Binary files ").is_some() {
        return Err(lines.unsupported("binary data"));
    } else {
        return Ok(says(b"similarity index ").or_else(|| says(b"dissimilarity index ")).is_some());
    }
    Ok(true)
}

fn check_plain(mode: &[u8], lines: &Lines<'_>) -> Result<(), PatchError> {
    match mode {
        b"100644" | b"100755" => Ok(()),
        _ => Err(lines.unsupported("a link, a submodule or a strange mode")),
    }
}

fn section(head: Head, hunks: Vec<Hunk<'_>>) -> Result<Section<'_>, PatchError> {
    let line = head.line;
    let has_rename = head.rename_from.is_some() || head.rename_to.is_some();
    let expected = |expected| PatchError::Line { line, expected };
    let change = match (head.old, head.new) {
        (old, new) if has_rename => {
            let (Some(from), Some(to)) = (head.rename_from, head.rename_to) else {
                return Err(expected("a rename with both names"));
            };
            // A section with changes names both files twice.
            let is_same = |named: Option<Option<Vec<u8>>>, prefix: &[u8], name: &Vec<u8>| match named {
                None => true,
                Some(named) => named.is_some_and(|named| named == *name || stripped(named, prefix) == *name),
            };
            if !is_same(old, b"a/", &from) || !is_same(new, b"b/", &to) {
                return Err(PatchError::Names { line });
            }
            SectionChange::Rename { from: checked(from, line)?, to: checked(to, line)? }
        }
        (Some(None), Some(Some(new))) => {
            let mode = head.created.unwrap_or(NewMode::Plain);
            SectionChange::Create { path: checked(stripped(new, b"b/"), line)?, mode }
        }
        (Some(Some(old)), Some(None)) => SectionChange::Delete { path: checked(stripped(old, b"a/"), line)? },
        (Some(Some(old)), Some(Some(new))) => {
            if head.created.is_some() || head.is_deleted {
                return Err(PatchError::Names { line });
            }
            let is_prefixed = old.starts_with(b"a/") && new.starts_with(b"b/");
            let (old, new) = if is_prefixed { (stripped(old, b"a/"), stripped(new, b"b/")) } else { (old, new) };
            if old != new {
                return Err(PatchError::Names { line });
            }
            SectionChange::Modify { path: checked(old, line)? }
        }
        // Files without content have no hunks, and only git's own line names them.
        (None, None) => {
            let path = checked(head.git.as_deref().and_then(one_name).ok_or(PatchError::Names { line })?, line)?;
            match (head.created, head.is_deleted) {
                (Some(mode), false) => SectionChange::Create { path, mode },
                (None, true) => SectionChange::Delete { path },
                _ => return Err(expected("a change")),
            }
        }
        _ => return Err(expected("`--- ` and `+++ ` with a path")),
    };
    let needs_hunks = matches!(change, SectionChange::Modify { .. });
    if needs_hunks && hunks.is_empty() {
        return Err(expected("followed by a hunk"));
    }
    Ok(Section { change, hunks })
}

/// The name in `a/NAME b/NAME`, where both are the same: names may have spaces, so only the middle can part them.
fn one_name(names: &[u8]) -> Option<Vec<u8>> {
    if names.first() == Some(&b'"') {
        let (old, rest) = unquoted(names)?;
        let (new, rest) = unquoted(rest.strip_prefix(b" ")?)?;
        let (old, new) = (stripped(old, b"a/"), stripped(new, b"b/"));
        return (rest.is_empty() && old == new).then_some(old);
    }
    let middle = names.len() / 2;
    let (old, new) = (names.get(..middle)?, names.get(middle..)?.strip_prefix(b" ")?);
    let (old, new) = (old.strip_prefix(b"a/").unwrap_or(old), new.strip_prefix(b"b/").unwrap_or(new));
    (old == new).then(|| old.to_vec())
}

fn stripped(name: Vec<u8>, prefix: &[u8]) -> Vec<u8> {
    name.strip_prefix(prefix).map(<[u8]>::to_vec).unwrap_or(name)
}

/// A path below the root, with one slash between its components.
fn checked(path: Vec<u8>, line: usize) -> Result<Vec<u8>, PatchError> {
    if path.is_empty() || resolve::check(&path).is_err() { Err(PatchError::Path { line }) } else { Ok(path) }
}
