//! What is compiled: validated in strict mode, the same as text and as tree, the same every time.

#![cfg(test)]

mod support;

use std::collections::BTreeMap;

use cedar_policy::{PolicyId, PolicySet, Request, Schema, ValidationMode, Validator};
use policy_cedar::{Approval, CedarPolicy, RequestBuilder, compile};
use policy_model::Model;
use support::dice::Dice;
use support::{model, shipped};

/// A bit of everything.
const SAMPLE: &str = r#"
policy sample language 1

without std.protected-paths

role reader
role coder includes reader
role lead

paths sources = "src/**", "docs/*.md", "**/test/**", "Cargo.toml"

rule read:
  allow reader to file.read, fs.list
  where path in sources and not path in "**/.env*"
  limit bytes <= 1 MiB

rule build:
  allow coder, lead to shell.exec
  where line matches "^cargo (build|test)( .*)?$" and not network
  limit timeout <= 10 min

rule push:
  ask coder to git.push
  where ref in "refs/heads/feature/**" and remote == "origin"

rule spend:
  ask coder to inference.call
  where model in "claude-*"
  limit tokens <= 1_000

rule spend-more:
  ask lead to inference.call
  limit tokens <= 1_000_000

rule secrets:
  deny anyone to file.*
  where path in "**/.env", "**/*.pem" or bytes > 1 GiB
  code SECRET_PATH
  because "Secrets never reach a model."
"#;

#[test]
fn sample_as_text() {
    let compiled = compile(&model(SAMPLE)).unwrap();
    insta::assert_snapshot!("sample.cedar", compiled.policies_text);
    insta::assert_snapshot!("sample.limits.cedar", compiled.limits_text);
    let shown = ["type Segments", "entity", "action \"file.read\"", "action \"shell.exec\"", "action \"fs.list\""];
    let is_shown = |block: &&str| shown.iter().any(|start| block.starts_with(start));
    let blocks: Vec<&str> = compiled.schema_text.split("\n\n").filter(is_shown).collect();
    insta::assert_snapshot!("sample.cedarschema", blocks.join("\n\n"));
}

/// `compile` validates; here the same is done again, from the text alone.
#[test]
fn every_text_reads_as_the_tree_and_is_valid_in_strict_mode() {
    let own = [("sample", SAMPLE), ("odd", ODD), ("names", NAMES)].map(|(name, text)| (name.to_owned(), model(text)));
    let samples = shipped().into_iter().chain(own);
    let mut policies = 0;
    for (name, model) in samples {
        let compiled = compile(&model).unwrap();
        let (schema, warnings) = Schema::from_cedarschema_str(&compiled.schema_text).unwrap();
        assert_eq!(warnings.count(), 0, "{name}");
        let validator = Validator::new(schema);
        for (text, tree) in [(&compiled.policies_text, &compiled.policies), (&compiled.limits_text, &compiled.limits)] {
            let parsed: PolicySet = text.parse().unwrap();
            assert_eq!(by_id(&parsed), by_own_id(tree), "{name}");
            assert!(validator.validate(&parsed, ValidationMode::Strict).validation_passed(), "{name}");
            policies += parsed.num_of_policies();
        }
    }
    assert!(policies > 250, "{policies}");
}

/// Strings that would break a text made by pasting.
const ODD: &str = r#"
policy odd language 1
role r
names quotes = "a\"b", "c\\d*", "\\", "'", "$(x)", "*\\*", "ü\\u{41}", "a;}//", "🦀*\"*"
rule odd:
  deny r to proc.list
  where filter in quotes or filter == "*\\*" or filter matches "\"[\\\\]+$"
  because "He said \"no\\yes\"; } forbid(principal, action, resource); // ü"
rule odd-paths:
  allow r to file.read
  where path in "a\"b/**", "**/\\*/x", "**/'\"/**", "ü/*\\"
"#;

