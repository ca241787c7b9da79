//! (Table, facts) -> what is answered: the strictest decision of all facts, and what all of them bind to.

use enforce_core::{DEFAULT_DENY, Decision, Facts, Verdict, decide_all};
use serde::Serialize;
use table_format::{Limit, Table};

use super::request::Fact;
use super::values::LineError;
use crate::reading::Refused;
use policy_judge::Numbered;

/// A verdict and its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Judged {
    verdict: &'static str,
    rule: String,
    code: String,
    /// Which of several targets decided, or the one that did by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<String>,
    /// What was exceeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<Bound>,
    #[serde(flatten)]
    obligations: Option<Obligations>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Bound {
    attribute: String,
    most: u64,
}

/// What a permitted act is bound to, for all its targets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Obligations {
    requirements: Vec<String>,
    limits: Vec<Bound>,
    budgets: Vec<String>,
}

impl Judged {
    pub(super) fn is_denied(&self) -> bool {
        self.verdict == name_of(Verdict::Deny)
    }

    pub(super) fn refused(Refused { code, target, because }: Refused) -> Self {
        Self {
            verdict: name_of(Verdict::Deny),
            rule: DEFAULT_DENY.to_owned(),
            code,
            target: Some(target),
            because: Some(because),
            limit: None,
            obligations: None,
        }
    }

    pub(super) fn by_table(table: &Table<'_>, all: &[Fact], with_obligations: bool) -> Result<Self, LineError> {
        let numbered: Vec<Numbered<'_>> =
            all.iter().map(|fact| fact.named.numbered(table)).collect::<Result<_, _>>().map_err(LineError::Name)?;
        let facts: Vec<Facts<'_>> = numbered.iter().map(Numbered::facts).collect();
        let mut targets = all.iter().map(|fact| &fact.target);
        let mut strictest: Option<(Verdict, Option<&String>)> = None;
        let mut obligations = Obligations::default();
        let decision = decide_all(facts.iter().map(|facts| (table, facts)), |decision| {
            let target = targets.next();
            if strictest.is_none_or(|(verdict, _)| decision.verdict() < verdict) {
                strictest = Some((decision.verdict(), target));
            }
            if with_obligations {
                obligations.add(decision);
            }
        });
        let Some(decision) = decision else {
            // Nothing was asked for, which permits nothing.
            let because = "it names no target".to_owned();
            return Ok(Self::refused(Refused { code: VALIDATION_FAILED.to_owned(), target: String::new(), because }));
        };
        let is_permitted = decision.verdict() != Verdict::Deny;
        Ok(Self {
            verdict: name_of(decision.verdict()),
            rule: decision.rule_name().to_owned(),
            code: decision.code().as_str().to_owned(),
            target: strictest.and_then(|(_, target)| target).filter(|_| all.len() > 1).cloned(),
            because: decision.because().map(str::to_owned),
            limit: decision.exceeded().map(|limit| bound(table, limit)),
            obligations: (with_obligations && is_permitted).then_some(obligations),
        })
    }
}

impl Obligations {
    fn add(&mut self, decision: &Decision<'_, '_>) {
        let table = decision.table();
        add_new(&mut self.requirements, decision.requirements().map(str::to_owned));
        add_new(&mut self.limits, decision.limits().map(|limit| bound(table, limit)));
        add_new(&mut self.budgets, decision.budgets().map(|budget| table.text(budget.name).to_owned()));
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, more: impl Iterator<Item = T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

fn bound(table: &Table<'_>, limit: Limit) -> Bound {
    let attribute = table.attribute(limit.attribute).map_or("", |attribute| table.text(attribute.name));
    Bound { attribute: attribute.to_owned(), most: limit.most }
}

fn name_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Deny => "deny",
        Verdict::Ask => "ask",
        Verdict::Allow => "allow",
    }
}

/// The code of a request without a target.
const VALIDATION_FAILED: &str = "VALIDATION_FAILED";
