//! Judges that are wrong on purpose, each in one way that a judge could really be wrong in. A run that
//! does not find one of them could not find the same mistake in a real judge.

use std::collections::BTreeSet;
use std::sync::Arc;

use policy_model::catalogue::{COMPLEX, NETWORK, set_kind};
use policy_model::{
    Condition, LocatedPattern, Model, OPEN_NUMBER, Pattern, PatternSet, Regex, Request, RoleId, Rule, evaluate,
};
use policy_syntax::{Effect, Operator, SetKind};

use crate::judge::{Answer, Judge, Prepared, Seat};

/// A seat for each of them.
#[must_use]
pub fn wrong_seats() -> Vec<Seat> {
    MISTAKES
        .iter()
        .map(|mistake| Seat::new(mistake.name, |model| Ok(Box::new(Mistaken::new(mistake, model)))))
        .collect()
}

/// The reference evaluator on a changed policy, a changed request, or both.
struct Mistaken {
    mistake: &'static Mistake,
    model: Model,
}

struct Mistake {
    name: &'static str,
    policy: fn(&mut Model),
    request: fn(&Model, &mut Request),
    answer: fn(&Model, &Request, &mut Answer),
}

impl Mistaken {
    fn new(mistake: &'static Mistake, model: &Model) -> Self {
        let mut model = model.clone();
        (mistake.policy)(&mut model);
        Self { mistake, model }
    }
}

impl Prepared for Mistaken {
    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(self)
    }
}

impl Judge for &Mistaken {
    fn name(&self) -> &'static str {
        self.mistake.name
    }

    fn judge(&mut self, request: &Request) -> Answer {
        let mut changed = request.clone();
        (self.mistake.request)(&self.model, &mut changed);
        let mut answer = evaluate(&self.model, &changed).into();
        (self.mistake.answer)(&self.model, request, &mut answer);
        answer
    }
}

const fn of_policy(name: &'static str, policy: fn(&mut Model)) -> Mistake {
    Mistake { name, policy, request: |_, _| {}, answer: |_, _, _| {} }
}

const fn of_request(name: &'static str, request: fn(&Model, &mut Request)) -> Mistake {
    Mistake { name, policy: |_| {}, request, answer: |_, _, _| {} }
}

const fn of_answer(name: &'static str, answer: fn(&Model, &Request, &mut Answer)) -> Mistake {
    Mistake { name, policy: |_| {}, request: |_, _| {}, answer }
}

