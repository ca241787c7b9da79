//! The generator: nearly all of its policies are accepted, and together they have every construct of the language.

use std::collections::BTreeSet;

use policy_model::catalogue::{self, PARAMETER_TYPES, REQUIREMENTS};
use policy_model::{PACKS, Period};
use policy_syntax::{Effect, Operator, SetKind};
use tests::{Dice, check_text, generate};

const POLICIES: u64 = 4_000;

fn policies() -> impl Iterator<Item = String> {
    (0..POLICIES).map(|part| {
        let mut dice = Dice::seeded(part);
        let rules = if dice.chance(5) { dice.between(31, 40) } else { dice.between(1, 10) };
        let mut rules: Vec<Dice> = (0..rules).map(|_| Dice::seeded(dice.number())).collect();
        generate::policy(&mut dice, &mut rules)
    })
}

#[test]
fn nearly_every_policy_is_accepted() {
    let rejected = policies().filter(|policy| check_text(policy).model.is_none()).count();
    assert!(rejected * 100 < 4_000, "{rejected} of {POLICIES}");
}

/// No choice at all is the smallest policy, which shrinking ends at.
#[test]
fn a_policy_without_choices_is_accepted() {
    let policy = generate::policy(&mut Dice::new(&[]), &mut [Dice::new(&[])]);
    assert!(check_text(&policy).model.is_some(), "{policy}");
    assert_eq!(policy.lines().filter(|line| line.starts_with("rule ")).count(), 1, "{policy}");
}

#[test]
fn every_construct_of_the_language_is_made() {
    let (mut seen, mut all) = (BTreeSet::new(), String::new());
    for policy in policies() {
        seen.extend(policy.lines().filter(|line| line.trim_start().starts_with("where")).flat_map(shapes));
        all.push_str(&policy);
        all.push('\n');
    }
    let missing: Vec<&str> = SHAPES.iter().copied().filter(|shape| !seen.contains(*shape)).collect();
    assert_eq!(missing, [""; 0], "{seen:?}");
    let missing: Vec<String> = wanted().into_iter().filter(|text| !all.contains(text.as_str())).collect();
    assert_eq!(missing, [""; 0]);
}

/// The strings of a line, each with the text of its segments left out: `s` is any text.
fn shapes(line: &str) -> impl Iterator<Item = String> {
    line.split('"').skip(1).step_by(2).map(|text| text.split('/').map(shape).collect::<Vec<_>>().join("/"))
}

fn shape(segment: &str) -> String {
    let mut shape = String::new();
    for c in segment.chars() {
        match c {
            '*' => shape.push('*'),
            _ if !shape.ends_with('s') => shape.push('s'),
            _ => {}
        }
    }
    shape
}

fn wanted() -> Vec<String> {
    let mut wanted: Vec<String> = CONSTRUCTS.iter().map(|name| (*name).to_owned()).collect();
    wanted.extend(PACKS.iter().map(|pack| format!("\nuse {}\n", pack.name)));
    wanted.extend(PARAMETER_TYPES.iter().map(|(name, _)| format!(": {name}")));
    wanted.extend(REQUIREMENTS.iter().map(|(name, _)| format!("require {name}")));
    wanted.extend(Period::ALL.map(|period| format!(" per {}\n", period.as_str())));
    wanted.extend(Operator::ALL.map(|operator| format!("port {} ", operator.as_str())));
    wanted.extend(["B", "KiB", "MiB", "GiB", "ms", "s", "min", "h"].map(|unit| format!("0 {unit}\n")));
    for kind in SetKind::ALL.map(SetKind::keyword) {
        wanted.extend([format!("\n{kind} set-0 = \""), format!("\n{kind} set-0 =\n"), format!("\n{kind} set-1 = ")]);
    }
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny].map(Effect::as_str) {
        wanted.extend([
            format!(": {effect} anyone to "),
            format!(": {effect} reader to "),
            format!(": {effect} reader, "),
        ]);
    }
    for operation in enforce_core::Operation::ALL.iter().copied() {
        wanted.push(format!(" to {}", operation.name()));
        wanted.push(format!(" to {}.*", catalogue::tool(operation)));
        for attribute in catalogue::attributes(operation) {
            if attribute.kind.is_number() {
                wanted.push(format!("limit {} <= ", attribute.name));
            } else if catalogue::set_kind(attribute.kind).is_none() {
                wanted.push(format!("not {}", attribute.name));
            }
        }
    }
    wanted
}

const CONSTRUCTS: &[&str] = &[
    "\nwithout std.protected-paths\n",
    "\nrule r30: ",
    ", set-0\n",
    "in set-0",
    "\nassert a0: never ",
    " includes reader\n",
    " includes reader, coder\n",
    "\ntool jira(",
    "\ntool jira {\n}",
    "\ntool jira {\n  op search(",
    " calls <= ",
    "\nbudget b0: ",
    "\n  code X_1",
    "\n  because ",
    " and (",
    " or ",
    "not not ",
    "not (",
    " == \"",
    " != \"",
    " in 0, 1",
    ".01",
    "é",
    "matches \"^",
    "(a",
    "[ab]",
    "[^a]",
    r"\d",
    r"\w",
    r"\s",
    ")+",
    ")?",
    "{2}",
    "{1,3}",
    "{2,}",
    "{0}",
    ")*?",
    "(?i)",
    "(?s",
    "(?m)",
    "(?mR)",
    "(?U)",
    "(?x)",
    "(?u:",
    r"\b",
    r"\B",
    r"\b{start}",
    r"\A",
    r"\z",
    r"\xC3",
    r"\.",
];

/// `s` is any text.
const SHAPES: &[&str] = &[
    "s",
    "s/s",
    "s/**",
    "**/s",
    "**/*s",
    "**/s/**",
    "s/*/s",
    "*",
    "**",
    "s*s*s",
    "**/s*/**/s",
    "s*",
    "*s",
    "*s*",
    "s/**/*s",
    "s/**/s",
    "s/*",
    "*/**",
    "**/*",
    "**/**",
    "**/**/s",
    "*s/s",
    "s*s",
    "/s/*",
    "s//s",
];
