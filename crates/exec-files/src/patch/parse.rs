//! Diff text -> sections. What it does not know it rejects, with the number of the line.

use enforce_core::limits::MAX_EDIT_SIZE;

use super::PatchError;
use super::section::{Hunk, Line, Section, SectionChange, Side};
use crate::check;

/// Reads a diff of one or several files.
pub(super) fn sections(diff: &[u8]) -> Result<Vec<Section<'_>>, PatchError> {
    let mut lines = DiffLines::new(diff)?;
    let mut sections = Vec::new();
    while lines.skip_blank() {
        let header = file_header(&mut lines)?;
        let hunks = hunks(&mut lines)?;
        sections.push(section(header, hunks)?);
    }
    Ok(sections)
}

/// Reads a diff of one file, which may start with its first hunk.
pub(super) fn sections_for<'d>(path: &[u8], diff: &'d [u8]) -> Result<Vec<Section<'d>>, PatchError> {
    let mut lines = DiffLines::new(diff)?;
    if !lines.skip_blank() || !lines.peek().starts_with(b"@@ ") {
        return sections(diff);
    }
    let hunks = hunks(&mut lines)?;
    if lines.skip_blank() {
        return Err(lines.wrong("a hunk"));
    }
    Ok(vec![Section { change: SectionChange::Modify { path: path.to_vec() }, hunks }])
}

/// The lines before the hunks of a file. Names are as written; `Some(None)` is `/dev/null`.
#[derive(Default)]
struct FileHeader {
    line: usize,
    git: Option<Vec<u8>>,
    old: Option<Option<Vec<u8>>>,
    new: Option<Option<Vec<u8>>>,
    rename_from: Option<Vec<u8>>,
    rename_to: Option<Vec<u8>>,
    /// True if the created file is executable.
    created: Option<bool>,
    is_deleted: bool,
}

fn file_header(lines: &mut DiffLines<'_>) -> Result<FileHeader, PatchError> {
    let mut header = FileHeader { line: lines.number, ..FileHeader::default() };
    if let Some(names) = lines.peek().strip_prefix(b"diff --git ") {
        header.git = Some(names.to_vec());
        lines.next();
        while !lines.is_over() && git_header_line(&mut header, lines)? {
            lines.next();
        }
    }
    if let Some(name) = lines.peek().strip_prefix(b"--- ") {
        header.line = lines.number;
        header.old = Some(lines.name(name)?);
        lines.next();
        let Some(name) = lines.peek().strip_prefix(b"+++ ") else { return Err(lines.wrong("`+++ ` and a path")) };
        header.new = Some(lines.name(name)?);
        lines.next();
    } else if header.git.is_none() {
        return Err(lines.wrong("`--- ` and a path"));
    }
    Ok(header)
}

