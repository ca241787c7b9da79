//! The generator: its policies are policies, they read back as they were written, and together they
//! have every construct of the language.

use std::collections::BTreeMap;

use policy_model::catalogue::{FAMILIES, PARAMETER_TYPES, REQUIREMENTS};
use policy_model::{PACKS, Period};
use policy_syntax::{Effect, Operator, SetKind};
use tests::policy::{Condition, Item, Quantity, Rule, Statement, ToolBody};
use tests::{Dice, Policy, generate};

const SEED: u64 = 3;
const POLICIES: usize = 4_000;

fn policies() -> impl Iterator<Item = Policy> {
    (0..POLICIES).map(|part| generate::policy(&mut Dice::of_part(SEED, part)))
}

#[test]
fn nearly_every_policy_is_accepted() {
    let rejected = policies().filter(|policy| policy.check().model.is_none()).count();
    assert!(rejected * 100 < POLICIES, "{rejected} of {POLICIES}");
}

#[test]
fn a_policy_reads_back_as_it_was_written() {
    for policy in policies() {
        let text = policy.to_string();
        assert_eq!(Policy::read(&text).as_ref(), Some(&policy), "{text}");
    }
}

#[test]
fn every_construct_of_the_language_is_made() {
    let mut seen = Seen::default();
    let mut sizes: BTreeMap<bool, usize> = BTreeMap::new();
    for policy in policies() {
        *sizes.entry(policy.rules() <= 4).or_default() += 1;
        let open = policy.statements.contains(&Statement::WithoutProtection);
        seen.add(if open { "without protection" } else { "with protection" });
        seen.add(if policy.rules() > 30 { "many rules" } else { "few rules" });
        policy.statements.iter().for_each(|statement| seen.statement(statement));
    }
    assert!(sizes[&true] > sizes[&false], "{sizes:?}");
    let missing: Vec<String> = wanted().into_iter().filter(|name| !seen.0.contains_key(name)).collect();
    assert_eq!(missing, Vec::<String>::new(), "{:#?}", seen.0);
}

/// What the policies had, and how often.
#[derive(Default)]
struct Seen(BTreeMap<String, usize>);

impl Seen {
    fn add(&mut self, name: impl Into<String>) {
        *self.0.entry(name.into()).or_default() += 1;
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Use(pack) => self.add(format!("use {pack}")),
            Statement::WithoutProtection => {}
            Statement::Role { includes, .. } => self.add(format!("a role that includes {}", includes.len().min(2))),
            Statement::Set { kind, items, .. } => {
                let holds_set = items.iter().any(|item| matches!(item, Item::Set(_)));
                self.add(format!("{}{}", kind.keyword(), if holds_set { " in a set" } else { "" }));
                self.add(if items.is_empty() { "an empty set" } else { "a set" });
                items.iter().for_each(|item| self.item(item));
            }
            Statement::Tool { body, .. } => {
                let (name, parameters) = match body {
                    ToolBody::Whole(parameters) => ("a whole tool", parameters.clone()),
                    ToolBody::Operations(all) if all.is_empty() => ("an empty tool", Vec::new()),
                    ToolBody::Operations(all) => {
                        ("a tool with operations", all.iter().flat_map(|one| one.parameters.clone()).collect())
                    }
                };
                self.add(name);
                parameters.iter().for_each(|parameter| self.add(format!("type {}", parameter.type_name)));
            }
            Statement::Rule(rule) => self.rule(rule),
            Statement::Budget(budget) => {
                self.add(format!("per {}", budget.period));
                self.add(if budget.bound.attribute == "calls" { "budget of calls" } else { "budget of a number" });
            }
            Statement::Assert(_) => self.add("assert"),
        }
    }

    fn rule(&mut self, rule: &Rule) {
        let effect = rule.effect.as_str();
        self.add(effect);
        self.add(format!("{effect} with {} roles", rule.subjects.len().min(2)));
        for operation in &rule.operations {
            self.add(operation);
            self.add(if operation.ends_with(".*") { "all of a tool" } else { "an operation" });
        }
        if rule.operations.len() > 1 {
            self.add("several operations");
        }
        rule.limits.iter().for_each(|limit| self.add(format!("limit {}", limit.attribute)));
        rule.limits.iter().for_each(|limit| self.quantity(&limit.most));
        rule.requirements.iter().for_each(|name| self.add(format!("require {name}")));
        self.add(if rule.code.is_some() { "code" } else { "no code" });
        self.add(if rule.because.is_some() { "because" } else { "no reason" });
        match &rule.condition {
            Some(condition) => self.condition(condition, 0),
            None => self.add(format!("{effect} always")),
        }
    }

    fn condition(&mut self, condition: &Condition, depth: usize) {
        if depth >= 4 {
            self.add("deep");
        }
        match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                self.add(if matches!(condition, Condition::All(_)) { "and" } else { "or" });
                parts.iter().for_each(|part| self.condition(part, depth + 1));
            }
            Condition::Not(part) => {
                self.add(if matches!(**part, Condition::Not(_)) { "not not" } else { "not" });
                self.condition(part, depth + 1);
            }
            Condition::Flag(name) => self.add(format!("flag {name}")),
            Condition::In(_, items) => {
                self.add(format!("a list of {}", items.len().min(2)));
                items.iter().for_each(|item| self.item(item));
            }
            Condition::Text(_, operator, _) => self.add(format!("text {}", operator.as_str())),
            Condition::Number(_, operator, most) => {
                self.add(format!("number {}", operator.as_str()));
                self.quantity(most);
            }
            Condition::Matches(_, regex) => {
                REGEX_PARTS
                    .iter()
                    .filter(|part| regex.contains(*part))
                    .for_each(|part| self.add(format!("regex {part}")));
                self.add(if regex.is_ascii() { "regex in ASCII" } else { "regex beyond ASCII" });
                self.add(if regex.starts_with('^') && regex.ends_with('$') { "regex bound" } else { "regex open" });
            }
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Set(_) => self.add("a set by name"),
            Item::Quantity(quantity) => {
                self.add("a number in a list");
                self.quantity(quantity);
            }
            Item::Text(text) => {
                let shape: Vec<String> = text.split('/').map(shape).collect();
                self.add(format!("shape {}", shape.join("/")));
                self.add(if text.is_ascii() { "pattern in ASCII" } else { "pattern beyond ASCII" });
            }
        }
    }

    fn quantity(&mut self, quantity: &Quantity) {
        self.add(format!("unit {}", quantity.unit.as_deref().unwrap_or("none")));
        if quantity.digits.contains('.') {
            self.add("a decimal");
        }
    }
}

