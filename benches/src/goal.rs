//! A figure against its limit, what a miss means, and the table of all of them.

use std::fmt::Write as _;

/// A figure and its limit, in the same unit.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Goal {
    pub(crate) claim: String,
    pub(crate) limit: Limit,
    pub(crate) unit: &'static str,
    pub(crate) measured: Measured,
    pub(crate) firmness: Firmness,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Limit {
    Below(f64),
    AtMost(f64),
    AtLeast(f64),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Measured {
    Value(f64),
    /// Why there is none.
    Not(String),
}

/// How far a figure may be from its limit on another day without anything having changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Firmness {
    /// The same on every run: counts and sizes.
    Stable,
    /// Times against each other, taken in one run in turns.
    Ratio,
    /// A time, which depends on the machine and what else it does.
    Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Met,
    /// Missed, by less than what a busy machine explains.
    MissedWithinMargin,
    Missed,
    NotMeasured,
}

impl Goal {
    pub(crate) fn outcome(&self) -> Outcome {
        let Measured::Value(value) = self.measured else {
            return Outcome::NotMeasured;
        };
        let margin = self.firmness.margin();
        if self.limit.holds(value, 1.0) {
            Outcome::Met
        } else if self.limit.holds(value, margin) {
            Outcome::MissedWithinMargin
        } else {
            Outcome::Missed
        }
    }
}

impl Limit {
    fn holds(self, value: f64, margin: f64) -> bool {
        match self {
            Self::Below(limit) => value < limit * margin,
            Self::AtMost(limit) => value <= limit * margin,
            Self::AtLeast(limit) => value >= limit / margin,
        }
    }

    fn in_words(self, unit: &str) -> String {
        match self {
            Self::Below(limit) => format!("under {}{unit}", short(limit)),
            Self::AtMost(limit) => format!("at most {}{unit}", short(limit)),
            Self::AtLeast(limit) => format!("at least {}{unit}", short(limit)),
        }
    }
}

impl Firmness {
    /// What a limit is multiplied by before a miss fails a run.
    pub(crate) fn margin(self) -> f64 {
        match self {
            Self::Stable => 1.0,
            Self::Ratio => 2.0,
            Self::Time => 4.0,
        }
    }
}

/// Prints what came of each, and says whether none is missed by more than its margin.
pub(crate) fn all_hold(goals: &[Goal]) -> bool {
    println!("{}", render(goals));
    for goal in goals.iter().filter(|goal| goal.outcome() == Outcome::NotMeasured) {
        println!("NOT MEASURED: {}", goal.claim);
    }
    goals.iter().all(|goal| goal.outcome() != Outcome::Missed)
}

/// Every goal on a line.
fn render(goals: &[Goal]) -> String {
    let width = goals.iter().map(|goal| goal.claim.len()).max().unwrap_or_default();
    let mut text = format!("{:<width$}  {:<18}  {:>12}\n", "figure", "limit", "measured");
    for goal in goals {
        let word = match goal.outcome() {
            Outcome::Met => "ok",
            Outcome::MissedWithinMargin => "MISSED, within the margin for a busy machine",
            Outcome::Missed => "MISSED",
            Outcome::NotMeasured => "NOT MEASURED",
        };
        let (measured, reason) = match &goal.measured {
            Measured::Value(value) => (format!("{}{}", short(*value), goal.unit), String::new()),
            Measured::Not(why) => ("-".to_owned(), format!(": {why}")),
        };
        let limit = goal.limit.in_words(goal.unit);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<width$}  {limit:<18}  {measured:>12}  {word}{reason}", goal.claim);
    }
    text
}

/// Three digits, and whole numbers as they are.
pub(crate) fn short(value: f64) -> String {
    let whole = value.round();
    if (value - whole).abs() < 1e-9 || value.abs() >= 100.0 {
        let digits = format!("{:.0}", whole.abs());
        let groups: Vec<&str> =
            digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
        format!("{}{}", if whole < 0.0 { "-" } else { "" }, groups.join(","))
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(limit: Limit, firmness: Firmness, value: f64) -> Goal {
        Goal { claim: "a".to_owned(), limit, unit: " x", measured: Measured::Value(value), firmness }
    }

    #[test]
    fn limits_hold_on_their_own_side_of_the_boundary() {
        let outcome = |limit, value| goal(limit, Firmness::Stable, value).outcome();
        assert_eq!(outcome(Limit::Below(2.0), 1.99), Outcome::Met);
        assert_eq!(outcome(Limit::Below(2.0), 2.0), Outcome::Missed);
        assert_eq!(outcome(Limit::AtMost(2.0), 2.0), Outcome::Met);
        assert_eq!(outcome(Limit::AtMost(2.0), 2.01), Outcome::Missed);
        assert_eq!(outcome(Limit::AtLeast(2.0), 2.0), Outcome::Met);
        assert_eq!(outcome(Limit::AtLeast(2.0), 1.99), Outcome::Missed);
    }

    #[test]
    fn times_have_a_margin_and_counts_have_none() {
        let outcome = |firmness, value| goal(Limit::AtMost(2.0), firmness, value).outcome();
        assert_eq!(outcome(Firmness::Ratio, 4.0), Outcome::MissedWithinMargin);
        assert_eq!(outcome(Firmness::Ratio, 4.1), Outcome::Missed);
        assert_eq!(outcome(Firmness::Time, 8.0), Outcome::MissedWithinMargin);
        assert_eq!(outcome(Firmness::Time, 8.1), Outcome::Missed);
        let faster = |value| goal(Limit::AtLeast(2.0), Firmness::Ratio, value).outcome();
        assert_eq!([faster(1.0), faster(0.9)], [Outcome::MissedWithinMargin, Outcome::Missed]);
    }

    #[test]
    fn a_figure_that_was_not_taken_is_neither_met_nor_missed() {
        let mut goal = goal(Limit::AtMost(1.0), Firmness::Stable, 0.0);
        goal.measured = Measured::Not("no valgrind".to_owned());
        assert_eq!(goal.outcome(), Outcome::NotMeasured);
        assert!(render(&[goal]).ends_with("-  NOT MEASURED: no valgrind\n"));
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 1.5, 12.34, 999.6, 1_048_576.0, -1_234.0].map(short);
        assert_eq!(shown, ["0", "1.50", "12.3", "1,000", "1,048,576", "-1,234"]);
    }
}
