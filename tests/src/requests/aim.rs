//! A condition and a wish -> facts that make it hold, or not, as far as facts can be found one by one.

use policy_model::{Attribute, Condition, OPEN_NUMBER, PatternSet, Request, holds};

use super::{Requests, set_number, strings};
use crate::dice::Dice;

impl<'m> Requests<'m> {
    /// Changes the request so that the condition probably holds, or probably does not.
    pub(super) fn aim(&self, dice: &mut Dice, condition: &'m Condition, wanted: bool, request: &mut Request) {
        match condition {
            Condition::All(parts) | Condition::Any(parts) => {
                let needs_all = matches!(condition, Condition::All(_)) == wanted;
                if needs_all {
                    parts.iter().for_each(|part| self.aim(dice, part, wanted, request));
                } else if let Some(part) = dice.pick(parts) {
                    self.aim(dice, part, wanted, request);
                }
            }
            Condition::Not(part) => self.aim(dice, part, !wanted, request),
            // What is so already stays: an earlier part of the condition may have made it so.
            leaf if holds(leaf, request) == wanted && dice.chance(90) => {}
            leaf => self.aim_leaf(dice, leaf, wanted, request),
        }
    }

    fn aim_leaf(&self, dice: &mut Dice, leaf: &'m Condition, wanted: bool, request: &mut Request) {
        match leaf {
            Condition::All(_) | Condition::Any(_) | Condition::Not(_) => {}
            Condition::Flag { attribute, .. } => {
                if wanted {
                    request.flags.insert(attribute.name.to_string());
                } else {
                    request.flags.remove(&*attribute.name);
                }
            }
            Condition::In { attribute, sets, .. } => {
                let value = wanted.then(|| of_sets(dice, sets)).flatten();
                self.put(dice, attribute, value, request);
            }
            Condition::Equals { attribute, text, .. } => {
                self.put(dice, attribute, wanted.then(|| text.clone()), request);
            }
            Condition::Matches { attribute, regex, .. } => {
                let value = wanted.then(|| self.of_regex(dice, regex.pattern()));
                self.put(dice, attribute, value, request);
            }
            Condition::Number { attribute, value, .. } => {
                // Around the boundary there is one that serves; which, the condition itself says.
                let mut tries = [Some(*value), value.checked_sub(1), value.checked_add(1), None];
                dice.shuffle(&mut tries);
                for number in tries {
                    set_number(request, &attribute.name, number.filter(|number| *number != OPEN_NUMBER));
                    if holds(leaf, request) == wanted {
                        break;
                    }
                }
            }
        }
    }

    /// The value wanted; when a miss is wanted, one beside what is there, another one, or none.
    fn put(&self, dice: &mut Dice, attribute: &Attribute, wanted: Option<String>, request: &mut Request) {
        let name = attribute.name.to_string();
        let value = match wanted {
            Some(value) => Some(value),
            None => match dice.weighted([(45, 0), (35, 1), (20, 2)]) {
                0 => request.strings.get(&name).map(|value| strings::beside(dice, value)),
                1 => self.strings.get(&*name).and_then(|hints| dice.pick(hints)).map(|hint| self.of_hint(dice, hint)),
                _ => None,
            },
        };
        match value {
            Some(value) => request.strings.insert(name, value),
            None => request.strings.remove(&name),
        };
    }
}

fn of_sets(dice: &mut Dice, sets: &[std::sync::Arc<PatternSet>]) -> Option<String> {
    let patterns = || sets.iter().flat_map(|set| set.patterns());
    let count = patterns().count();
    let located = patterns().nth(dice.below(count))?;
    Some(strings::of_pattern(dice, &located.pattern))
}