/// A segment with its text left out.
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
    wanted.extend(PACKS.iter().map(|pack| format!("use {}", pack.name)));
    wanted.extend(PARAMETER_TYPES.iter().map(|(name, _)| format!("type {name}")));
    wanted.extend(REQUIREMENTS.iter().map(|(name, _)| format!("require {name}")));
    wanted.extend(Period::ALL.map(|period| format!("per {}", period.as_str())));
    wanted.extend(Operator::ALL.map(|operator| format!("number {}", operator.as_str())));
    wanted.extend(REGEX_PARTS.iter().map(|part| format!("regex {part}")));
    wanted.extend(SHAPES.iter().map(|shape| format!("shape {shape}")));
    wanted.extend(["B", "KiB", "MiB", "GiB", "ms", "s", "min", "h", "none"].map(|unit| format!("unit {unit}")));
    for kind in SetKind::ALL {
        wanted.extend([kind.keyword().to_owned(), format!("{} in a set", kind.keyword())]);
    }
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny].map(Effect::as_str) {
        wanted.extend([effect.to_owned(), format!("{effect} always")]);
        wanted.extend((0..3).map(|count| format!("{effect} with {count} roles")));
    }
    for family in FAMILIES {
        wanted.extend(family.operations.iter().map(|(name, _)| format!("{}.{name}", family.tool)));
        wanted.push(format!("{}.*", family.tool));
        for attribute in family.attributes {
            if attribute.kind.is_number() {
                wanted.push(format!("limit {}", attribute.name));
            } else if attribute.kind.set_kind().is_none() {
                wanted.push(format!("flag {}", attribute.name));
            }
        }
    }
    wanted
}

const CONSTRUCTS: &[&str] = &[
    "without protection",
    "with protection",
    "many rules",
    "few rules",
    "an empty set",
    "a set by name",
    "assert",
    "a role that includes 0",
    "a role that includes 1",
    "a role that includes 2",
    "all of a tool",
    "several operations",
    "a whole tool",
    "an empty tool",
    "a tool with operations",
    "budget of calls",
    "budget of a number",
    "code",
    "no code",
    "because",
    "and",
    "or",
    "not",
    "not not",
    "deep",
    "a list of 1",
    "a list of 2",
    "text ==",
    "text !=",
    "a number in a list",
    "a decimal",
    "regex in ASCII",
    "regex beyond ASCII",
    "regex bound",
    "regex open",
    "pattern in ASCII",
    "pattern beyond ASCII",
];

const REGEX_PARTS: &[&str] = &[
    "^",
    "$",
    "|",
    "(a",
    "[ab]",
    "[^a]",
    r"\d",
    r"\w",
    r"\s",
    ".",
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "{2,}",
    "{0}",
    "*?",
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
