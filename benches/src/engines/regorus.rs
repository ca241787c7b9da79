//! Regorus, an interpreter of Rego: one small policy over the rules as data, filed by operation and
//! effect, with `glob.match` for patterns. Compiled once; each request is an input that was made before.

use std::collections::BTreeMap;

use regorus::{CompiledPolicy, Engine as Rego, Value};
use serde_json::json;

use super::{Engine, globs};
use crate::ask::Ask;
use crate::plain::{PatternKind, PlainRule};
use crate::verdict::{Says, Verdict};

pub(super) struct Regorus {
    policy: CompiledPolicy,
    inputs: Vec<Value>,
}

impl Regorus {
    pub(super) fn new(rules: &[PlainRule], asks: &[Ask]) -> Self {
        // The default keeps 128 globs; with fewer than there are, every one would be compiled each time.
        regorus::cache::configure(regorus::cache::Config { glob: 1 << 16, ..Default::default() });
        let mut rego = Rego::new();
        rego.add_policy("verdict.rego".to_owned(), POLICY.to_owned()).expect("a policy that is read");
        rego.add_data(value(&data(rules))).expect("data without conflict");
        let policy = rego.compile_with_entrypoint(&"data.interdict.verdict".into()).expect("a policy that compiles");
        Self { policy, inputs: asks.iter().map(|ask| value(&input(ask))).collect() }
    }
}

impl Engine for Regorus {
    fn says(&self) -> Says {
        Says::All
    }

    fn judge(&mut self, place: usize) -> Verdict {
        // Cloning an input counts up a reference.
        let verdict = self.policy.eval_with_input(self.inputs[place].clone()).expect("an answer");
        match verdict.as_string().expect("a word").as_ref() {
            "allow" => Verdict::Allow,
            "ask" => Verdict::Ask,
            _ => Verdict::Deny,
        }
    }
}

/// `{"rules": {operation: {effect: [rule]}}}`
fn data(rules: &[PlainRule]) -> serde_json::Value {
    let mut filed: BTreeMap<&str, BTreeMap<&str, Vec<serde_json::Value>>> = BTreeMap::new();
    for rule in rules {
        let tests = |wanted: bool| {
            let of = rule.strings.iter().filter(move |test| test.wanted == wanted);
            let spelled = |test: &crate::plain::StringTest| {
                let patterns = test.patterns.iter().flat_map(|pattern| globs::spellings(test.kind, pattern));
                let is_glob = test.kind != PatternKind::Literal;
                // With `/` as the delimiter a star takes no slash, and no host has one.
                json!({"of": test.attribute, "glob": is_glob, "patterns": patterns.collect::<Vec<_>>()})
            };
            of.map(spelled).collect::<Vec<_>>()
        };
        let row = json!({
            "roles": rule.roles,
            "like": tests(true),
            "unlike": tests(false),
            "unset": rule.unset,
            "limits": rule.limits.iter().map(|(of, most)| json!({"of": of, "most": most})).collect::<Vec<_>>(),
        });
        let effect = match rule.effect {
            Verdict::Deny => "deny",
            Verdict::Ask => "ask",
            Verdict::Allow => "allow",
        };
        for operation in &rule.operations {
            filed.entry(operation).or_default().entry(effect).or_default().push(row.clone());
        }
    }
    json!({ "rules": filed })
}

fn input(ask: &Ask) -> serde_json::Value {
    let strings: BTreeMap<_, _> = ask.strings.iter().cloned().collect();
    let numbers: BTreeMap<_, _> = ask.numbers.iter().cloned().collect();
    json!({"op": ask.operation, "role": ask.role, "strings": strings, "numbers": numbers, "flags": ask.flags})
}

fn value(json: &serde_json::Value) -> Value {
    Value::from_json_str(&json.to_string()).expect("JSON")
}

const POLICY: &str = r#"
package interdict

import rego.v1

default verdict := "deny"

verdict := "deny" if speaks("deny")
else := "ask" if speaks("ask")
else := "allow" if speaks("allow")

speaks(effect) if {
    some rule in data.rules[input.op][effect]
    every test in rule.like { is_like(test) }
    concerns(rule)
    every flag in rule.unset { not flag in input.flags }
    every limit in rule.limits { not exceeded(limit) }
    every test in rule.unlike { not is_like(test) }
}

concerns(rule) if rule.roles == null
concerns(rule) if input.role in rule.roles

is_like(test) if {
    test.glob
    some pattern in test.patterns
    glob.match(pattern, ["/"], input.strings[test.of])
}

is_like(test) if {
    not test.glob
    input.strings[test.of] in test.patterns
}

exceeded(limit) if input.numbers[limit.of] > limit.most
"#;
