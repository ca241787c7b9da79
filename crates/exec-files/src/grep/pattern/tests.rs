//! The short way and the long way find the same.

use grep_searcher::Searcher;
use grep_searcher::sinks::Bytes;

use super::*;

/// Each way to search by itself: with a step of one byte every line is long.
fn both(pattern: &str) -> [Pattern; 2] {
    [usize::MAX, 1].map(|step_bytes| Pattern { step_bytes, ..Pattern::new(pattern, true).unwrap() })
}

#[test]
fn tool_grep_a_long_line_matches_where_a_short_one_does() {
    let stop = Stop::on_request();
    let mut random = fastrand::Rng::with_seed(11);
    let mut matches = 0;
    for pattern in PATTERNS {
        let [short, long] = both(pattern);
        let (short, long) = (short.matcher(&stop), long.matcher(&stop));
        let letters = if pattern.contains("\\b") || pattern.contains("\\B") { &LETTERS[..ASCII] } else { LETTERS };
        for _ in 0..500 {
            let length = random.usize(2..12);
            let line: Vec<u8> = (0..length).flat_map(|_| letters[random.usize(..letters.len())]).copied().collect();
            let expected = short.find(&line).unwrap();
            assert_eq!(expected, long.find(&line).unwrap(), "{pattern} in {}", line.escape_ascii());
            assert_eq!(expected.is_some(), long.is_match(&line).unwrap(), "{pattern} in {}", line.escape_ascii());
            matches += usize::from(expected.is_some());
        }
    }
    assert!(matches > 1_000, "there is something to find: {matches}");
}

#[test]
fn tool_grep_lines_match_as_they_do_alone_however_many_are_searched_at_once() {
    let stop = Stop::on_request();
    let mut random = fastrand::Rng::with_seed(12);
    let mut matches = 0;
    for pattern in ["ab", "a[bc]*c", "b+$|ca", "(?m)b+$|ca", "(?m)^c.b", "^c.b", "needle|cab", "^$", r"a\s"] {
        let [alone, _] = both(pattern);
        let alone = alone.matcher(&stop);
        for step_bytes in [1, 2, 3, 5, 8, usize::MAX] {
            let parts = Pattern { step_bytes, ..Pattern::new(pattern, true).unwrap() };
            for _ in 0..100 {
                let text: Vec<u8> = (0..random.usize(0..40)).map(|_| b"abc \n"[random.usize(..5)]).collect();
                let lines = text.strip_suffix(b"\n").unwrap_or(&text).split(|byte| *byte == b'\n');
                let expected: Vec<u64> = (1..)
                    .zip(lines)
                    .filter(|(_, line)| alone.is_match(line).unwrap())
                    .map(|(number, _)| number)
                    .collect();
                let mut found = Vec::new();
                let sink = Bytes(|number, _| {
                    found.push(number);
                    Ok(true)
                });
                Searcher::new().search_slice(parts.matcher(&stop), &text, sink).unwrap();
                if !text.is_empty() {
                    assert_eq!(found, expected, "{pattern} by {step_bytes} in {}", text.escape_ascii());
                }
                matches += found.len();
            }
        }
    }
    assert!(matches > 1_000, "there is something to find: {matches}");
}

/// The automaton knows what a word is in ASCII only.
#[test]
fn tool_grep_a_long_line_that_cannot_be_searched_is_not_said_to_have_no_match() {
    let stop = Stop::on_request();
    let [short, long] = both(r"\bab\b");
    let line = "é ab".as_bytes();
    assert!(short.matcher(&stop).is_match(line).unwrap());
    assert!(matches!(long.matcher(&stop).find(line), Err(NotSearched::TooLong)));
    assert!(matches!(long.matcher(&stop).find_candidate_line(line), Err(NotSearched::TooLong)));
}

const PATTERNS: &[&str] = &[
    "ab",
    "a|ab",
    "ab|a",
    "a+?b*",
    "a*",
    "(?:a|b)*c",
    "[^a]b",
    "^a",
    "b$",
    "^$",
    "^(?:ab|c)*$",
    "a.c",
    r"\w+",
    r"\s",
    r"\W\w",
    "(?i)AB",
    "é",
    "[é-ü]a",
    r"\bab\b",
    r"\Bb",
    r"(?-u:\b)a",
    "a{2,3}?",
    "(?m)^a|b$",
    r"\x00",
    "",
];
const LETTERS: &[&[u8]] = &[b"a", b"b", b"c", b" ", b"A", "é".as_bytes(), b"\xff"];
const ASCII: usize = 5;
