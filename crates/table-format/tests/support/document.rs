//! docs/table-format.md -> the layout it states: what tests hold against the code, and where they break bytes.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use table_format::Section;

/// A line of a table of fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// `header`, a section, or a section and a kind of its rows: `states.skip`.
    pub(crate) row: String,
    pub(crate) name: String,
    pub(crate) at: usize,
    pub(crate) bytes: usize,
    pub(crate) says: String,
}

impl Field {
    /// As tests name it: `states.skip.stop`.
    pub(crate) fn path(&self) -> String {
        format!("{}.{}", self.row, self.name)
    }

    /// The section, unless it is a field of the header.
    pub(crate) fn section(&self) -> Option<Section> {
        let name = self.row.split('.').next()?;
        Section::ALL.into_iter().find(|section| section.name() == name)
    }

    /// The places of the file where it stands in that row.
    pub(crate) fn places(&self, file: &[u8], row: usize) -> Range<usize> {
        let start = match self.section() {
            Some(section) => section_places(file, section).start + row * row_bytes(section),
            None => 0,
        };
        start + self.at..start + self.at + self.bytes
    }
}

/// Every field of the document.
pub(crate) fn fields() -> &'static [Field] {
    static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
        let tables = tables(&["at", "bytes", "field", "says"]);
        let fields = tables.into_iter().flat_map(|(row, lines)| lines.into_iter().map(move |line| (row.clone(), line)));
        let field = |(row, line): (String, Vec<String>)| Field {
            row,
            at: line[0].parse().unwrap(),
            bytes: line[1].parse().unwrap(),
            name: line[2].clone(),
            says: line[3].clone(),
        };
        fields.map(field).collect()
    });
    &FIELDS
}

/// The field of that path.
pub(crate) fn field(path: &str) -> &'static Field {
    fields().iter().find(|field| field.path() == path).unwrap_or_else(|| panic!("the document has no field {path}"))
}

/// A field of the header.
pub(crate) fn header(name: &str) -> &'static Field {
    field(&format!("header.{name}"))
}

/// Sections and the bytes of their rows, in the order of the document.
pub(crate) fn sections() -> &'static [(String, usize)] {
    static SECTIONS: LazyLock<Vec<(String, usize)>> = LazyLock::new(|| {
        let tables = tables(&["section", "row bytes", "rows"]);
        let lines = tables.into_iter().flat_map(|(_, lines)| lines);
        lines.map(|line| (line[0].clone(), line[1].parse().unwrap())).collect()
    });
    &SECTIONS
}

/// Bytes of a row of the section.
pub(crate) fn row_bytes(section: Section) -> usize {
    sections().iter().find(|(name, _)| name == section.name()).unwrap().1
}

/// Limits, by what they bound.
pub(crate) fn limits() -> Vec<(String, u64)> {
    let lines = tables(&["limit", "most"]).into_iter().flat_map(|(_, lines)| lines);
    lines.map(|line| (line[0].clone(), line[1].replace(',', "").parse().unwrap())).collect()
}

/// Where edges lead, by each value of their upper four bits.
pub(crate) fn edges() -> Vec<(u32, String)> {
    numbered(&["upper four bits", "the other 28", "leads to"])
}

/// Where jumps lead, by each value of their upper two bits.
pub(crate) fn jumps() -> Vec<(u32, String)> {
    numbered(&["upper two bits", "the other 30", "leads to"])
}

/// When groups are asked, by each value.
pub(crate) fn whens() -> Vec<(u32, String)> {
    numbered(&["when", "the lane", "the group is asked"])
}

/// What the bits of the third word of a walk say.
pub(crate) fn walk_bits() -> Vec<(u32, String)> {
    numbered(&["bit", "how the lane is walked"])
}

/// Tables whose first column is a number or several, by each of them: what the last column says.
fn numbered(head: &[&str]) -> Vec<(u32, String)> {
    let lines = tables(head).into_iter().flat_map(|(_, lines)| lines);
    let of_line = |line: Vec<String>| {
        let (low, high) = line[0].split_once(" to ").unwrap_or((&line[0], &line[0]));
        let says = line.last().unwrap().clone();
        (low.parse().unwrap()..=high.parse().unwrap()).map(|number| (number, says.clone())).collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

/// The checks of an opening, in the order of the document: what stands in backticks at the start of each step.
pub(crate) fn checks() -> Vec<String> {
    let text = text();
    let steps = text.lines().skip_while(|line| *line != "## How a table is opened").skip(1);
    let steps = steps.take_while(|line| !line.starts_with("## "));
    let named = steps.filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    named.map(|line| line.split_once(": ").unwrap().0.split_once(". ").unwrap().1.replace('`', "")).collect()
}

/// The places of the file where a section stands.
pub(crate) fn section_places(file: &[u8], section: Section) -> Range<usize> {
    let mut start = fields().iter().filter(|field| field.row == "header").map(|field| field.bytes).sum();
    for (place, other) in Section::ALL.into_iter().enumerate() {
        let end = start + count(file, place) * row_bytes(other);
        if other == section {
            return start..end;
        }
        start = end;
    }
    start..start
}

/// Where the count of a section stands.
pub(crate) fn count_places(place: usize) -> Range<usize> {
    let start = header("counts").at + place * 4;
    start..start + 4
}

fn count(file: &[u8], place: usize) -> usize {
    let bytes = file[count_places(place)].try_into().unwrap();
    usize::try_from(u32::from_le_bytes(bytes)).unwrap()
}

/// Every table with this head, under the names of the headings above it.
fn tables(head: &[&str]) -> Vec<(String, Vec<Vec<String>>)> {
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let (mut section, mut kind) = (String::new(), String::new());
    let mut found: Vec<(String, Vec<Vec<String>>)> = Vec::new();
    let mut is_inside = false;
    for line in text().lines() {
        if let Some(name) = line.strip_prefix("#### ") {
            kind = format!(".{name}");
        } else if let Some(name) = line.strip_prefix("### ").or_else(|| line.strip_prefix("## ")) {
            (section, kind) = (name.to_lowercase(), String::new());
        }
        let cells = cells(line);
        if cells == head {
            is_inside = true;
            found.push((format!("{section}{kind}"), Vec::new()));
        } else if cells.is_empty() {
            is_inside = false;
        } else if is_inside && cells.iter().any(|cell| !cell.starts_with("---")) {
            found.last_mut().unwrap().1.push(cells);
        }
    }
    found
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inner.map(|inner| inner.split('|').map(|cell| cell.trim().to_owned()).collect()).unwrap_or_default()
}

/// All of it.
pub(crate) fn text() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/table-format.md")).unwrap()
}
