//! docs/language.md -> a complaint about each example that does not compile as it says and each table
//! that says something else than the code.
//!
//! A fence ```` ```policy ```` holds a whole policy or a part of one; what does not start with `policy ` is
//! compiled below the fence tagged `prelude`, without the declarations that it has itself. Tags:
//! `fails=E0401` (that error and no other), `warns=W0805` (that warning and no error), `file=team.policy`
//! (others can import it), `before` and `after` (the second is the first as `fmt` lays it out).

#![cfg(test)]

use std::collections::BTreeSet;
use std::path::Path;

use enforce_core::{AttributeDef, Operation};
use policy_judge::{CheckOptions, judge_policy};
use policy_model::catalogue::{
    Access, AttributeKind, PARAMETER_TYPES, REQUIREMENTS, RESERVED_CODES, access, attributes, judged_for_each, noun,
    set_kind, tool,
};
use policy_model::{Checked, Memory, PACKS, Pattern};
use policy_syntax::{FileId, SetKind, Severity, Source, Sources, format};

const DOC: &str = include_str!("../../../docs/language.md");
const GRAMMAR: &str = include_str!("../../../grammar/policy.pest");

#[test]
fn every_example_is_what_it_says() {
    let fences = fences();
    assert!(fences.len() >= 30, "a reference has examples: {} are too few", fences.len());
    let complaints: Vec<String> = fences.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn examples_are_in_the_canonical_layout() {
    for fence in fences().iter().filter(|fence| !fence.has("before")) {
        if let Ok(laid_out) = format(some_file(), &fence.policy()) {
            assert!(laid_out.ends_with(&fence.text), "line {} of docs/language.md:\n{laid_out}", fence.line);
        }
    }
    let of = |tag| fences().into_iter().find(|fence| fence.has(tag)).unwrap().text;
    assert_eq!(format(some_file(), &of("before")).unwrap(), of("after"));
}

#[test]
fn the_table_of_patterns_matches_as_it_says() {
    let rows = table("| kind | pattern | value | matches |");
    for kind in SetKind::ALL {
        assert!(rows.iter().any(|row| row[0] == kind.keyword()), "no example of {}", kind.keyword());
    }
    for row in &rows {
        let [kind, pattern, value, matches] = row.as_slice() else { panic!("{row:?}") };
        let kind = SetKind::of_keyword(kind).unwrap();
        let value = if value == "(the workspace itself)" { "" } else { value };
        let actual = Pattern::new(kind, pattern).unwrap().matches(value);
        assert_eq!(matches, if actual { "yes" } else { "no" }, "{row:?}");
    }
}

#[test]
fn the_catalogue_is_listed_row_by_row() {
    // One row for neighbours of one tool that are judged alike.
    let is_alike = |one: &Operation, next: &Operation| {
        let row = |operation: Operation| (tool(operation), judged_for_each(operation), operation.attributes());
        row(*one) == row(*next)
    };
    let row = |operations: &[Operation]| {
        let names = operations.iter().map(|operation| operation.name().to_owned()).collect::<Vec<_>>();
        let attributes = attributes(operations[0]).map(attribute).collect::<Vec<_>>();
        vec![names.join(", "), judged_for_each(operations[0]).to_owned(), attributes.join(", ")]
    };
    let expected: Vec<Vec<String>> = Operation::ALL.chunk_by(is_alike).map(row).collect();
    assert_same(&table("| operations | judged once for each | attributes |"), &expected);

    let looking = Operation::ALL.iter().filter(|operation| access(**operation) == Access::Observe);
    let looking = looking.map(|operation| format!("`{}`", operation.name()));
    let sentence = format!("These only look: {}.", looking.collect::<Vec<_>>().join(", "));
    assert_says(&sentence);
}

#[test]
fn requirements_types_codes_packs_and_keywords_are_all_listed() {
    let own = |text: &str| text.to_owned();
    let requirements = REQUIREMENTS.iter().map(|(name, meaning)| vec![own(name), own(meaning)]);
    assert_same(&table("| requirement | holds when |"), &requirements.collect::<Vec<_>>());

    let types = PARAMETER_TYPES.iter().map(|(name, kind)| {
        let set = set_kind(*kind).map_or("", SetKind::keyword);
        vec![own(name), own(set)]
    });
    let written: Vec<_> = table("| type | set | asked by |").into_iter().map(|row| row[..2].to_vec()).collect();
    assert_same(&written, &types.collect::<Vec<_>>());

    let reserved = RESERVED_CODES.iter().map(|code| format!("`{code}`")).collect::<Vec<_>>().join(", ");
    assert_says(&format!("No rule can have these codes: {reserved}."));

    let packs = PACKS.iter().map(|pack| format!("`{}`", pack.name)).collect::<Vec<_>>().join(", ");
    assert_says(&format!("The packs are {packs}."));

    let listed = table("| keywords | stand |");
    let listed: BTreeSet<&str> = listed.iter().flat_map(|row| row[0].split(", ")).collect();
    let lists = ["opening ", "set_kind ", "connective ", "clause_word ", "verdict "];
    let lines = GRAMMAR.lines().filter(|line| lists.iter().any(|list| line.starts_with(list)));
    let known: BTreeSet<&str> = lines.flat_map(|line| line.split('"').skip(1).step_by(2)).collect();
    assert_eq!(listed, known);
}

#[test]
fn limits_have_the_values_listed() {
    let written: Vec<(String, u64)> = table("| limit | most | of what | beyond it |")
        .into_iter()
        .map(|row| (row[0].clone(), row[1].replace(',', "").parse().unwrap()))
        .collect();
    let public = [
        ("FILE_BYTES_MAX", policy_syntax::limits::FILE_BYTES_MAX as u64),
        ("LINE_BYTES_MAX", policy_syntax::limits::LINE_BYTES_MAX as u64),
        ("NESTING_MAX", policy_syntax::limits::NESTING_MAX as u64),
        ("FINDINGS_MAX", policy_syntax::limits::FINDINGS_MAX as u64),
        ("NUMBER_MAX", policy_model::NUMBER_MAX),
        ("PATTERN_BYTES_MAX", policy_model::PATTERN_BYTES_MAX as u64),
        ("COMPILED_BYTES_MAX", policy_model::COMPILED_BYTES_MAX as u64),
    ];
    let private = BOUNDS.iter().map(|(name, most, ..)| (*name, *most as u64));
    let expected: Vec<_> = public.into_iter().chain(private).map(|(name, most)| (name.to_owned(), most)).collect();
    assert_eq!(written, expected);
}

#[test]
fn limits_without_a_public_constant_hold_where_they_are_said_to() {
    for (name, most, code, policy) in BOUNDS {
        let codes_of = |count| codes(&check(&policy(count)));
        assert!(!codes_of(*most).contains(*code), "{name}: {most} should be fine");
        assert!(codes_of(most + 1).contains(*code), "{name}: {} should be {code}", most + 1);
    }
}

/// A limit: its name, its value, the finding beyond it, and a policy that has so many.
type Bound = (&'static str, usize, &'static str, fn(usize) -> Memory);

const BOUNDS: &[Bound] = &[
    ("FILES_MAX", 1_024, "E0306", |files| {
        let uses: String = (1..files).map(|file| format!("use \"./{file}.policy\"\n")).collect();
        let empty = |memory: Memory, file| memory.with(format!("policy/{file}.policy"), "policy x language 1\n");
        (1..files).fold(bare(&uses), empty)
    }),
    ("DEPTH_MAX", 32, "E0306", |files| {
        let next = |memory: Memory, file: usize| {
            let name = if file == 1 { "agent".to_owned() } else { file.to_string() };
            let goes_on = if file < files { format!("use \"./{}.policy\"\n", file + 1) } else { String::new() };
            memory.with(format!("policy/{name}.policy"), format!("policy x language 1\n{goes_on}"))
        };
        (1..=files).fold(Memory::default(), next)
    }),
    ("ROLES_MAX", 1_024, "E0416", |roles| bare(&(0..roles).map(|role| format!("role r{role}\n")).collect::<String>())),
    ("SETS_REACHED_MAX", 1_000_000, "E0416", |members| {
        // Each set of a chain holds all the ones before it; the rest stand alone.
        let chained = 1_413;
        let alone = members - chained * (chained + 1) / 2;
        let chain = (1..chained).map(|set| format!("paths s{set} = s{}\n", set - 1));
        let rest = (0..alone).map(|set| format!("paths t{set} = \"a\"\n"));
        bare(&format!("paths s0 = \"a\"\n{}", chain.chain(rest).collect::<String>()))
    }),
    ("CODE_BYTES_MAX", 64, "E0506", |bytes| {
        let code = "X".repeat(bytes);
        bare(&format!("rule x:\n  deny anyone to file.read\n  code {code}\n"))
    }),
    ("REGEX_NESTING_MAX", 64, "E0601", |depth| {
        let regex = format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        bare(&format!("rule x:\n  deny anyone to proc.list\n  where filter matches \"{regex}\"\n"))
    }),
    ("OPERATIONS_MAX", 1_024, "E0416", |operations| {
        bare(&(Operation::ALL.len()..operations).map(|tool| format!("tool t{tool}\n")).collect::<String>())
    }),
    ("PARAMETERS_MAX", 256, "E0416", |parameters| {
        let each: Vec<String> = (0..parameters).map(|parameter| format!("p{parameter}: int")).collect();
        bare(&format!("tool x({})\n", each.join(", ")))
    }),
];

/// One example.
struct Fence {
    line: usize,
    tags: Vec<String>,
    text: String,
}

impl Fence {
    fn has(&self, tag: &str) -> bool {
        self.tags.iter().any(|has| has == tag)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.tags.iter().find_map(|tag| tag.strip_prefix(key)?.strip_prefix('='))
    }

    fn is_whole(&self) -> bool {
        self.text.lines().find(|line| !line.starts_with('#')).is_some_and(|line| line.starts_with("policy "))
    }

    /// The text as a policy of its own.
    fn policy(&self) -> String {
        if self.is_whole() {
            return self.text.clone();
        }
        let prelude = fences().into_iter().find(|fence| fence.has("prelude")).unwrap();
        let declares = |line: &str| line.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
        let own: Vec<_> = self.text.lines().map(declares).collect();
        let rest = prelude.text.lines().filter(|line| line.is_empty() || !own.contains(&declares(line)));
        format!("{}\n{}", rest.collect::<Vec<_>>().join("\n"), self.text)
    }
}

/// The fences of policies in the document.
fn fences() -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    for (number, line) in (1..).zip(DOC.lines()) {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => fences.extend(open.take()),
            (Some(tags), None) => {
                let tags = tags.split(',').map(str::to_owned).collect();
                open = Some(Fence { line: number, tags, text: String::new() });
            }
            (None, Some(fence)) => fence.text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "the last fence is not closed");
    fences.retain(|fence| fence.has("policy"));
    fences
}

