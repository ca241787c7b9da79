//! (Model, Sources, Frozen) -> manifest: what the numbers of a table stand for in the policy's files.
//!
//! The same sources give the same manifest wherever they lie: it has no absolute path and no time.

use policy_model::{Measure, Model, RoleId, Subjects};
use policy_syntax::{FileId, Position, Source, Sources};
use serde::{Deserialize, Serialize};
use table_format::{Digest, FORMAT_VERSION, LANGUAGE_VERSION};

use crate::compile::{Frozen, blake3};

/// The file written beside a table, so that a verdict can quote the policy. Digests are BLAKE3 in hexadecimal
/// digits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format_version: u32,
    pub language_version: u32,
    pub policy: String,
    pub table_digest: String,
    pub sources_digest: String,
    /// The policy itself first.
    pub sources: Vec<ManifestSource>,
    /// The roles that a session can hold.
    pub roles: Vec<String>,
    pub operations: usize,
    pub budgets: Vec<ManifestBudget>,
    /// In source order, which is the order of their ids.
    pub rules: Vec<ManifestRule>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestSource {
    /// A path relative to the policy's directory, or a pack's name in angle brackets.
    pub name: String,
    pub blake3: String,
    pub bytes: usize,
}

/// A rule; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestRule {
    pub id: usize,
    pub name: String,
    /// `deny`, `ask` or `allow`.
    pub effect: String,
    pub code: Option<String>,
    pub because: Option<String>,
    pub file: String,
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestBudget {
    pub name: String,
    /// `None` for `anyone`.
    pub roles: Option<Vec<String>>,
    /// `calls`, or the attribute that is summed.
    pub measure: String,
    pub most: u64,
    pub period: String,
}

impl Manifest {
    /// Creates the manifest of a frozen policy. `name` maps a file to its path relative to the policy's directory.
    #[must_use]
    pub fn new(model: &Model, sources: &Sources, frozen: &Frozen, name: impl Fn(FileId, &Source) -> String) -> Self {
        let named: Vec<(FileId, &Source, String)> =
            sources.iter().map(|(file, source)| (file, source, name(file, source))).collect();
        let entry = |(_, source, name): &(FileId, &Source, String)| {
            let text = source.text();
            ManifestSource { name: name.clone(), blake3: hex(&blake3(&[text.as_bytes()])), bytes: text.len() }
        };
        let mut rules: Vec<_> = model.rules.iter().collect();
        rules.sort_by_key(|rule| rule.place);
        let mut roles: Vec<_> =
            model.roles.iter().filter(|role| role.can_be_held).map(|role| role.name.clone()).collect();
        roles.sort_unstable();
        Self {
            format_version: FORMAT_VERSION,
            language_version: LANGUAGE_VERSION,
            policy: model.name.clone(),
            table_digest: hex(&frozen.digest),
            sources_digest: hex(&frozen.sources),
            sources: named.iter().map(entry).collect(),
            roles,
            operations: model.operations.len(),
            budgets: model.budgets.iter().map(|budget| budget_of(model, budget)).collect(),
            rules: rules.into_iter().enumerate().map(|(id, rule)| rule_of(id, rule, &named)).collect(),
        }
    }
}

