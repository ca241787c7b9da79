//! Conditions as formulas over what a decision can ask: needles of lanes, flags, numbers. Negations are
//! pushed down to the questions, so a formula is built of `All` and `Any` alone.

use std::rc::Rc;

use policy_syntax::Operator;

/// The condition of a rule. Cheap to clone: every diagram holds the formulas of its rules.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Formula {
    True,
    False,
    /// The question and the answer it needs.
    Is(Question, bool),
    /// At least two parts, none of them an `All`.
    All(Rc<[Formula]>),
    /// At least two parts, none of them an `Any`.
    Any(Rc<[Formula]>),
}

/// A question that a decision can ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Question {
    Found {
        lane: u32,
        needle: u32,
    },
    /// By the attribute's number.
    Flag(u32),
    /// An absent number compares greater than every other.
    Number {
        attribute: u32,
        operator: Comparison,
        value: u64,
    },
}

/// The comparisons that, with their negations, make up [`Operator`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Comparison {
    Equal,
    AtMost,
    Below,
}

impl Formula {
    pub(crate) fn number(attribute: u32, operator: Operator, value: u64) -> Self {
        let is = |operator, answer| Self::Is(Question::Number { attribute, operator, value }, answer);
        match operator {
            Operator::Equal => is(Comparison::Equal, true),
            Operator::NotEqual => is(Comparison::Equal, false),
            Operator::AtMost => is(Comparison::AtMost, true),
            Operator::Above => is(Comparison::AtMost, false),
            Operator::Below => is(Comparison::Below, true),
            Operator::AtLeast => is(Comparison::Below, false),
        }
    }

    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::True => {}
                Self::False => return Self::False,
                Self::All(inner) => flat.extend_from_slice(&inner),
                Self::Is(..) | Self::Any(_) => flat.push(part),
            }
        }
        Self::joined(flat, Self::All, Self::True, Self::False)
    }

    pub(crate) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Self::False => {}
                Self::True => return Self::True,
                Self::Any(inner) => flat.extend_from_slice(&inner),
                Self::Is(..) | Self::All(_) => flat.push(part),
            }
        }
        Self::joined(flat, Self::Any, Self::False, Self::True)
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Is(question, answer) => Self::Is(question, !answer),
            Self::All(parts) => Self::any(parts.iter().cloned().map(Self::negated)),
            Self::Any(parts) => Self::all(parts.iter().cloned().map(Self::negated)),
        }
    }

    /// Simplifies the formula when some questions are answered.
    pub(crate) fn given(&self, answer: &impl Fn(Question) -> Option<bool>) -> Self {
        match self {
            Self::True => Self::True,
            Self::False => Self::False,
            Self::Is(question, needed) => match answer(*question) {
                Some(found) if found == *needed => Self::True,
                Some(_) => Self::False,
                None => self.clone(),
            },
            Self::All(parts) => Self::all(parts.iter().map(|part| part.given(answer))),
            Self::Any(parts) => Self::any(parts.iter().map(|part| part.given(answer))),
        }
    }

    /// Calls `visit` for every question and the answer it needs.
    pub(crate) fn questions(&self, visit: &mut impl FnMut(Question, bool)) {
        match self {
            Self::True | Self::False => {}
            Self::Is(question, answer) => visit(*question, *answer),
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.questions(visit)),
        }
    }

    /// Splits the formula into alternatives of which one must hold, each with as few alternatives inside as
    /// possible, without making more than `most`.
    pub(crate) fn alternatives(self, most: usize) -> Vec<Self> {
        match self {
            Self::Any(parts) => {
                let count = parts.len();
                let share = most.saturating_sub(count).saturating_add(1);
                parts.iter().cloned().flat_map(|part| part.alternatives(share)).collect()
            }
            Self::All(parts) => {
                let mut products: Vec<Vec<Self>> = vec![Vec::new()];
                for part in parts.iter() {
                    let choices: &[Self] = match part {
                        Self::Any(choices) if choices.len().saturating_mul(products.len()) <= most => choices,
                        other => std::slice::from_ref(other),
                    };
                    products = products
                        .iter()
                        .flat_map(|product| {
                            choices.iter().map(|choice| {
                                let mut product = product.clone();
                                product.push(choice.clone());
                                product
                            })
                        })
                        .collect();
                }
                products.into_iter().map(Self::all).collect()
            }
            other @ (Self::True | Self::False | Self::Is(..)) => vec![other],
        }
    }

    /// Sorts and deduplicates the parts, so that equal formulas are equal values.
    fn joined(mut parts: Vec<Self>, wrap: impl Fn(Rc<[Self]>) -> Self, neutral: Self, absorbing: Self) -> Self {
        parts.sort_unstable();
        parts.dedup();
        // A question next to its own negation: sorted, the two answers stand side by side.
        let contradicts = |pair: &[Self]| matches!(pair, [Self::Is(a, x), Self::Is(b, y)] if a == b && x != y);
        if parts.windows(2).any(contradicts) {
            return absorbing;
        }
        match parts.len() {
            0 => neutral,
            1 => parts.pop().unwrap_or(neutral),
            _ => wrap(parts.into()),
        }
    }
}

impl Comparison {
    pub(crate) fn holds(self, number: u64, value: u64) -> bool {
        match self {
            Self::Equal => number == value,
            Self::AtMost => number <= value,
            Self::Below => number < value,
        }
    }

    /// Returns the largest number before each change of the answer.
    pub(crate) fn bounds(self, value: u64) -> impl Iterator<Item = u64> {
        let before = value.checked_sub(1);
        let (first, second) = match self {
            Self::Equal => (before, Some(value)),
            Self::AtMost => (Some(value), None),
            Self::Below => (before, None),
        };
        first.into_iter().chain(second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(number: u32) -> Formula {
        Formula::Is(Question::Flag(number), true)
    }

    #[test]
    fn formulas_have_one_shape() {
        assert_eq!(Formula::all([flag(2), flag(1), flag(2)]), Formula::All([flag(1), flag(2)].into()));
        assert_eq!(Formula::all([flag(1), Formula::True]), flag(1));
        assert_eq!(Formula::all([flag(1), flag(1).negated()]), Formula::False);
        assert_eq!(Formula::any([flag(1), flag(1).negated()]), Formula::True);
        assert_eq!(Formula::any([]), Formula::False);
        assert_eq!(
            Formula::all([flag(1), Formula::any([flag(2), flag(3)])]).negated(),
            Formula::any([flag(1).negated(), Formula::all([flag(2).negated(), flag(3).negated()])])
        );
    }

    #[test]
    fn alternatives_are_taken_apart_up_to_a_bound() {
        let formula = || Formula::all([Formula::any([flag(1), flag(2)]), Formula::any([flag(3), flag(4)]), flag(5)]);
        assert_eq!(formula().alternatives(4).len(), 4);
        assert_eq!(formula().alternatives(2).len(), 2);
        assert_eq!(formula().alternatives(1), vec![formula()]);
        assert_eq!(Formula::any([flag(1), flag(2)]).alternatives(1), vec![flag(1), flag(2)]);
    }

    #[test]
    fn answers_simplify() {
        let formula = Formula::all([flag(1), Formula::any([flag(2), flag(3)])]);
        let given = formula.given(&|question| match question {
            Question::Flag(1) => Some(true),
            Question::Flag(2) => Some(false),
            _ => None,
        });
        assert_eq!(given, flag(3));
    }
}