/// What is wrong with an example, if anything.
fn complaint(fence: &Fence) -> Option<String> {
    // An import is found beside the policy, and one folder up, where it may not be.
    let shared: Vec<_> =
        fences().into_iter().filter_map(|file| Some((file.value("file")?.to_owned(), file.text))).collect();
    let place = |memory: Memory, (name, text): &(String, String)| {
        memory.with(format!("policy/{name}"), text.as_str()).with(name, text.as_str())
    };
    let checked = check(&shared.iter().fold(one(&fence.policy()), place));
    let of = |severity| -> BTreeSet<&str> {
        let found = checked.diagnostics.iter().filter(|finding| finding.code.severity == severity);
        found.map(|finding| finding.code.id).collect()
    };
    let tolerated: &[&str] = if fence.is_whole() && !fence.has("prelude") { &[] } else { &["W0801", "W0802", "W0810"] };
    let warnings: BTreeSet<&str> = &of(Severity::Warning) - &tolerated.iter().copied().collect();
    let expected = (fence.value("fails"), fence.value("warns"));
    let named = expected.0.or(expected.1);
    let is_right = match expected {
        (Some(code), _) => of(Severity::Error) == BTreeSet::from([code]),
        (None, Some(code)) => of(Severity::Error).is_empty() && warnings == BTreeSet::from([code]),
        (None, None) => of(Severity::Error).is_empty() && warnings.is_empty(),
    };
    let is_said = named.is_none_or(|code| fence.text.contains(code));
    (!is_right || !is_said).then(|| {
        let found = checked.diagnostics.iter().map(|finding| {
            let line =
                checked.sources.get(finding.primary.at.file).unwrap().position(finding.primary.at.span.start).line;
            format!("  {} {}: {}", finding.code.id, line, finding.message)
        });
        let wanted = named.map_or("no finding".to_owned(), |code| format!("{code}, named in a comment"));
        let lines = std::iter::once(format!("line {} of docs/language.md: expected {wanted}", fence.line)).chain(found);
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// A policy without the pack that every other has, so that nothing but its own text counts.
fn bare(text: &str) -> Memory {
    one(&format!("policy p language 1\nwithout std.protected-paths\n{text}"))
}

fn one(text: &str) -> Memory {
    Memory::default().with("policy/agent.policy", text)
}

fn check(files: &Memory) -> Checked {
    judge_policy(files, Path::new("policy/agent.policy"), CheckOptions::default(), |_| true).unwrap().checked
}

fn codes(checked: &Checked) -> BTreeSet<&'static str> {
    checked.diagnostics.iter().map(|finding| finding.code.id).collect()
}

fn some_file() -> FileId {
    Sources::default().add(Source::new("docs/language.md", ""))
}

/// The cells of the table below that head, without code marks.
fn table(head: &str) -> Vec<Vec<String>> {
    let rows = DOC.lines().skip_while(|line| *line != head).skip(2).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| -> Vec<String> {
        let inside = line.trim_matches('|');
        inside.split('|').map(|cell| cell.trim().replace('`', "")).collect()
    };
    let rows: Vec<_> = rows.map(cells).collect();
    assert!(!rows.is_empty(), "docs/language.md has no table {head}");
    rows
}

fn assert_same(written: &[Vec<String>], expected: &[Vec<String>]) {
    let lines = expected.iter().map(|row| format!("| {} |", row.join(" | ")));
    assert!(written == expected, "the table should have\n{}", lines.collect::<Vec<_>>().join("\n"));
}

/// Line breaks are blanks, as in every paragraph.
fn assert_says(sentence: &str) {
    assert!(DOC.replace('\n', " ").contains(sentence), "docs/language.md should say\n{sentence}");
}

/// `bytes: size`, in the words of a tool's parameters where there is one.
fn attribute(attribute: &AttributeDef) -> String {
    let word = PARAMETER_TYPES.iter().find(|(_, kind)| *kind == attribute.kind).map(|(word, _)| *word);
    let word = word.unwrap_or(match attribute.kind {
        AttributeKind::Hundredths => "decimal",
        other => noun(other),
    });
    let later = if attribute.known_after_act { " (later)" } else { "" };
    format!("{}: {word}{later}", attribute.name)
}
