//! The contents of a table -> text for people: facts first, then sections, lanes and operations in columns.

use super::contents::{BudgetContents, Contents, LaneContents, OperationContents};
use crate::render::{counted, visible};

pub(super) fn render(contents: &Contents) -> String {
    let mut text = facts(contents);
    text.push_str(&heading("sections", &["section", "rows", "bytes"], &section_rows(contents)));
    if !contents.lanes.is_empty() {
        let columns = ["lane", "attribute", "mode", "direction", "classes", "states", ""];
        text.push_str(&heading("lanes: automata over one attribute", &columns, &lane_rows(&contents.lanes)));
    }
    let asked: Vec<_> = contents.operations.iter().filter(|operation| groups(operation) > 0).collect();
    if !asked.is_empty() {
        let columns = ["operation", "asked once", "driven", "lanes"];
        text.push_str(&heading("operations: groups of rules, and lanes by number", &columns, &operation_rows(&asked)));
    }
    let silent = contents.operations.len().saturating_sub(asked.len());
    if silent > 0 {
        text.push_str(&format!("  and {} that no rule speaks of\n", counted(silent, "operation")));
    }
    text
}

fn facts(contents: &Contents) -> String {
    let (rules, nodes) = (&contents.rules, &contents.nodes);
    let versions = format!("{}, for language version {}", contents.format_version, contents.language_version);
    let by_effect = format!("{}: {} deny, {} ask, {} allow", rules.total(), rules.deny, rules.ask, rules.allow);
    let (flag, bit, range) = (nodes.flag, nodes.bit, nodes.range);
    let (sorted, number) = (nodes.sorted, nodes.number);
    let by_kind = format!("{}: {flag} flag, {bit} bit, {range} range, {sorted} sorted, {number} number", nodes.total());
    let mut facts = vec![
        ("policy", visible(&contents.policy).into_owned()),
        ("format version", versions),
        ("blake3", contents.blake3.clone()),
        ("sources", contents.sources.clone()),
        ("bytes", contents.bytes.to_string()),
        ("rules", by_effect),
        ("roles", listed(&contents.roles)),
        ("nodes", by_kind),
    ];
    let split = split_attributes(&contents.lanes);
    if !split.is_empty() {
        facts.push(("split", format!("{}: patterns that fit no few automata, matched slower", split.join(", "))));
    }
    facts.extend(contents.budgets.iter().map(|budget| ("budget", budget_line(budget))));
    facts.into_iter().map(|(name, value)| format!("{name:<FACT_WIDTH$}{value}\n")).collect()
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| visible(name).into_owned()).collect::<Vec<_>>().join(", "),
    }
}

fn split_attributes(lanes: &[LaneContents]) -> Vec<String> {
    let mut names: Vec<_> = lanes.iter().filter(|lane| lane.split).map(|lane| lane.attribute.clone()).collect();
    names.dedup();
    names
}

fn budget_line(budget: &BudgetContents) -> String {
    let BudgetContents { name, roles, measure, most, period } = budget;
    let whose = roles.as_ref().map_or("anyone".to_owned(), |roles| listed(roles));
    format!("{}: {measure} <= {most} per {period} for {whose}", visible(name))
}

fn section_rows(contents: &Contents) -> Vec<Vec<String>> {
    let row = |section: &super::sections::Rows| {
        vec![section.name.to_owned(), section.rows.to_string(), section.bytes.to_string()]
    };
    contents.sections.iter().map(row).collect()
}

fn lane_rows(lanes: &[LaneContents]) -> Vec<Vec<String>> {
    let row = |lane: &LaneContents| {
        vec![
            lane.lane.to_string(),
            visible(&lane.attribute).into_owned(),
            lane.mode.to_owned(),
            lane.direction.to_owned(),
            lane.classes.to_string(),
            lane.states.to_string(),
            if lane.split { "split".to_owned() } else { String::new() },
        ]
    };
    lanes.iter().map(row).collect()
}

fn operation_rows(operations: &[&OperationContents]) -> Vec<Vec<String>> {
    let row = |operation: &&OperationContents| {
        let lanes: Vec<_> = operation.lanes.iter().map(u32::to_string).collect();
        vec![
            visible(&operation.name).into_owned(),
            operation.groups_asked_once.to_string(),
            operation.groups_driven.to_string(),
            lanes.join(" "),
        ]
    };
    operations.iter().map(row).collect()
}

fn groups(operation: &OperationContents) -> u16 {
    operation.groups_asked_once.saturating_add(operation.groups_driven)
}

/// A title and columns under it; a column of numbers is set to the right.
fn heading(title: &str, columns: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    let is_number = |place: usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(place));
        cells.all(|cell| !cell.is_empty() && cell.chars().all(|c| c.is_ascii_digit()))
    };
    let numeric: Vec<bool> = (0..columns.len()).map(is_number).collect();
    let all = || std::iter::once(&head).chain(rows);
    let width = |place: usize| all().filter_map(|row| row.get(place)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns.len()).map(|place| width(place).unwrap_or_default()).collect();
    let mut text = format!("\n{title}\n");
    for row in all() {
        let cells = row.iter().zip(widths.iter().zip(&numeric)).map(|(cell, (width, is_number))| match is_number {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(&format!("  {}\n", line.trim_end()));
    }
    text
}

const FACT_WIDTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_on_the_right_and_words_on_the_left() {
        let rows = [["a", "9"], ["long", "10"]].map(|row| row.map(str::to_owned).to_vec()).to_vec();
        assert_eq!(heading("t", &["n", "count"], &rows), "\nt\n  n     count\n  a         9\n  long     10\n");
    }
}
