//! Rules, budgets and assertions.

use std::collections::BTreeSet;

use policy_syntax::{
    Assert as WrittenAssert, Bound, Budget as WrittenBudget, Clause, ClauseKind, Diagnostic, Effect, FileId, Location,
    Name, Rule as WrittenRule, Span, did_you_mean, quote,
};

use super::{Place, Resolver};
use crate::catalogue::{AttributeKind, CALLS, DEFAULT_DENY, GUARDED_FLAGS, REQUIREMENTS, RESERVED_CODES};
use crate::codes;
use crate::model::{Assert, Attribute, Budget, Condition, Limit, Measure, OperationId, Period, Rule, Subjects};

impl<'a> Resolver<'a, '_> {
    pub(super) fn refuse_reserved_rule(&mut self, file: FileId, name: &Name) {
        if name.text == DEFAULT_DENY {
            let at = Location { file, span: name.span };
            let help = "choose another name; `default-deny` denies what no rule allows";
            self.found.error(codes::RESERVED_NAME, at, format!("the rule `{DEFAULT_DENY}` is built in"), help);
        }
    }

    /// Resolves a rule; `None` if a part is wrong. All parts are checked anyway.
    pub(super) fn rule(&mut self, place: Place<'a>, rules_before: usize, written: &'a WrittenRule) -> Option<Rule> {
        let subjects = self.subjects(place, &written.subjects);
        let operations = self.operations(place, &written.operations);
        let mut rule = Rule {
            name: written.name.text.clone(),
            place: rules_before,
            effect: written.effect,
            subjects: subjects.clone().unwrap_or(Subjects::Anyone),
            operations: operations.known,
            condition: None,
            asks_for: BTreeSet::new(),
            limits: Vec::new(),
            requirements: Vec::new(),
            code: None,
            because: None,
            at: place.at(place.statement.span),
            name_at: place.at(written.name.span),
        };
        let mut complete = subjects.is_some() && operations.are_all_known;
        for clause in &written.clauses {
            self.refuse_clause(place, written, clause);
            match &clause.kind {
                ClauseKind::Where(condition) => {
                    rule.condition = self.condition(place, &rule.operations, condition);
                    complete &= rule.condition.is_some();
                }
                ClauseKind::Limit(bounds) => rule.limits = self.limits(place, &rule, bounds, clause.span),
                ClauseKind::Require(names) => rule.requirements = self.requirements(place, names),
                ClauseKind::Code(code) => {
                    self.check_code(place, code);
                    rule.code = Some(code.text.clone());
                }
                ClauseKind::Because(text) => rule.because = Some(text.value.clone()),
            }
        }
        if let Some(condition) = &rule.condition {
            rule.asks_for = GUARDED_FLAGS.into_iter().filter(|flag| asks_for(condition, flag, true)).collect();
        }
        complete.then_some(rule)
    }

    fn refuse_clause(&mut self, place: Place<'a>, rule: &WrittenRule, clause: &Clause) {
        let help = match (&clause.kind, rule.effect) {
            (ClauseKind::Limit(_), Effect::Deny) => "use a condition instead: `where bytes > 1 MiB`",
            (ClauseKind::Require(_), Effect::Deny) => "remove it; only a rule to allow or ask can have requirements",
            (ClauseKind::Code(_), Effect::Allow | Effect::Ask) => {
                "use `because` for a reason; only a rule to deny has a code"
            }
            _ => return,
        };
        let at = place.at(clause.span);
        let effect_at = place.at(rule.effect_span);
        self.found.push(|| {
            let (keyword, effect) = (clause.kind.keyword(), rule.effect.as_str());
            Diagnostic::new(codes::CLAUSE_NOT_ALLOWED, at, format!("a rule to {effect} cannot have `{keyword}`"))
                .also(effect_at, "the effect is here")
                .help(help)
        });
    }

    fn limits(&mut self, place: Place<'a>, rule: &Rule, bounds: &[Bound], clause: Span) -> Vec<Limit> {
        let mut limits: Vec<Limit> = Vec::new();
        for Bound { attribute: name, most } in bounds {
            let Some(attribute) = self.limited_attribute(place, rule, name) else {
                continue;
            };
            if self.number(place, name, &attribute).is_none() {
                continue;
            }
            let Some(most) = self.quantity(place, &attribute, most) else {
                continue;
            };
            if limits.iter().any(|limit| limit.attribute == attribute) {
                let at = place.at(name.span);
                let message = format!("{} is limited twice", quote(&name.text));
                self.found.error(codes::REPEATED, at, message, "keep the smaller limit");
                continue;
            }
            limits.push(Limit { attribute, most, at: place.at(clause) });
        }
        limits
    }

    /// A limit applies to those of the rule's operations that have the number: `file.read, fs.list` can be limited
    /// in bytes, although only reading has them.
    fn limited_attribute(&mut self, place: Place<'a>, rule: &Rule, name: &Name) -> Option<Attribute> {
        let has = |id: &&OperationId| self.catalogue.get(**id).is_some_and(|op| op.attribute(&name.text).is_some());
        let limited: BTreeSet<OperationId> = rule.operations.iter().filter(has).copied().collect();
        let all = if limited.is_empty() { &rule.operations } else { &limited };
        self.attribute(place, all, name)
    }

    fn requirements(&mut self, place: Place<'a>, names: &[Name]) -> Vec<String> {
        let mut requirements: Vec<String> = Vec::new();
        for name in names {
            let at = place.at(name.span);
            if !REQUIREMENTS.iter().any(|(known, _)| *known == name.text) {
                let known = REQUIREMENTS.iter().map(|(known, _)| *known);
                let message = format!("unknown requirement {}", quote(&name.text));
                let help = did_you_mean(&name.text, "requirements", known);
                self.found.error(codes::UNKNOWN_REQUIREMENT, at, message, help);
            } else if requirements.contains(&name.text) {
                let message = format!("{} is required twice", quote(&name.text));
                self.found.error(codes::REPEATED, at, message, "remove one of them");
            } else {
                requirements.push(name.text.clone());
            }
        }
        requirements
    }

    fn check_code(&mut self, place: Place<'a>, code: &Name) {
        let at = place.at(code.span);
        let capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let help = if RESERVED_CODES.contains(&code.text.as_str()) {
            "this code is reserved; choose another"
        } else if !code.text.chars().all(capital) {
            "write codes in upper case with underscores: `SECRET_PATH`"
        } else if code.text.len() > CODE_BYTES_MAX {
            "a code has at most 64 characters"
        } else {
            return;
        };
        self.found.error(codes::BAD_CODE, at, format!("{} cannot be the code of a rule", quote(&code.text)), help);
    }

    pub(super) fn budget(&mut self, place: Place<'a>, written: &WrittenBudget) -> Option<Budget> {
        let subjects = self.subjects(place, &written.subjects);
        let operations = self.operations(place, &written.operations);
        let period = self.period(place, &written.period);
        let operations = operations.complete()?;
        let (measure, most) = self.measure(place, &operations, &written.bound)?;
        Some(Budget {
            name: written.name.text.clone(),
            subjects: subjects?,
            operations,
            measure,
            most,
            period: period?,
            at: place.at(place.statement.span),
        })
    }

    fn measure(
        &mut self,
        place: Place<'a>,
        operations: &BTreeSet<OperationId>,
        bound: &Bound,
    ) -> Option<(Measure, u64)> {
        let name = &bound.attribute;
        if name.text == CALLS {
            let count =
                Attribute { name: CALLS.into(), kind: AttributeKind::Count, known_after_act: true, is_builtin: true };
            let most = self.quantity(place, &count, &bound.most)?;
            return Some((Measure::Calls, most));
        }
        let attribute = self.attribute(place, operations, name)?;
        self.number(place, name, &attribute)?;
        let most = self.quantity(place, &attribute, &bound.most)?;
        Some((Measure::Sum(attribute), most))
    }

    fn period(&mut self, place: Place<'a>, name: &Name) -> Option<Period> {
        let period = Period::ALL.into_iter().find(|period| period.as_str() == name.text);
        if period.is_none() {
            let message = format!("unknown period {}", quote(&name.text));
            let help = did_you_mean(&name.text, "periods", Period::ALL.map(Period::as_str));
            self.found.error(codes::UNKNOWN_PERIOD, place.at(name.span), message, help);
        }
        period
    }

    pub(super) fn assertion(&mut self, place: Place<'a>, written: &WrittenAssert) -> Option<Assert> {
        let subjects = self.subjects(place, &written.subjects);
        let operations = self.operations(place, &written.operations).complete()?;
        let condition = match &written.condition {
            Some(condition) => Some(self.condition(place, &operations, condition)?),
            None => None,
        };
        Some(Assert {
            name: written.name.text.clone(),
            subjects: subjects?,
            operations,
            condition,
            at: place.at(place.statement.span),
        })
    }
}

/// Returns true if a condition requires the flag to be set. A negated flag does not count: `not complex` in one branch
/// must not open another.
fn asks_for(condition: &Condition, flag: &str, holds: bool) -> bool {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().any(|part| asks_for(part, flag, holds)),
        Condition::Not(part) => asks_for(part, flag, !holds),
        Condition::Flag { attribute, .. } => holds && &*attribute.name == flag,
        Condition::In { .. } | Condition::Equals { .. } | Condition::Matches { .. } | Condition::Number { .. } => false,
    }
}

const CODE_BYTES_MAX: usize = 64;
