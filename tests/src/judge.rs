//! Judges and what they answer; whether several of them answer the same.
//!
//! A judge is one way from a `Model` to answers. To add one, implement [`Prepared`] and [`Judge`] and add
//! its [`Seat`] to [`seats`]; every test of this crate then asks it too.

use std::fmt;

use policy_model::{Decision, Limit, Model, Request, evaluate};
use policy_syntax::Effect;

use crate::campaign::check_text;
use crate::cedar::cedar;
use crate::facts::Facts;
use crate::table::table;

/// One way to decide requests.
pub trait Judge {
    /// As reports name it.
    fn name(&self) -> &'static str;

    /// Decides one request.
    fn judge(&mut self, request: &Request) -> Answer;

    /// How much of an answer is its own. What it does not give is not compared.
    fn gives(&self) -> Gives {
        Gives::Everything
    }

    /// Whether it has no answer to this request. Runs count how often that happens.
    fn abstains(&self, _request: &Request) -> bool {
        false
    }
}

/// How much of an answer a judge gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// All of it.
    Everything,
    /// The verdict, the rule and the code.
    VerdictRuleAndCode,
}

/// What a judge says of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub rule: String,
    /// The rationale code.
    pub code: String,
    /// The limit that was exceeded: its number and the most it may be.
    pub exceeded: Option<(String, u64)>,
    /// Checks before the act, in the order of the rule.
    pub requirements: Vec<String>,
    /// Limits the executor holds, in the order of the rule.
    pub limits: Vec<(String, u64)>,
    /// Budgets to charge, in the order of the policy.
    pub budgets: Vec<String>,
}

impl From<Decision> for Answer {
    fn from(decision: Decision) -> Self {
        let bound = |limit: &Limit| (limit.attribute.name.to_string(), limit.most);
        Self {
            verdict: decision.verdict,
            rule: decision.rule,
            code: decision.code,
            exceeded: decision.exceeded.as_ref().map(bound),
            requirements: decision.obligations.requirements,
            limits: decision.obligations.limits.iter().map(bound).collect(),
            budgets: decision.obligations.budgets,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {} ({})", self.verdict.as_str(), self.rule, self.code)?;
        if let Some((attribute, most)) = &self.exceeded {
            write!(f, ", over {attribute} <= {most}")?;
        }
        if !self.requirements.is_empty() {
            write!(f, ", requires {}", self.requirements.join(", "))?;
        }
        for (attribute, most) in &self.limits {
            write!(f, ", holds {attribute} <= {most}")?;
        }
        if !self.budgets.is_empty() {
            write!(f, ", charges {}", self.budgets.join(", "))?;
        }
        Ok(())
    }
}

/// Two judges and their different answers to one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Who answered first, and what.
    pub first: (&'static str, Answer),
    /// Who answered otherwise, and what.
    pub second: (&'static str, Answer),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((one, first), (other, second)) = (&self.first, &self.second);
        write!(f, "the judges differ\n  {one}: {first}\n  {other}: {second}")
    }
}

/// Asks all judges the same. What they agree on is the first one's answer, since the others may give
/// less; there is none when all abstain.
///
/// # Errors
/// The first judge who answers otherwise than the first who answers.
pub fn agree(judges: &mut [Box<dyn Judge + '_>], request: &Request) -> Result<Option<Answer>, Box<Difference>> {
    let mut asked = judges.iter_mut().filter(|judge| !judge.abstains(request));
    let Some(first) = asked.next() else {
        return Ok(None);
    };
    let answer = first.judge(request);
    for other in asked {
        let second = other.judge(request);
        if !is_same(&answer, &second, first.gives(), other.gives()) {
            let difference = Difference { first: (first.name(), answer), second: (other.name(), second) };
            return Err(Box::new(difference));
        }
    }
    Ok(Some(answer))
}

fn is_same(first: &Answer, second: &Answer, gives: Gives, other_gives: Gives) -> bool {
    match (gives, other_gives) {
        (Gives::Everything, Gives::Everything) => first == second,
        (Gives::VerdictRuleAndCode, _) | (_, Gives::VerdictRuleAndCode) => {
            (first.verdict, &first.rule, &first.code) == (second.verdict, &second.rule, &second.code)
        }
    }
}

/// Fails when some two judges differ on this policy and request.
///
/// # Errors
/// Who differs and how, or why this is no policy with such a request.
pub fn agreement(text: &str, facts: &Facts, seats: &[Seat]) -> Result<(), String> {
    let checked = check_text(text);
    let model = checked.model.as_ref().ok_or_else(|| format!("{:#?}", checked.diagnostics))?;
    let request = facts.request(model).ok_or("the policy has no such request")?;
    let mut prepared = Vec::new();
    for seat in seats {
        prepared.push(seat.prepare(model).map_err(|refusal| format!("{}: {}", seat.name, refusal.0))?);
    }
    let mut judges: Vec<_> = prepared.iter().map(|prepared| prepared.judge()).collect();
    agree(&mut judges, &request).map(|_| ()).map_err(|difference| difference.to_string())
}

/// A policy as a judge needs it: the model itself, frozen bytes, policies of another language. It is made
/// once for a policy; a judge may borrow from it.
pub trait Prepared {
    /// A judge by this policy.
    fn judge(&self) -> Box<dyn Judge + '_>;
}

/// A place at the bench: how a policy is prepared for a judge.
pub struct Seat {
    /// The judge's own name.
    pub name: &'static str,
    /// How many policies of an exhaustive world the judge decides at most: as many as take it some seconds.
    pub policies_most: usize,
    prepare: Prepare,
}

type Prepare = Box<dyn for<'m> Fn(&'m Model) -> Result<Box<dyn Prepared + 'm>, Refusal>>;

/// Why a policy gets no judge of a kind. A run counts these; it never takes one for an agreement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(pub String);

impl Seat {
    /// A seat for a judge that is made in no time.
    pub fn new(
        name: &'static str,
        prepare: impl for<'m> Fn(&'m Model) -> Result<Box<dyn Prepared + 'm>, Refusal> + 'static,
    ) -> Self {
        Self { name, policies_most: usize::MAX, prepare: Box::new(prepare) }
    }

    /// The same for a judge that takes its time.
    #[must_use]
    pub fn at_most(self, policies_most: usize) -> Self {
        Self { policies_most, ..self }
    }

    /// The policy as the judge needs it.
    ///
    /// # Errors
    /// Why this policy cannot have such a judge.
    pub fn prepare<'m>(&self, model: &'m Model) -> Result<Box<dyn Prepared + 'm>, Refusal> {
        (self.prepare)(model)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seat({})", self.name)
    }
}

/// Every judge there is, the one that defines the language first.
#[must_use]
pub fn seats() -> Vec<Seat> {
    vec![reference(), table(), cedar()]
}

/// The seat of the reference evaluator.
#[must_use]
pub fn reference() -> Seat {
    Seat::new("reference", |model| Ok(Box::new(Reference { model })))
}

/// The reference evaluator.
#[derive(Clone, Copy)]
struct Reference<'m> {
    model: &'m Model,
}

impl Prepared for Reference<'_> {
    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(*self)
    }
}

impl Judge for Reference<'_> {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn judge(&mut self, request: &Request) -> Answer {
        evaluate(self.model, request).into()
    }
}