/// Reads a line that only git writes; returns whether it was one.
fn git_header_line(header: &mut FileHeader, lines: &DiffLines<'_>) -> Result<bool, PatchError> {
    let line = lines.peek();
    let says = |word: &[u8]| line.strip_prefix(word);
    if let Some(mode) = says(b"new file mode ") {
        header.created = Some(is_executable(mode, lines)?);
    } else if let Some(mode) = says(b"deleted file mode ") {
        is_executable(mode, lines)?;
        header.is_deleted = true;
    } else if let Some(rest) = says(b"index ") {
        if let Some(space) = rest.iter().position(|byte| *byte == b' ') {
            is_executable(rest.get(space + 1..).unwrap_or_default(), lines)?;
        }
    } else if let Some(name) = says(b"rename from ") {
        header.rename_from = Some(lines.plain_name(name)?);
    } else if let Some(name) = says(b"rename to ") {
        header.rename_to = Some(lines.plain_name(name)?);
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

fn is_executable(mode: &[u8], lines: &DiffLines<'_>) -> Result<bool, PatchError> {
    match mode {
        b"100644" => Ok(false),
        b"100755" => Ok(true),
        _ => Err(lines.unsupported("a link, a submodule or an unknown mode")),
    }
}

fn section(header: FileHeader, hunks: Vec<Hunk<'_>>) -> Result<Section<'_>, PatchError> {
    let line = header.line;
    let has_rename = header.rename_from.is_some() || header.rename_to.is_some();
    let expected = |expected| PatchError::Line { line, expected };
    let change = match (header.old, header.new) {
        (old, new) if has_rename => {
            let (Some(from), Some(to)) = (header.rename_from, header.rename_to) else {
                return Err(expected("a rename with both names"));
            };
            // A rename with changes names both files twice.
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
            let is_executable = header.created.unwrap_or_default();
            SectionChange::Create { path: checked(stripped(new, b"b/"), line)?, is_executable }
        }
        (Some(Some(old)), Some(None)) => SectionChange::Delete { path: checked(stripped(old, b"a/"), line)? },
        (Some(Some(old)), Some(Some(new))) => {
            if header.created.is_some() || header.is_deleted {
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
            let path = checked(header.git.as_deref().and_then(one_name).ok_or(PatchError::Names { line })?, line)?;
            match (header.created, header.is_deleted) {
                (Some(is_executable), false) => SectionChange::Create { path, is_executable },
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

/// Splits `a/NAME b/NAME` with equal names in the middle, because names may contain spaces.
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

fn checked(path: Vec<u8>, line: usize) -> Result<Vec<u8>, PatchError> {
    if path.is_empty() || check(&path).is_err() { Err(PatchError::Path { line }) } else { Ok(path) }
}

/// Reads the hunks of a file, if there are any: as many lines as each header counts, and no others.
fn hunks<'d>(lines: &mut DiffLines<'d>) -> Result<Vec<Hunk<'d>>, PatchError> {
    let mut hunks = Vec::new();
    let mut end = 0;
    while lines.peek().starts_with(b"@@ ") {
        let header = hunk_header(lines.peek()).ok_or_else(|| lines.wrong("the header of a hunk"))?;
        if header.old_start < end {
            return Err(lines.wrong("a hunk after the one before it"));
        }
        end = header.old_start.saturating_add(header.old_lines);
        lines.next();
        hunks.push(hunk(lines, &header)?);
    }
    Ok(hunks)
}

struct HunkHeader {
    old_start: usize,
    old_lines: usize,
    new_lines: usize,
}

/// `@@ -12,3 +14,5 @@ anything`
fn hunk_header(line: &[u8]) -> Option<HunkHeader> {
    let line = line.strip_prefix(b"@@ -")?;
    let space = line.iter().position(|byte| *byte == b' ')?;
    let (old, rest) = line.split_at_checked(space)?;
    let rest = rest.strip_prefix(b" +")?;
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let (new, rest) = rest.split_at_checked(space)?;
    rest.strip_prefix(b" @@")?;
    let ((old_start, old_lines), (_, new_lines)) = (range(old)?, range(new)?);
    // Lines count from 1; 0 is the position before the first.
    if old_start == 0 && old_lines > 0 || old_lines == 0 && new_lines == 0 {
        return None;
    }
    Some(HunkHeader { old_start, old_lines, new_lines })
}

fn range(text: &[u8]) -> Option<(usize, usize)> {
    let number = |digits: &str| {
        // `parse` takes a sign as well.
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse().ok().filter(|_| is_number)
    };
    let text = str::from_utf8(text).ok()?;
    match text.split_once(',') {
        Some((start, lines)) => Some((number(start)?, number(lines)?)),
        None => Some((number(text)?, 1)),
    }
}

fn hunk<'d>(lines: &mut DiffLines<'d>, header: &HunkHeader) -> Result<Hunk<'d>, PatchError> {
    let (mut old_left, mut new_left) = (header.old_lines, header.new_lines);
    let mut found = Vec::new();
    while old_left > 0 || new_left > 0 {
        let whole = lines.whole();
        let side = match whole.first() {
            Some(b' ') => Side::Both,
            Some(b'-') => Side::Old,
            Some(b'+') => Side::New,
            // An empty line whose space was stripped.
            None if !lines.is_over() => Side::Both,
            _ => return Err(lines.wrong("a line of the hunk")),
        };
        let (old, new) = match side {
            Side::Both => (1, 1),
            Side::Old => (1, 0),
            Side::New => (0, 1),
        };
        let counted = old_left.checked_sub(old).zip(new_left.checked_sub(new));
        (old_left, new_left) = counted.ok_or_else(|| lines.wrong("a line that the hunk's header counts"))?;
        lines.next();
        let has_end = !lines.peek().starts_with(NO_NEWLINE);
        if !has_end {
            lines.next();
        }
        found.push(Line { side, text: whole.get(1..).unwrap_or_default(), has_end });
    }
    Ok(Hunk { old_start: header.old_start, lines: found })
}

struct DiffLines<'d> {
    rest: &'d [u8],
    number: usize,
}

impl<'d> DiffLines<'d> {
    fn new(diff: &'d [u8]) -> Result<Self, PatchError> {
        if diff.len() > MAX_EDIT_SIZE {
            return Err(PatchError::TooLong { bytes: diff.len() });
        }
        Ok(Self { rest: diff, number: 1 })
    }

    fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the current line without its newline.
    fn whole(&self) -> &'d [u8] {
        let end = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        self.rest.get(..end).unwrap_or_default()
    }

    /// Returns the current line without its newline or carriage return, as headers are read.
    fn peek(&self) -> &'d [u8] {
        let line = self.whole();
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    fn next(&mut self) {
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |end| end + 1);
        self.rest = self.rest.get(end..).unwrap_or_default();
        self.number += 1;
    }

    /// Skips empty lines; returns false at the end.
    fn skip_blank(&mut self) -> bool {
        while !self.is_over() && self.peek().is_empty() {
            self.next();
        }
        !self.is_over()
    }

    fn wrong(&self, expected: &'static str) -> PatchError {
        PatchError::Line { line: self.number, expected }
    }

    fn unsupported(&self, what: &'static str) -> PatchError {
        PatchError::Unsupported { line: self.number, what }
    }

    /// Reads the name after `--- ` or `+++ `, which a date may follow; none for `/dev/null`.
    fn name(&self, text: &[u8]) -> Result<Option<Vec<u8>>, PatchError> {
        let text = match text.first() {
            Some(b'"') => text,
            _ => text.split(|byte| *byte == b'\t').next().unwrap_or_default(),
        };
        if text == b"/dev/null" { Ok(None) } else { self.plain_name(text).map(Some) }
    }

    /// Reads a name, in quotes where git writes them.
    fn plain_name(&self, text: &[u8]) -> Result<Vec<u8>, PatchError> {
        if text.first() != Some(&b'"') {
            return Ok(text.to_vec());
        }
        match unquoted(text) {
            Some((name, rest)) if matches!(rest.first(), None | Some(b'\t')) => Ok(name),
            _ => Err(PatchError::Path { line: self.number }),
        }
    }
}

/// Reads a name in double quotes as git writes it; returns it with the rest of the text.
fn unquoted(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut name = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((name, rest)),
            b'\\' => {
                let (escaped, after) = escape(rest)?;
                name.push(escaped);
                rest = after;
            }
            byte => name.push(*byte),
        }
    }
}

fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let (byte, rest) = text.split_first()?;
    let plain = match byte {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        b'"' | b'\\' => *byte,
        b'0'..=b'3' => {
            let digits = text.get(..3)?;
            let digits = str::from_utf8(digits).ok()?;
            return Some((u8::from_str_radix(digits, 8).ok()?, text.get(3..)?));
        }
        _ => return None,
    };
    Some((plain, rest))
}

/// Starts the line which says that the line before it has no newline. The text after it can be translated.
const NO_NEWLINE: &[u8] = b"\\ ";
