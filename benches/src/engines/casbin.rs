//! Casbin: one policy line for each rule, denials first, and a matcher that calls functions of ours for
//! operations, patterns (`globset`) and the rest of a rule. It says whether a request is allowed; rules
//! that ask are lines that deny.

use std::pin::pin;
use std::sync::RwLock;
use std::task::{Context, Poll, Waker};

use casbin::function_map::{OperatorFunction, dynamic_to_str};
use casbin::{CoreApi, DefaultModel, Enforcer, MemoryAdapter, MgmtApi};
use globset::GlobSet;

use super::{Engine, globs};
use crate::ask::Ask;
use crate::plain::PlainRule;
use crate::verdict::{Says, Verdict};

pub(super) struct Casbin {
    enforcer: Enforcer,
    /// Operation, target and number of each request.
    asks: Vec<[String; 3]>,
}

impl Casbin {
    pub(super) fn new(rules: &[PlainRule], asks: &[Ask]) -> Self {
        let targets = targets(rules);
        let first = remember(&RULES, rules.iter().cloned().map(Compiled::new));
        let mut lines: Vec<(Verdict, Vec<String>)> = rules
            .iter()
            .zip(first..)
            .map(|(rule, number)| {
                let effect = if rule.effect == Verdict::Allow { "allow" } else { "deny" };
                (rule.effect, vec![rule.operations.join("|"), number.to_string(), effect.to_owned()])
            })
            .collect();
        lines.sort_by_key(|(effect, _)| *effect);
        let first = remember(&ASKS, asks.iter().cloned());
        let asks = asks.iter().zip(first..).map(|(ask, number)| {
            let target = targets.iter().find_map(|name| ask.string(name)).unwrap_or_default();
            [ask.operation.clone(), target.to_owned(), number.to_string()]
        });
        let asks = asks.collect();
        let enforcer = finished(async {
            let model = DefaultModel::from_str(MODEL).await?;
            let mut enforcer = Enforcer::new(model, MemoryAdapter::default()).await?;
            enforcer.add_function(
                "among",
                OperatorFunction::Arg2(|operation, all| {
                    let (operation, all) = (dynamic_to_str(&operation), dynamic_to_str(&all));
                    all.split('|').any(|one| one == operation).into()
                }),
            );
            enforcer.add_function(
                "like",
                OperatorFunction::Arg2(|target, rule| {
                    with(&RULES, &dynamic_to_str(&rule), |rule| rule.globs.is_match(&*dynamic_to_str(&target))).into()
                }),
            );
            enforcer.add_function(
                "rest",
                OperatorFunction::Arg2(|ask, rule| {
                    let holds = |rule: &Compiled| with(&ASKS, &dynamic_to_str(&ask), |ask| rule.rest_holds(ask));
                    with(&RULES, &dynamic_to_str(&rule), holds).into()
                }),
            );
            enforcer.add_policies(lines.into_iter().map(|(_, line)| line).collect()).await?;
            casbin::Result::Ok(enforcer)
        });
        Self { enforcer: enforcer.expect("an enforcer"), asks }
    }
}

impl Engine for Casbin {
    fn says(&self) -> Says {
        Says::AllowedOrNot
    }

    fn judge(&mut self, place: usize) -> Verdict {
        let [operation, target, number] = &self.asks[place];
        let arguments = (operation.as_str(), target.as_str(), number.as_str());
        if self.enforcer.enforce(arguments).expect("an answer") { Verdict::Allow } else { Verdict::Deny }
    }
}

/// The strings that rules have patterns for. Each operation of the workloads has one of them.
fn targets(rules: &[PlainRule]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for rule in rules {
        let name = &rule.strings[rule.driver().expect("generated rules have a pattern")].attribute;
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// A rule with its globs.
struct Compiled {
    rule: PlainRule,
    driver: usize,
    globs: GlobSet,
    /// Of the other strings, by their places.
    others: Vec<Option<GlobSet>>,
}

impl Compiled {
    fn new(rule: PlainRule) -> Self {
        let set = |place: usize| {
            let test = &rule.strings[place];
            let patterns: Vec<&str> = test.patterns.iter().map(String::as_str).collect();
            globs::set(test.kind, &patterns).0
        };
        let driver = rule.driver().expect("generated rules have a pattern");
        let others = (0..rule.strings.len()).map(|place| (place != driver).then(|| set(place))).collect();
        Self { driver, globs: set(driver), others, rule }
    }

    fn rest_holds(&self, ask: &Ask) -> bool {
        let rule = &self.rule;
        let others = rule.strings.iter().zip(&self.others).filter_map(|(test, globs)| Some((test, globs.as_ref()?)));
        rule.roles.as_ref().is_none_or(|roles| roles.contains(&ask.role))
            && ask.string(&rule.strings[self.driver].attribute).is_some()
            && !rule.unset.iter().any(|flag| ask.flags.contains(flag))
            && rule.limits.iter().all(|(name, most)| ask.number(name).is_none_or(|number| number <= *most))
            && others.into_iter().all(|(test, globs)| {
                ask.string(&test.attribute).is_some_and(|value| globs.is_match(value)) == test.wanted
            })
    }
}

/// Keeps things for the whole process, because Casbin's functions are plain pointers. The place of the first.
fn remember<T>(kept: &RwLock<Vec<T>>, new: impl Iterator<Item = T>) -> usize {
    let mut kept = kept.write().expect("nobody panics while writing");
    let first = kept.len();
    kept.extend(new);
    first
}

fn with<T>(kept: &RwLock<Vec<T>>, number: &str, ask: impl Fn(&T) -> bool) -> bool {
    let number: usize = number.parse().expect("a number");
    ask(&kept.read().expect("nobody panics while writing")[number])
}

/// Nothing here waits for anything, so a future that is polled until it is ready is soon ready.
fn finished<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

static RULES: RwLock<Vec<Compiled>> = RwLock::new(Vec::new());
static ASKS: RwLock<Vec<Ask>> = RwLock::new(Vec::new());

const MODEL: &str = "
[request_definition]
r = op, target, ask

[policy_definition]
p = ops, rule, eft

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = among(r.op, p.ops) && like(r.target, p.rule) && rest(r.ask, p.rule)
";