const MISTAKES: &[Mistake] = &[
    of_policy("takes the last rule", |model| {
        let count = model.rules.len();
        model.rules.iter_mut().for_each(|rule| rule.place = count.saturating_sub(rule.place));
    }),
    of_policy("a folder's subtree is without the folder", |model| {
        each_glob(model, |glob| glob.strip_suffix("/**").map(|folder| format!("{folder}/*/**")));
    }),
    of_policy("a double star takes one segment at least", |model| {
        each_glob(model, |glob| glob.strip_prefix("**/").map(|rest| format!("*/**/{rest}")));
    }),
    of_policy("a star crosses segments", |model| {
        each_glob(model, |glob| glob.strip_suffix("/*").map(|folder| format!("{folder}/*/**")));
    }),
    of_policy("only the first list of a set counts", |model| {
        each_leaf(model, |leaf| {
            if let Condition::In { sets, .. } = leaf {
                for set in sets {
                    let lists = set.lists.iter().take(1).cloned().collect();
                    *set = Arc::new(PatternSet { name: set.name.clone(), lists });
                }
            }
        });
    }),
    of_policy("at most means below", |model| {
        each_leaf(model, |leaf| {
            if let Condition::Number { operator: operator @ Operator::AtMost, .. } = leaf {
                *operator = Operator::Below;
            }
        });
    }),
    of_policy("a limit is exceeded by the limit itself", |model| {
        model
            .rules
            .iter_mut()
            .flat_map(|rule| &mut rule.limits)
            .for_each(|limit| limit.most = limit.most.saturating_sub(1));
    }),
    of_policy("limits in another order", |model| model.rules.iter_mut().for_each(|rule| rule.limits.reverse())),
    of_policy("roles include nothing", |model| {
        for (place, role) in model.roles.iter_mut().enumerate() {
            role.implies = BTreeSet::from([RoleId(place)]);
        }
    }),
    of_policy("complex lines need no permission", |model| {
        model.rules.iter_mut().for_each(|rule| rule.asks_for.extend([COMPLEX]));
    }),
    of_policy("the network needs no permission", |model| {
        model.rules.iter_mut().for_each(|rule| rule.asks_for.extend([NETWORK]));
    }),
    of_policy("a regex is bound to both ends", |model| each_regex(model, |regex| format!("^(?:{regex})$"))),
    of_policy("a dot is a line break too", |model| each_regex(model, |regex| format!("(?s){regex}"))),
    of_policy("a rule has no code of its own", |model| model.rules.iter_mut().for_each(|rule| rule.code = None)),
    of_request("an open number is zero in a condition", |model, request| {
        for name in names(model, request, |kind| kind.is_number()) {
            request.numbers.entry(name).or_insert(0);
        }
    }),
    of_request("an absent string is empty", |model, request| {
        for name in names(model, request, |kind| set_kind(kind).is_some()) {
            request.strings.entry(name).or_default();
        }
    }),
    of_request("the largest number is an open one", |_, request| {
        request.numbers.retain(|_, number| *number != OPEN_NUMBER);
    }),
    of_request("large numbers are cut to 32 bits", |_, request| {
        request.numbers.values_mut().for_each(|number| *number &= u64::from(u32::MAX));
    }),
    of_request("case does not count", |_, request| {
        request.strings.values_mut().for_each(|value| value.make_ascii_lowercase());
    }),
    of_request("a slash at the end does not count", |_, request| {
        request.strings.values_mut().for_each(|value| value.truncate(value.trim_end_matches('/').len()));
    }),
    of_request("long strings are cut", |_, request| {
        request.strings.values_mut().for_each(|value| *value = value.chars().take(64).collect());
    }),
    of_request("one role counts", |_, request| {
        request.roles = request.roles.first().copied().into_iter().collect();
    }),
    of_answer("an exceeded question falls back to a permission", |model, request, answer| {
        let decided = model.rule(&answer.rule);
        if answer.code == "LIMIT_EXCEEDED" && decided.is_some_and(|rule| rule.effect == Effect::Ask) {
            let rules: Vec<Rule> = model.rules.iter().filter(|rule| rule.effect != Effect::Ask).cloned().collect();
            *answer = evaluate(&Model { rules, ..model.clone() }, request).into();
        }
    }),
    of_answer("requirements in another order", |_, _, answer| answer.requirements.sort()),
    of_answer("one budget is charged", |_, _, answer| answer.budgets.truncate(1)),
    of_answer("a limit on an open number is forgotten", |_, _, answer| answer.limits.clear()),
    of_answer("the limit that was exceeded is not said", |_, _, answer| answer.exceeded = None),
];

/// The names of an operation's attributes of some kind.
fn names(
    model: &Model,
    request: &Request,
    is_meant: fn(policy_model::catalogue::AttributeKind) -> bool,
) -> Vec<String> {
    let operation = model.operations.get(request.operation.0);
    let attributes = operation.map(|operation| operation.attributes.as_slice()).unwrap_or_default();
    attributes.iter().filter(|one| is_meant(one.kind)).map(|one| one.name.to_string()).collect()
}

fn each_leaf(model: &mut Model, change: impl Fn(&mut Condition)) {
    fn visit(condition: &mut Condition, change: &impl Fn(&mut Condition)) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => parts.iter_mut().for_each(|part| visit(part, change)),
            Condition::Not(part) => visit(part, change),
            leaf => change(leaf),
        }
    }
    model.rules.iter_mut().filter_map(|rule| rule.condition.as_mut()).for_each(|condition| visit(condition, &change));
}

fn each_regex(model: &mut Model, change: impl Fn(&str) -> String) {
    each_leaf(model, |leaf| {
        if let Condition::Matches { regex, .. } = leaf
            && let Ok(changed) = Regex::new(&change(regex.pattern()))
        {
            *regex = changed;
        }
    });
}

fn each_glob(model: &mut Model, change: impl Fn(&str) -> Option<String>) {
    each_leaf(model, |leaf| {
        if let Condition::In { sets, .. } = leaf {
            for set in sets {
                let changed = |list: &Arc<[LocatedPattern]>| list.iter().map(|one| changed(one, &change)).collect();
                *set = Arc::new(PatternSet { name: set.name.clone(), lists: set.lists.iter().map(changed).collect() });
            }
        }
    });
}

fn changed(located: &LocatedPattern, change: &impl Fn(&str) -> Option<String>) -> LocatedPattern {
    let mut located = located.clone();
    if let Pattern::Segments(glob) = &located.pattern
        && let Some(text) = change(&glob.to_string())
        && let Ok(pattern) = Pattern::new(SetKind::Paths, &text)
    {
        located.pattern = pattern;
    }
    located
}
