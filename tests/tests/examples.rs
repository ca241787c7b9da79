//! The policies of this repository: all judges agree on thousands of requests to each of them.

#![expect(clippy::unwrap_used, reason = "what goes wrong in a test has to end it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tests::{Campaign, Dice, Report, check_text, seats};

#[test]
fn all_judges_agree_on_every_policy_of_the_repository() {
    let campaign = Campaign { seed: 1, policies: 1, requests_each: 5_000 };
    let seats = seats();
    let files = files();
    assert!(files.len() >= 13, "{files:?}");
    for (part, path) in files.iter().enumerate() {
        let name = path.file_name().unwrap().display();
        let text = fs::read_to_string(path).unwrap();
        let checked = check_text(&text);
        let model = checked.model.as_ref().unwrap_or_else(|| panic!("{}: {:#?}", name, checked.diagnostics));
        let mut report = Report::default();
        let mut dice = Dice::seeded(u64::try_from(part).unwrap());
        if let Err(found) = campaign.judge(&text, model, &seats, &mut dice, &mut report) {
            panic!("{}: {found}", name);
        }
        println!("{}: {}", name, report.tally.to_string().lines().next().unwrap());
        let silent: BTreeSet<&str> =
            model.rules.iter().map(|rule| rule.name.as_str()).filter(|rule| !report.tally.has_decided(rule)).collect();
        assert_eq!(silent, BTreeSet::new(), "{}: rules that decided nothing", name);
        assert!(report.refused.is_empty(), "{:?}", report.refused);
    }
}

fn files() -> Vec<PathBuf> {
    let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
    let mut files = Vec::new();
    for folder in [policies.clone(), policies.join("examples"), policies.join("std")] {
        for entry in fs::read_dir(folder).unwrap() {
            files.push(entry.unwrap().path());
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "policy"));
    files.sort();
    files
}
