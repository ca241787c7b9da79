//! Coverage -> a table for people, or an object for programs.

use policy_model::written;
use policy_syntax::{Effect, Position, Source};
use serde::Serialize;

use crate::cli::TestArgs;
use crate::coverage::{Coverage, Part, PartKind, RuleCoverage, Side, Totals};
use crate::render::{counted, visible};

/// The rules of each file, what no test has seen of them, and how much that is.
pub(super) fn coverage_text(coverage: &Coverage<'_>, args: &TestArgs) -> String {
    let (counted_rules, others): (Vec<_>, Vec<_>) = coverage.rules.iter().partition(|rule| is_counted(rule, args));
    let mut text = String::new();
    for (file, rules) in by_file(&counted_rules) {
        text.push_str(&format!("\n{}\n{}", visible(file), table(&rules)));
    }
    let uncovered: Vec<String> = counted_rules.iter().flat_map(|rule| uncovered_lines(rule)).collect();
    if !uncovered.is_empty() {
        text.push_str(&format!("\nnot covered\n{}", uncovered.concat()));
    }
    if !others.is_empty() {
        text.push_str(&format!("\nrule packs, not counted\n{}", table(&others)));
    }
    text.push_str(&format!("\n{}\n", in_words(&totals(coverage, args))));
    text
}

/// Returns the complaint when less is covered than asked for.
pub(super) fn below_threshold(coverage: &Coverage<'_>, args: &TestArgs) -> Option<String> {
    let threshold = args.threshold?;
    let totals = totals(coverage, args);
    let share = per_cent(&totals);
    (!totals.reaches(threshold)).then(|| {
        let Totals { covered, branches, .. } = totals;
        format!("coverage is {share} ({covered} of {branches} branches), below the threshold of {threshold}%")
    })
}

fn totals(coverage: &Coverage<'_>, args: &TestArgs) -> Totals {
    coverage.totals(|rule| is_counted(rule, args))
}

fn is_counted(rule: &RuleCoverage<'_>, args: &TestArgs) -> bool {
    args.include_packs || !rule.is_of_pack
}

fn in_words(totals: &Totals) -> String {
    let Totals { rules, rules_decided, branches, covered } = totals;
    let share = per_cent(totals);
    format!("coverage: {covered} of {branches} branches, {share}; {rules_decided} of {rules} rules decide a test")
}

fn per_cent(totals: &Totals) -> String {
    let per_mille = totals.per_mille();
    format!("{}.{}%", per_mille / 10, per_mille % 10)
}

/// Files in the order of their first rule.
fn by_file<'r, 'a>(rules: &[&'r RuleCoverage<'a>]) -> Vec<(&'r str, Vec<&'r RuleCoverage<'a>>)> {
    let mut files: Vec<(&str, Vec<&RuleCoverage<'a>>)> = Vec::new();
    for rule in rules {
        let name = file_of(rule);
        match files.iter_mut().find(|(file, _)| *file == name) {
            Some((_, list)) => list.push(rule),
            None => files.push((name, vec![rule])),
        }
    }
    files
}

fn table(rules: &[&RuleCoverage<'_>]) -> String {
    let width = rules.iter().map(|rule| rule.rule.name.chars().count()).max().unwrap_or_default().max(4);
    let mut text = format!("  {:width$}  decided  matched  branches\n", "rule");
    for rule in rules {
        let (covered, branches) = rule.branches();
        let share = format!("{covered}/{branches}");
        let (name, decided, matched) = (&rule.rule.name, rule.decided, rule.matched);
        text.push_str(&format!("  {name:width$}  {decided:7}  {matched:7}  {share:>8}\n"));
    }
    text
}

fn uncovered_lines(rule: &RuleCoverage<'_>) -> Vec<String> {
    let line = |(part, side): (&Part<'_>, Side)| {
        let place = place_of(rule, part);
        let file = file_of(rule);
        format!(
            "  {}:{}:{}: {}: {}\n",
            visible(file),
            place.line,
            place.column,
            rule.rule.name,
            visible(&missing(rule, part, side))
        )
    };
    rule.uncovered().map(line).collect()
}

/// Describes the test that is missing.
fn missing(rule: &RuleCoverage<'_>, part: &Part<'_>, side: Side) -> String {
    match (&part.what, side) {
        (PartKind::Comparison { text, .. }, Side::Yes) => format!("no test where `{text}` is true"),
        (PartKind::Comparison { text, .. }, Side::No) => format!("no test where `{text}` is false"),
        (PartKind::Limit(limit), side) => {
            let (name, most) = (&limit.attribute.name, written(limit.most, limit.attribute.kind));
            match side {
                Side::Yes => format!("no test it matches where `{name}` is stated and at most {most}"),
                Side::No => format!("no test it matches where `{name}` is above {most}"),
            }
        }
        (PartKind::Effect(effect), _) => match (rule.decided, rule.matched) {
            (0, 0) => format!("no test is {} by it", participle(*effect)),
            (0, matched) => format!("it matches {} but never decides", counted(matched, "test")),
            (_, _) => format!("no test is {} by it, only denied by its limits", participle(*effect)),
        },
    }
}

fn participle(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allowed",
        Effect::Ask => "left to a person",
        Effect::Deny => "denied",
    }
}

fn file_of<'r>(rule: &'r RuleCoverage<'_>) -> &'r str {
    rule.sources.get(rule.rule.at.file).map_or("", Source::name)
}

fn place_of(rule: &RuleCoverage<'_>, part: &Part<'_>) -> Position {
    let source = rule.sources.get(part.at.file);
    source.map_or(Position { line: 1, column: 1 }, |source| source.position(part.at.span.start))
}

/// Coverage for programs.
#[derive(Serialize)]
pub(super) struct CoverageObject<'a> {
    rules: Vec<RuleEntry<'a>>,
    branches: Vec<BranchEntry<'a>>,
    totals: TotalsEntry,
}

