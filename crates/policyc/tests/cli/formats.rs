//! The formats for machines: whole outputs compared, SARIF against its schema.

use std::fs;
use std::path::PathBuf;

use quick_junit::{Report, TestCaseStatus};
use serde_json::{Value, json};

use crate::support::{BAD, GOOD, Run, folder_with, of_crate, policyc};

#[test]
fn json_is_one_object_of_this_shape() {
    let run = check("json", &[("bad.policy", BAD), ("good.policy", GOOD)]);
    let object: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        object,
        json!({
            "findings": [{
                "code": "E0201",
                "severity": "error",
                "message": "expected `to` or `,`, found `file.read`",
                "file": "bad.policy",
                "line": 4,
                "column": 16,
                "end_line": 4,
                "end_column": 25,
                "help": "write `to` before the operations: `allow reader to file.read`",
            }],
            "summary": { "errors": 1, "warnings": 0 },
        })
    );
    assert_eq!(run.stdout.lines().count(), 1);
}

#[test]
fn json_columns_count_characters() {
    let run = check("json", &[("bad.policy", "policy p language 1\n\tü &\n")]);
    let object: Value = serde_json::from_str(&run.stdout).unwrap();
    let places: Vec<_> = object["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"] == "E0205")
        .map(|finding| (finding["column"].as_u64().unwrap(), finding["end_column"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [(2, 3), (4, 5)]);
}

#[test]
fn json_without_findings_is_whole_too() {
    let run = check("json", &[("good.policy", GOOD)]);
    assert_eq!(run.stdout, "{\"findings\":[],\"summary\":{\"errors\":0,\"warnings\":0}}\n");
}

#[test]
fn github_commands_name_the_place_and_escape_the_rest() {
    let run = check("github", &[("a,b%:c.policy", "policy p language 1\npolicy q language 1\n")]);
    assert_eq!(
        run.stdout,
        "::error file=a%2Cb%25%3Ac.policy,line=2,col=1,endLine=2,endColumn=20,title=E0209::\
         the file has a second header%0Ahelp: remove it; each file is one policy\n\
         1 error, 0 warnings in 1 checked file\n"
    );
}

#[test]
fn github_takes_no_columns_over_several_lines() {
    let run = check("github", &[("a.policy", "policy p language 1\npolicy q\nlanguage 1\n")]);
    assert!(run.stdout.starts_with("::error file=a.policy,line=2,endLine=3,title=E0209::"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn a_file_name_cannot_start_a_workflow_command() {
    let name = "x\n::error::forged.policy";
    for text in [BAD, GOOD] {
        let run = check("github", &[(name, text)]);
        let commands: Vec<_> = run.stdout.lines().filter(|line| line.starts_with("::")).collect();
        assert!(commands.iter().all(|command| command.contains("file=x%0A%3A%3Aerror%3A%3Aforged.policy")), "{run:?}");
    }
}

#[test]
fn junit_has_a_suite_for_each_file_and_a_case_for_each_finding() {
    let run = check("junit", &[("bad.policy", BAD), ("good.policy", GOOD)]);
    let report = Report::deserialize_from_str(&run.stdout).unwrap();
    let suites: Vec<_> = report
        .test_suites
        .iter()
        .map(|suite| {
            let cases: Vec<_> =
                suite.test_cases.iter().map(|case| (case.name.as_str(), failure(&case.status))).collect();
            (suite.name.as_str(), suite.failures, cases)
        })
        .collect();
    let message = "expected `to` or `,`, found `file.read`";
    assert_eq!(
        suites,
        [
            ("bad.policy", 1, vec![("E0201 at 4:16", Some(("E0201", message)))]),
            ("good.policy", 0, vec![("no findings", None)]),
        ]
    );
    assert_eq!((report.tests, report.failures), (2, 1));
}

#[test]
fn sarif_is_valid_and_its_rules_are_indexed() {
    let second_header = "policy p language 1\npolicy q language 1\n";
    let files = [("a b.policy", BAD), ("nested/bad.policy", second_header), ("good.policy", GOOD)];
    let log = sarif(&check("sarif", &files));
    let run = &log["runs"][0];
    let results: Vec<_> = run["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
            assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
            (result["ruleId"].clone(), result["locations"][0]["physicalLocation"].clone())
        })
        .collect();
    let place = |uri: &str, line, start, end| {
        json!({
            "artifactLocation": { "uri": uri },
            "region": { "startLine": line, "startColumn": start, "endLine": line, "endColumn": end },
        })
    };
    assert_eq!(
        results,
        [(json!("E0201"), place("a%20b.policy", 4, 16, 25)), (json!("E0209"), place("nested/bad.policy", 2, 1, 20)),]
    );
    let related = &run["results"][1]["relatedLocations"][0];
    assert_eq!(related["message"]["text"], "the first one is here");
    assert_eq!(related["physicalLocation"], place("nested/bad.policy", 1, 1, 20));
    assert_eq!(run["columnKind"], "unicodeCodePoints");
}

#[test]
fn sarif_is_valid_without_findings_and_without_a_file() {
    let log = sarif(&check("sarif", &[("good.policy", GOOD)]));
    assert_eq!(log["runs"][0]["results"], json!([]));
    let place = folder_with(&[]);
    let log = sarif(&policyc(place.path(), ["check", "--format", "sarif", "missing.policy"]).run());
    let location = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(location, &json!({ "artifactLocation": { "uri": "missing.policy" } }));
}

#[test]
fn sarif_of_every_fixture_is_valid() {
    let fixtures = of_crate("tests/fixtures");
    let names: Vec<_> = fs::read_dir(&fixtures)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { path.join("main.policy") } else { path })
        .collect();
    assert!(!names.is_empty());
    let arguments = ["check", "--format", "sarif"].map(PathBuf::from).into_iter().chain(names);
    sarif(&policyc(&fixtures, arguments).run());
}

fn check(format: &str, files: &[(&str, &str)]) -> Run {
    let place = folder_with(files);
    let names = files.iter().map(|(name, _)| *name);
    let run = policyc(place.path(), ["check", "--format", format].into_iter().chain(names)).run();
    assert_eq!(run.stderr, "");
    run
}

fn failure(status: &TestCaseStatus) -> Option<(&str, &str)> {
    match status {
        TestCaseStatus::NonSuccess { ty, message, .. } => Some((ty.as_deref().unwrap(), message.as_deref().unwrap())),
        TestCaseStatus::Success { .. } | TestCaseStatus::Skipped { .. } => None,
    }
}

/// The log, once it is known to be valid.
fn sarif(run: &Run) -> Value {
    let schema = fs::read_to_string(of_crate("tests/data/sarif-schema-2.1.0.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // The official schema has a lone `]` in these two patterns, which strict readers of regular
    // expressions refuse. They are about translated messages; policyc writes none.
    for translated in ["run", "toolComponent"] {
        schema["definitions"][translated]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    let log: Value = serde_json::from_str(&run.stdout).unwrap();
    let errors: Vec<_> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    log
}
