//! Lines of a diff -> the hunks of one file. As many lines as a hunk's head counts, and no others.

use super::PatchError;
use super::lines::Lines;
use super::section::{Hunk, Line, Side};

/// The hunks that come next; none is fine.
pub(super) fn hunks<'d>(lines: &mut Lines<'d>) -> Result<Vec<Hunk<'d>>, PatchError> {
    let mut hunks = Vec::new();
    let mut end = 0;
    while lines.peek().starts_with(b"@@ ") {
        let ranges = ranges(lines.peek()).ok_or_else(|| lines.wrong("the head of a hunk"))?;
        if ranges.old_start < end {
            return Err(lines.wrong("a hunk after the one before it"));
        }
        end = ranges.old_start.saturating_add(ranges.old_lines);
        lines.next();
        hunks.push(hunk(lines, &ranges)?);
    }
    Ok(hunks)
}

struct Ranges {
    old_start: usize,
    old_lines: usize,
    new_lines: usize,
}

/// `@@ -12,3 +14,5 @@ anything`
fn ranges(line: &[u8]) -> Option<Ranges> {
    let line = line.strip_prefix(b"@@ -")?;
    let space = line.iter().position(|byte| *byte == b' ')?;
    let (old, rest) = line.split_at_checked(space)?;
    let rest = rest.strip_prefix(b" +")?;
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let (new, rest) = rest.split_at_checked(space)?;
    rest.strip_prefix(b" @@")?;
    let ((old_start, old_lines), (_, new_lines)) = (range(old)?, range(new)?);
    // Lines count from 1; 0 is the place before them.
    if old_start == 0 && old_lines > 0 || old_lines == 0 && new_lines == 0 {
        return None;
    }
    Some(Ranges { old_start, old_lines, new_lines })
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

fn hunk<'d>(lines: &mut Lines<'d>, ranges: &Ranges) -> Result<Hunk<'d>, PatchError> {
    let (mut old_left, mut new_left) = (ranges.old_lines, ranges.new_lines);
    let mut found = Vec::new();
    while old_left > 0 || new_left > 0 {
        let whole = lines.whole();
        let side = match whole.first() {
            Some(b' ') => Side::Both,
            Some(b'-') => Side::Old,
            Some(b'+') => Side::New,
            // An empty line that lost its blank on the way.
            None if !lines.is_over() => Side::Both,
            _ => return Err(lines.wrong("a line of the hunk")),
        };
        let (old, new) = match side {
            Side::Both => (1, 1),
            Side::Old => (1, 0),
            Side::New => (0, 1),
        };
        let counted = old_left.checked_sub(old).zip(new_left.checked_sub(new));
        (old_left, new_left) = counted.ok_or_else(|| lines.wrong("a line that the hunk's head counts"))?;
        lines.next();
        let has_end = !lines.peek().starts_with(NO_NEWLINE);
        if !has_end {
            lines.next();
        }
        found.push(Line { side, text: whole.get(1..).unwrap_or_default(), has_end });
    }
    Ok(Hunk { old_start: ranges.old_start, lines: found })
}

/// How the line starts that takes the end off the line before; what follows is translated by some.
const NO_NEWLINE: &[u8] = b"\\ ";