#[test]
fn odd_strings_are_matched_literally() {
    let model = model(ODD);
    let judge = policy_cedar::CedarJudge::new(&model).unwrap();
    let mut matched = 0;
    for filter in ["a\"b", "c\\d", "c\\dx", "\\", "'", "x\\y", "*\\*", "ü\\u{41}", "üA", "a;}//", "🦀\"", "\"\\", "n"]
    {
        let request = support::request(&model, &["r"], "proc.list", &[&format!("filter={filter}")]);
        matched += usize::from(support::assert_agreement(&model, &judge, &request).rule == "odd");
    }
    assert_eq!(matched, 11);
    for path in ["a\"b", "a\"b/c", "x/\\y/x", "\\/x", "x/'\"", "ü/x\\", "ü/x", "a/b"] {
        let request = support::request(&model, &["r"], "file.read", &[&format!("path={path}")]);
        matched += usize::from(support::assert_agreement(&model, &judge, &request).rule == "odd-paths");
    }
    assert_eq!(matched, 11 + 6);
}

/// Words of Cedar, and of what is made here, as names of a tool's parameters.
const NAMES: &str = r#"
policy cedar-words language 1
role principal
role context includes principal
tool when {
  op permit(if: flag, like: string, has: int, is: path, true: flag, then: ref, else: host)
  op action(approved: flag, atoms: string, strings: int, numbers: string, flags: path, depth: int, s0: string)
}
tool unless(principal: path, resource: command)
rule cedar:
  allow principal to when.permit
  where if or not true or like in "has*" or is in "**/is/**", "is/*" or then matches "^is$" or else in "*.is"
  limit has <= 1
rule ours:
  ask context to when.action
  where approved or atoms == "atoms" or strings > 5 or numbers in "s0" or flags in "flags/**" or s0 matches "s0"
  limit depth <= 5
rule whole:
  deny anyone to unless
  where principal in "**/principal" or resource == "resource"
"#;

#[test]
fn names_may_be_words_of_cedar() {
    let model = model(NAMES);
    let judge = policy_cedar::CedarJudge::new(&model).unwrap();
    let mut dice = Dice::new(&model, 1);
    let mut decided = BTreeMap::new();
    for _ in 0..2_000 {
        let request = dice.request(&model);
        *decided.entry(support::assert_agreement(&model, &judge, &request).rule).or_insert(0) += 1;
    }
    for rule in ["cedar", "ours", "whole"] {
        assert!(decided.get(rule).is_some_and(|count| *count > 50), "{decided:?}");
    }
}

#[test]
fn requests_fit_the_schema() {
    for (seed, (name, model)) in (100..).zip(shipped()) {
        let schema = compile(&model).unwrap().schema;
        let requests = RequestBuilder::new(&model).unwrap();
        let mut dice = Dice::new(&model, seed);
        for _ in 0..200 {
            let asked = requests.build(&dice.request(&model), Approval::Given).unwrap().request;
            let part = |uid: Option<&cedar_policy::EntityUid>| uid.unwrap().clone();
            let (principal, action) = (part(asked.principal()), part(asked.action()));
            let context = asked.context().unwrap().clone();
            let checked = Request::new(principal, action, part(asked.resource()), context, Some(&schema));
            assert!(checked.is_ok(), "{name}: {checked:?}");
        }
    }
}

#[test]
fn equal_models_give_equal_bytes_wherever_the_rules_are_kept() {
    for (name, model) in shipped() {
        let mut shuffled = model.clone();
        shuffled.rules.reverse();
        assert_eq!(texts(&model), texts(&shuffled), "{name}");
    }
}

fn texts(model: &Model) -> [String; 3] {
    let CedarPolicy { policies_text, limits_text, schema_text, .. } = compile(model).unwrap();
    [policies_text, limits_text, schema_text]
}

/// Policies as JSON trees by the id that their annotation says: text has no other.
fn by_id(set: &PolicySet) -> BTreeMap<String, serde_json::Value> {
    let named = set.policies().map(|policy| (policy.annotation("id").unwrap().to_owned(), policy.to_json().unwrap()));
    named.collect()
}

fn by_own_id(set: &PolicySet) -> BTreeMap<String, serde_json::Value> {
    let ids = set.policies().map(|policy| policy.id().clone());
    ids.map(|id: PolicyId| (id.to_string(), set.policy(&id).unwrap().to_json().unwrap())).collect()
}
