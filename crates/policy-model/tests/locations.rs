//! Where the parts of a model are written: what a location covers, word by word.

mod support;

use std::path::Path;

use policy_model::{CheckOptions, Checked, Condition, LocatedPattern, Memory, check_in};
use policy_syntax::Location;
use support::checked;

fn written(checked: &Checked, at: Location) -> &str {
    checked.sources.get(at.file).map(|source| source.slice(at.span)).unwrap_or_default()
}

/// Every condition, a composite before its parts.
fn all(condition: &Condition) -> Vec<&Condition> {
    let parts: Vec<&Condition> = match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().collect(),
        Condition::Not(part) => vec![part],
        Condition::Flag { .. }
        | Condition::In { .. }
        | Condition::Equals { .. }
        | Condition::Matches { .. }
        | Condition::Number { .. } => Vec::new(),
    };
    std::iter::once(condition).chain(parts.into_iter().flat_map(all)).collect()
}

#[test]
fn a_condition_stands_where_it_is_written_and_a_composite_from_its_first_part_to_its_last() {
    for (operation, condition, expected) in [
        ("git.push", "force", vec!["force"]),
        ("git.push", "not (force)", vec!["force", "force"]),
        (
            "git.push",
            "(force or  all) and ref != \"x\"",
            vec!["force or  all) and ref != \"x\"", "force or  all", "force", "all", "ref != \"x\"", "ref != \"x\""],
        ),
        ("git.push", "ref in \"a\", \"b/**\"", vec!["ref in \"a\", \"b/**\""]),
        ("git.push", "ref == \"a\"", vec!["ref == \"a\""]),
        ("git.push", "ref matches \"^a$\"", vec!["ref matches \"^a$\""]),
        ("http.request", "port <= 80", vec!["port <= 80"]),
        ("http.request", "port in 80, 443", vec!["port in 80, 443"; 3]),
        ("file.read", "bytes != 1 KiB", vec!["bytes != 1 KiB"]),
    ] {
        let text = format!("policy p language 1\nrole r\nrule x: allow r to {operation}\n  where {condition}\n");
        let checked = checked(&text);
        let model = checked.model.as_ref().unwrap();
        let conditions = all(model.rule("x").unwrap().condition.as_ref().unwrap());
        let places: Vec<&str> = conditions.iter().map(|condition| written(&checked, condition.at())).collect();
        assert_eq!(places, expected, "{condition}");
    }
}

#[test]
fn a_composite_without_parts_stands_at_the_start_and_widens_no_other() {
    let checked = checked("policy p language 1 role r rule x: allow r to git.push where force");
    let leaf = checked.model.as_ref().unwrap().rule("x").unwrap().condition.clone().unwrap();
    let nothing = Condition::Any(Vec::new());
    assert_eq!((nothing.at().file, nothing.at().span.range()), (checked.root, 0..0));
    let at = leaf.at();
    assert_eq!(Condition::All(vec![nothing.clone(), leaf, nothing]).at(), at);
}

#[test]
fn a_pattern_stands_where_its_own_string_does_also_in_another_file() {
    let files = Memory::default().with("team.policy", "policy team language 1 paths docs = \"docs/**\"").with(
        "main.policy",
        r#"policy p language 1 use "./team.policy" role r
            paths own = "src/**", docs, "a\"b"
            rule x: allow r to file.read where path in own, "*.md", docs"#,
    );
    let checked = check_in(&files, Path::new("main.policy"), CheckOptions::default());
    let rule = checked.model.as_ref().unwrap().rule("x").unwrap();
    let Some(Condition::In { sets, .. }) = &rule.condition else { panic!("{rule:?}") };
    let shown = |located: &LocatedPattern| {
        let file = checked.sources.get(located.at.file).unwrap().name().to_owned();
        (file, located.pattern.to_string(), written(&checked, located.at).to_owned())
    };
    let shown: Vec<_> = sets.iter().flat_map(|set| set.patterns()).map(shown).collect();
    let of = |file: &str, pattern: &str, text: &str| (file.to_owned(), pattern.to_owned(), text.to_owned());
    let docs = of("team.policy", "docs/**", "\"docs/**\"");
    let expected = [
        docs.clone(),
        of("main.policy", "src/**", "\"src/**\""),
        of("main.policy", "a\"b", r#""a\"b""#),
        docs,
        of("main.policy", "*.md", "\"*.md\""),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_limit_stands_where_its_clause_does() {
    let checked = checked(
        "policy p language 1 role r rule x: allow r to file.read\n limit bytes <= 1 KiB, offset <= 2 B because \"y\"",
    );
    let limits = &checked.model.as_ref().unwrap().rule("x").unwrap().limits;
    let places: Vec<_> = limits.iter().map(|limit| (limit.most, written(&checked, limit.at))).collect();
    let clause = "limit bytes <= 1 KiB, offset <= 2 B";
    assert_eq!(places, [(1024, clause), (2, clause)]);
}

#[test]
fn names_are_found_and_unknown_ones_are_not() {
    let model = support::model("policy p language 1 role q role r tool t rule x: allow r to t");
    let role = model.role("r").unwrap();
    let operation = model.operation("t").unwrap();
    assert_eq!((model.roles[role.0].name.as_str(), model.operations[operation.0].name.as_str()), ("r", "t"));
    assert_eq!(model.rule("x").unwrap().operations.iter().collect::<Vec<_>>(), [&operation]);
    assert_eq!((model.role("x"), model.operation("r"), model.rule("t").is_some()), (None, None, false));
}

/// A set may have 100,000 of them.
#[test]
fn a_pattern_with_its_place_is_small() {
    assert!(size_of::<LocatedPattern>() <= 48, "{}", size_of::<LocatedPattern>());
}
