//! `test` statements -> requests with an expectation.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use policy_syntax::{Diagnostic, Effect, Fact, Name, Subjects as WrittenSubjects, Test as WrittenTest, Value, quote};

use super::attributes::comparison_help;
use super::conditions::folded;
use super::names::Names;
use super::{Place, Resolver};
use crate::catalogue::{AttributeKind, DEFAULT_DENY, REQUEST_FIELDS, noun, set_kind};
use crate::codes;
use crate::evaluate::Request;
use crate::model::{Attribute, OperationId, RoleId, Rule, Test};
use crate::pattern::HostPattern;

impl<'a> Resolver<'a, '_> {
    pub(super) fn test(
        &mut self,
        place: Place<'a>,
        written: &WrittenTest,
        rule_names: &Names<'a>,
        rules: &HashMap<&str, &Rule>,
    ) -> Option<Test> {
        let roles = self.held_roles(place, &written.roles);
        self.check_expectation(place, written, rule_names, rules);
        let operation = self.single_operation(place, &written.operation)?;
        let mut request = Request {
            roles: roles?,
            operation,
            strings: BTreeMap::new(),
            numbers: BTreeMap::new(),
            flags: BTreeSet::new(),
        };
        let mut complete = true;
        for fact in &written.facts {
            complete &= self.fact(place, fact, &mut request).is_some();
        }
        complete.then(|| Test {
            name: written.name.text.clone(),
            request,
            expected: written.expected,
            by: written.by.as_ref().map(|rule| rule.text.clone()),
            at: place.at(place.statement.span),
            expected_at: place
                .at(written.by.as_ref().map_or(written.expected_span, |by| written.expected_span.to(by.span))),
        })
    }

    fn held_roles(&mut self, place: Place<'a>, roles: &WrittenSubjects) -> Option<BTreeSet<RoleId>> {
        match roles {
            WrittenSubjects::Anyone(_) => Some(BTreeSet::new()),
            WrittenSubjects::Roles(names) => {
                let roles: Vec<_> = names.iter().map(|name| self.held_role(place, name)).collect();
                roles.into_iter().collect()
            }
        }
    }

    fn held_role(&mut self, place: Place<'a>, name: &Name) -> Option<RoleId> {
        let role = self.asking_role(place, name)?;
        if !self.roles.can_be_held(role) {
            let at = place.at(name.span);
            self.found.push(|| {
                let message = format!("no request holds the role {}: it is a rule pack's", quote(&name.text));
                Diagnostic::new(codes::BAD_FACT, at, message)
                    .help(format!("hold a role of yours that includes it: `role coder includes {}`", name.text))
            });
            return None;
        }
        Some(role)
    }

    fn single_operation(&mut self, place: Place<'a>, name: &Name) -> Option<OperationId> {
        if name.text.ends_with(".*") {
            let at = place.at(name.span);
            self.found.push(|| {
                Diagnostic::new(codes::UNKNOWN_OPERATION, at, "a test asks for one operation")
                    .help(format!("write one test for each operation of {}", quote(&name.text)))
            });
            return None;
        }
        self.operations(place, std::slice::from_ref(name)).complete()?.first().copied()
    }

    fn check_expectation(
        &mut self,
        place: Place<'a>,
        test: &WrittenTest,
        names: &Names<'a>,
        rules: &HashMap<&str, &Rule>,
    ) {
        let Some(by) = &test.by else {
            return;
        };
        let at = place.at(by.span);
        let expected = test.expected;
        let possible = if by.text == DEFAULT_DENY {
            expected == Effect::Deny
        } else if let Some(rule) = rules.get(by.text.as_str()) {
            rule.effect == expected || expected == Effect::Deny && !rule.limits.is_empty()
        } else {
            if names.find(&by.text).is_none() && !self.is_broken(by) {
                self.found.push(|| names.unknown(codes::UNKNOWN_RULE, &by.text, at));
            }
            return;
        };
        if !possible {
            self.found.push(|| {
                let message = format!("the rule {} cannot {} a request", quote(&by.text), expected.as_str());
                Diagnostic::new(codes::IMPOSSIBLE_EXPECTATION, at, message)
                    .help("expect the rule's own effect, or name another rule")
            });
        }
    }

    fn fact(&mut self, place: Place<'a>, fact: &Fact, request: &mut Request) -> Option<()> {
        let name = &fact.attribute;
        let field = self.request_field(request.operation, &name.text);
        let attribute = match field {
            Some(attribute) => attribute,
            None => self.known_attribute(place, &BTreeSet::from([request.operation]), name)?,
        };
        let text = name.text.clone();
        let is_new = match (&fact.value, attribute.kind) {
            (None, AttributeKind::Flag) => request.flags.insert(text),
            (Some(Value::Quantity(quantity)), kind) if kind.is_number() => {
                let value = self.quantity(place, &attribute, quantity)?;
                request.numbers.insert(text, value).is_none()
            }
            (Some(Value::Text(value)), kind) if set_kind(kind).is_some() => {
                self.check_value(place, &attribute, value)?;
                request.strings.insert(text, folded(&attribute, &value.value)).is_none()
            }
            (_, kind) => {
                let at = place.at(fact.span);
                self.found.push(|| {
                    let message = format!("{} is {}", quote(&name.text), noun(kind));
                    Diagnostic::new(codes::WRONG_TYPE, at, message).help(match kind {
                        AttributeKind::Flag => format!("a flag stands alone: `{}`", name.text),
                        kind if kind.is_number() => format!("give a number: `{} 10`", name.text),
                        kind => match fact.value {
                            None => format!("give a string: `{} \"…\"`", name.text),
                            Some(_) => comparison_help(kind, &name.text),
                        },
                    })
                });
                return None;
            }
        };
        if !is_new {
            let at = place.at(fact.span);
            self.found.push(|| {
                Diagnostic::new(codes::REPEATED, at, format!("{} is given twice", quote(&name.text)))
                    .help("a test asks for one target; write a second test")
            });
            return None;
        }
        Some(())
    }

    /// A field of a request that no rule asks about, and that the judge reads facts from.
    fn request_field(&self, operation: OperationId, name: &str) -> Option<Attribute> {
        let operation = &self.catalogue.get(operation)?.name;
        let (_, name, kind) = REQUEST_FIELDS.iter().find(|(of, field, _)| of == operation && *field == name)?;
        Some(Attribute { name: (*name).into(), kind: *kind, known_after_act: false, is_builtin: true })
    }

    fn check_value(&mut self, place: Place<'a>, attribute: &Attribute, value: &policy_syntax::Text) -> Option<()> {
        let text = &value.value;
        let odd = |segment: &str| matches!(segment, "" | "." | "..");
        let help = match attribute.kind {
            AttributeKind::Path if !text.is_empty() && text.split('/').any(odd) => {
                "paths are relative to the workspace and normalised before they are judged: `src/main.rs`"
            }
            AttributeKind::Ref if text.split('/').any(odd) => "no git reference has an empty, `.` or `..` segment",
            AttributeKind::Command if text.contains('/') => {
                "a command with a `/` matches no name; the judge denies it before it looks at rules"
            }
            AttributeKind::Host if HostPattern::new(text).is_err() || text.contains('*') => {
                "a host is a plain name: `docs.rs`"
            }
            _ => return Some(()),
        };
        let at = place.at(value.span);
        self.found.push(|| {
            let message = format!("no request has the {} {}", attribute.name, quote(text));
            Diagnostic::new(codes::BAD_FACT, at, message).help(help)
        });
        None
    }
}
