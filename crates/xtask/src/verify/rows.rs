//! What an engine prints -> rows, and rows -> the table.

use std::fmt::Write as _;

/// What a list of tests names behind a start: the property of `proofs::path::a: test`.
pub(super) fn names(listed: &str, start: &str) -> Vec<String> {
    let tests = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.filter_map(|name| name.strip_prefix(start)).map(String::from).collect()
}

/// What an engine says of a property, as it prints it: `path::a: 12 cases, 3 met the premise, 0.5 s`. Other words may
/// stand before it, and the path of the harness too.
pub(super) fn rows(printed: &str) -> Vec<(String, Answer)> {
    printed.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<(String, Answer)> {
    let (before, after) = line.split_once(" cases, ")?;
    let mut words = before.rsplit(' ');
    let cases = words.next()?.parse().ok()?;
    // A quiet run puts a dot for each test that ended.
    let name = words.next()?.strip_suffix(':')?.trim_start_matches('.');
    let (met, rest) = after.split_once(" met the premise, ")?;
    let (seconds, rest) = rest.split_once(" s")?;
    let loops = rest.strip_prefix(", loops ").unwrap_or_default().to_owned();
    let name = name.split_once("proofs::").map_or(name, |(_, name)| name);
    Some((name.to_owned(), Answer { cases, met: met.parse().ok()?, seconds: seconds.to_owned(), loops }))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    cases: u64,
    met: u64,
    seconds: String,
    /// How often the longest loop was entered, of how often it is unwound; nothing where that is not counted.
    loops: String,
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    property: String,
    engine: &'static str,
    /// Nothing when the engine did not answer, or said that the property does not hold.
    answer: Option<Answer>,
}

impl Row {
    /// The row of a property in what an engine printed.
    pub(super) fn of(property: &str, engine: &'static str, rows: &[(String, Answer)]) -> Self {
        let answer = rows.iter().find(|(name, _)| name == property).map(|(_, answer)| answer.clone());
        Self { property: property.to_owned(), engine, answer }
    }

    /// Whether nothing is known by it.
    pub(super) fn is_silent(&self) -> bool {
        self.answer.as_ref().is_none_or(|answer| answer.met == 0)
    }
}

/// The table.
pub(super) fn render(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| row.property.len()).max().unwrap_or_default().max("property".len());
    let mut text =
        format!("{:width$}  {:8}  {:>12}  {:>12}  {:>8}  loops\n", "property", "engine", "cases", "met", "seconds");
    for Row { property, engine, answer } in rows {
        // Writing to a String cannot fail.
        let _ = match answer {
            Some(Answer { cases, met, seconds, loops }) => {
                let line = format!("{property:width$}  {engine:8}  {cases:>12}  {met:>12}  {seconds:>8}  {loops}");
                writeln!(text, "{}", line.trim_end())
            }
            None => writeln!(text, "{property:width$}  {engine:8}  FAILED"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harnesses_are_listed_by_their_properties() {
        let listed =
            "proofs::path::a: test\nengines::drive::tests::b: test\nproofs::net::c: test\n\n2 tests, 0 benchmarks\n";
        assert_eq!(names(listed, "proofs::"), ["path::a", "net::c"]);
    }

    #[test]
    fn answers_are_found_among_what_tests_print() {
        let printed = "\nrunning 2 tests\n..path::a: 12 cases, 3 met the premise, 0.5 s\n\
                       test proofs::net::b ... verify::proofs::net::b: 100 cases, 0 met the premise, 1.0 s, loops 3 of 4\nok\n";
        let rows = rows(printed);
        let answer = |cases, met, seconds: &str, loops: &str| Answer {
            cases,
            met,
            seconds: seconds.into(),
            loops: loops.into(),
        };
        assert_eq!(
            rows,
            [("path::a".to_owned(), answer(12, 3, "0.5", "")), ("net::b".to_owned(), answer(100, 0, "1.0", "3 of 4"))]
        );
        let table = ["path::a", "net::b", "net::c"].map(|property| Row::of(property, "counted", &rows));
        assert_eq!(table.each_ref().map(Row::is_silent), [false, true, true]);
        let expected = "property  engine           cases           met   seconds  loops\n\
                        path::a   counted             12             3       0.5\n\
                        net::b    counted            100             0       1.0  3 of 4\n\
                        net::c    counted   FAILED\n";
        assert_eq!(render(&table), expected);
    }
}
