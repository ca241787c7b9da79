//! The page about threats -> the rows of its tables, with what stands in their cells.

use std::str::Chars;

const PAGE: &str = include_str!("../../../docs/threat-model.md");

/// A row as it is written, a cell behind the other.
#[derive(Debug)]
pub(crate) struct Row {
    cells: Vec<String>,
}

/// What a cell says: texts between backticks, and the words around them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) words: String,
    pub(crate) texts: Vec<Vec<u8>>,
}

/// The heading of every table.
pub(crate) fn headers() -> Vec<String> {
    tables().into_iter().map(|(header, _)| header).collect()
}

/// The rows of one table; at least so many, so that none are lost without notice.
pub(crate) fn rows(header: &str, least: usize) -> Vec<Row> {
    let found: Vec<_> = tables().into_iter().filter(|(found, _)| found == header).collect();
    let [(_, rows)] = <[_; 1]>::try_from(found).unwrap_or_else(|found| panic!("{header}: {} tables", found.len()));
    assert!(rows.len() >= least, "{header}: only {} rows", rows.len());
    assert!(rows.iter().all(|row| row.cells.len() == header.split('|').count()), "{rows:#?}");
    rows
}

impl Row {
    /// The one text of a cell; none is written as `(nothing)`.
    pub(crate) fn text(&self, place: usize) -> Vec<u8> {
        let said = self.said(place);
        match (said.words.as_str(), &said.texts[..]) {
            ("(nothing)", []) => Vec::new(),
            ("", [text]) => text.clone(),
            _ => panic!("{self:?}: {said:?}"),
        }
    }

    pub(crate) fn said(&self, place: usize) -> Said {
        let (mut words, mut texts) = (String::new(), Vec::new());
        let mut rest = self.cells[place].as_str();
        while let Some((before, after)) = rest.split_once('`') {
            words.push_str(before);
            // A text with backticks in it stands between two of them, and blanks.
            let (inner, mark) = match after.strip_prefix("` ") {
                Some(inner) => (inner, " ``"),
                None => (after, "`"),
            };
            let (text, after) = inner.split_once(mark).unwrap_or_else(|| panic!("{self:?}"));
            texts.push(decoded(text));
            rest = after;
        }
        words.push_str(rest);
        let words: Vec<&str> = words.split([',', ' ']).filter(|word| !word.is_empty()).collect();
        Said { words: words.join(" "), texts }
    }
}

impl Said {
    pub(crate) fn words(words: &str) -> Self {
        Self { words: words.to_owned(), texts: Vec::new() }
    }

    pub(crate) fn texts(texts: impl Iterator<Item = Vec<u8>>) -> Self {
        Self { words: String::new(), texts: texts.collect() }
    }
}

/// Each with its heading.
fn tables() -> Vec<(String, Vec<Row>)> {
    let mut tables: Vec<(String, Vec<Row>)> = Vec::new();
    let mut is_inside = false;
    for line in PAGE.lines() {
        let is_row = line.starts_with('|');
        match (is_inside, is_row, tables.last_mut()) {
            (_, true, _) if line.starts_with("|---") => {}
            (true, true, Some((_, rows))) => rows.push(Row { cells: cells(line) }),
            (_, true, _) => tables.push((cells(line).join(" | "), Vec::new())),
            (_, false, _) => {}
        }
        is_inside = is_row;
    }
    tables
}

/// A bar that belongs to a cell has a backslash before it.
fn cells(line: &str) -> Vec<String> {
    let line = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')).unwrap_or_else(|| panic!("{line}"));
    let mark = "\u{1}";
    line.replace("\\|", mark).split('|').map(|cell| cell.trim().replace(mark, "|")).collect()
}

/// What the page's signs stand for.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '␀' => bytes.push(0),
            '␉' => bytes.push(b'\t'),
            '␊' => bytes.push(b'\n'),
            '␍' => bytes.push(b'\r'),
            '␛' => bytes.push(0x1b),
            '⟨' => bytes.extend(special(&inside(&mut signs))),
            _ => bytes.extend(sign.to_string().into_bytes()),
        }
    }
    bytes
}

/// The number of a byte, or how often something is there.
fn special(text: &str) -> Vec<u8> {
    match text.split_once(" × ") {
        Some((times, text)) => decoded(text).repeat(times.parse().unwrap()),
        None => vec![u8::from_str_radix(text, 16).unwrap()],
    }
}

/// Up to the bracket that closes, which is taken too.
fn inside(signs: &mut Chars<'_>) -> String {
    let mut depth = 1;
    let is_before_end = |sign: &char| {
        depth += match sign {
            '⟨' => 1,
            '⟩' => -1,
            _ => 0,
        };
        depth > 0
    };
    signs.take_while(is_before_end).collect()
}