#[derive(Serialize)]
struct RuleEntry<'a> {
    rule: &'a str,
    effect: &'static str,
    file: &'a str,
    line: usize,
    /// True when it counts towards the totals and the threshold.
    counted: bool,
    decided: usize,
    matched: usize,
    branches: usize,
    covered: usize,
}

#[derive(Serialize)]
struct BranchEntry<'a> {
    rule: &'a str,
    kind: &'static str,
    file: &'a str,
    line: usize,
    column: usize,
    text: String,
    #[serde(rename = "true")]
    yes: usize,
    /// An effect has one branch.
    #[serde(rename = "false")]
    no: Option<usize>,
}

#[derive(Serialize)]
struct TotalsEntry {
    rules: usize,
    rules_decided: usize,
    branches: usize,
    covered: usize,
    percent: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<u8>,
}

impl<'a> CoverageObject<'a> {
    pub(super) fn of(coverage: &'a Coverage<'_>, args: &TestArgs) -> Self {
        let totals = totals(coverage, args);
        let parts = |rule: &'a RuleCoverage<'_>| rule.parts.iter().map(move |part| branch(rule, part));
        Self {
            rules: coverage.rules.iter().map(|rule| entry(rule, args)).collect(),
            branches: coverage.rules.iter().flat_map(parts).collect(),
            totals: TotalsEntry {
                rules: totals.rules,
                rules_decided: totals.rules_decided,
                branches: totals.branches,
                covered: totals.covered,
                percent: f64::from(u16::try_from(totals.per_mille()).unwrap_or(u16::MAX)) / 10.0,
                threshold: args.threshold,
            },
        }
    }
}

fn entry<'a>(rule: &'a RuleCoverage<'_>, args: &TestArgs) -> RuleEntry<'a> {
    let (covered, branches) = rule.branches();
    let source = rule.sources.get(rule.rule.at.file);
    RuleEntry {
        rule: &rule.rule.name,
        effect: rule.rule.effect.as_str(),
        file: file_of(rule),
        line: source.map_or(1, |source| source.line_of(rule.rule.name_at.span.start)),
        counted: is_counted(rule, args),
        decided: rule.decided,
        matched: rule.matched,
        branches,
        covered,
    }
}

fn branch<'a>(rule: &'a RuleCoverage<'_>, part: &Part<'_>) -> BranchEntry<'a> {
    let place = place_of(rule, part);
    let (kind, no) = match part.what {
        PartKind::Effect(_) => ("effect", None),
        PartKind::Comparison { .. } => ("comparison", Some(part.no)),
        PartKind::Limit(_) => ("limit", Some(part.no)),
    };
    let (line, column) = (place.line, place.column);
    BranchEntry { rule: &rule.rule.name, kind, file: file_of(rule), line, column, text: part.text(), yes: part.yes, no }
}