/// Formats a digest as 64 lowercase hexadecimal digits.
#[must_use]
pub fn hex(digest: &Digest) -> String {
    digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn rule_of(id: usize, rule: &policy_model::Rule, named: &[(FileId, &Source, String)]) -> ManifestRule {
    let found = named.iter().find(|(file, ..)| *file == rule.at.file);
    let position = |offset| found.map_or(Position { line: 1, column: 1 }, |(_, source, _)| source.position(offset));
    let start = position(rule.at.span.start);
    ManifestRule {
        id,
        name: rule.name.clone(),
        effect: rule.effect.as_str().to_owned(),
        code: rule.code.clone(),
        because: rule.because.clone(),
        file: found.map(|(.., name)| name.clone()).unwrap_or_default(),
        line: start.line,
        column: start.column,
        end_line: position(rule.at.span.end).line,
    }
}

fn budget_of(model: &Model, budget: &policy_model::Budget) -> ManifestBudget {
    let role_name = |role: &RoleId| model.roles.get(role.0).map(|role| role.name.clone());
    ManifestBudget {
        name: budget.name.clone(),
        roles: match &budget.subjects {
            Subjects::Anyone => None,
            Subjects::Roles(roles) => {
                let mut names: Vec<String> = roles.iter().filter_map(role_name).collect();
                names.sort_unstable();
                Some(names)
            }
        },
        measure: match &budget.measure {
            Measure::Calls => policy_model::catalogue::CALLS.to_owned(),
            Measure::Sum(attribute) => attribute.name.to_string(),
        },
        most: budget.most,
        period: budget.period.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use policy_model::{CheckOptions, Memory, check_in};

    use super::*;
    use crate::compile::freeze;

    #[test]
    fn rules_have_the_numbers_of_the_table_and_the_places_of_the_sources() {
        let manifest = manifest(MAIN);
        let rules: Vec<_> = manifest
            .rules
            .iter()
            .take(3)
            .map(|rule| (rule.id, rule.name.as_str(), rule.file.as_str(), rule.line, rule.column, rule.end_line))
            .collect();
        let expected = [
            (0, "of-the-team", "shown team.policy", 2, 1, 2),
            (1, "read", "shown main.policy", 5, 1, 7),
            (2, "refuse", "shown main.policy", 8, 3, 8),
        ];
        assert_eq!(rules, expected);
        let never = manifest.rules.iter().find(|rule| rule.name == "refuse").unwrap();
        assert_eq!((never.effect.as_str(), never.code.as_deref(), never.because.as_deref()), NEVER);
        assert!(manifest.rules.iter().zip(0..).all(|(rule, place)| rule.id == place));
    }

    #[test]
    fn it_names_what_the_table_was_made_of() {
        let (model, sources) = checked(MAIN);
        let frozen = freeze(&model, &sources).unwrap();
        let manifest = Manifest::new(&model, &sources, &frozen, |_, source| source.name().to_owned());
        assert_eq!((manifest.format_version, manifest.language_version), (FORMAT_VERSION, LANGUAGE_VERSION));
        assert_eq!((manifest.table_digest, manifest.sources_digest), (hex(&frozen.digest), hex(&frozen.sources)));
        let (name, blake3_of_main) = ("main.policy", hex(&blake3(&[MAIN.as_bytes()])));
        let expected = ManifestSource { name: name.to_owned(), blake3: blake3_of_main, bytes: MAIN.len() };
        assert_eq!(manifest.sources.first(), Some(&expected));
        assert_eq!(manifest.sources.len(), sources.iter().count());
        assert_eq!(
            (manifest.roles, manifest.operations),
            (vec!["a".to_owned(), "b".to_owned()], model.operations.len())
        );
        let budget = |name: &str, roles: Option<&str>, measure: &str, most, period: &str| ManifestBudget {
            name: name.to_owned(),
            roles: roles.map(|role| vec![role.to_owned()]),
            measure: measure.to_owned(),
            most,
            period: period.to_owned(),
        };
        let tokens = budget("tokens", Some("b"), "tokens", 10, "day");
        assert_eq!(manifest.budgets, [tokens, budget("asks", None, "calls", 2, "minute")]);
    }

    #[test]
    fn a_digest_is_64_small_digits() {
        let mut digest = Digest([0; 32]);
        digest.0[0] = 0x0a;
        digest.0[31] = 0xff;
        assert_eq!(hex(&digest), format!("0a{}ff", "0".repeat(60)));
    }

    fn manifest(main: &str) -> Manifest {
        let (model, sources) = checked(main);
        let frozen = freeze(&model, &sources).unwrap();
        Manifest::new(&model, &sources, &frozen, |_, source| format!("shown {}", source.name()))
    }

    fn checked(main: &str) -> (Model, Sources) {
        let files = Memory::default()
            .with("main.policy", main)
            .with("team.policy", "policy team language 1\nrule of-the-team: deny anyone to git.push\n");
        let checked = check_in(&files, Path::new("main.policy"), CheckOptions::default());
        (checked.model.unwrap(), checked.sources)
    }

    const NEVER: (&str, Option<&str>, Option<&str>) = ("deny", Some("NEVER"), Some("No."));

    const MAIN: &str = "policy main language 1
use \"./team.policy\"
role b
role a
rule read:
  allow a to file.read
  where path in \"src/**\"
  rule refuse: deny anyone to file.write code NEVER because \"No.\"
budget tokens: b inference.call tokens <= 10 per day
budget asks: anyone inference.call calls <= 2 per minute
";
}
