//! The order in which rules have the word, as one number: the least wins.

use table_format::{Edge, RuleId};

/// A rule and how it speaks. The strongest effect comes first and, within it, source order.
///
/// Whatever rules are judged apart from each other, the least of their ranks is the rank of all of them
/// together. That is why rules may be split over roles, groups and automata as the compiler likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank(u32);

/// How a rule speaks, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleEffect {
    Denies,
    Asks,
    /// It would ask, but one of its limits is exceeded: what is too much to be asked for is denied,
    /// whatever a weaker rule allows.
    AsksExceeded,
    Allows,
    AllowsExceeded,
}

impl Rank {
    /// No rule has the word.
    pub(crate) const NONE: Self = Self(NOTHING);

    /// The rank of where an edge leads, unless limits have to be looked at before.
    #[inline(always)]
    pub(crate) fn of(edge: Edge) -> Option<Self> {
        edge.rank().map(Self)
    }

    #[inline]
    pub(crate) fn new(voice: RuleEffect, rule: u32) -> Self {
        let tier = match voice {
            RuleEffect::Denies => 0,
            RuleEffect::Asks => 1,
            RuleEffect::AsksExceeded => 2,
            RuleEffect::Allows => 3,
            RuleEffect::AllowsExceeded => 4,
        };
        Self(tier << TIER_SHIFT | (rule & RULE_BITS))
    }

    /// The rule that has the word, and how it speaks.
    pub(crate) fn winner(self) -> Option<(RuleEffect, RuleId)> {
        let voice = match self.0 >> TIER_SHIFT {
            0 => RuleEffect::Denies,
            1 => RuleEffect::Asks,
            2 => RuleEffect::AsksExceeded,
            3 => RuleEffect::Allows,
            4 => RuleEffect::AllowsExceeded,
            _ => return None,
        };
        Some((voice, RuleId(self.0 & RULE_BITS)))
    }
}

/// Rules have 28 bits (`table_format::RULES_MAX`).
const TIER_SHIFT: u32 = 28;
/// The rank of [`Edge::NOTHING`].
const NOTHING: u32 = u32::MAX >> 1;
const RULE_BITS: u32 = (1 << TIER_SHIFT) - 1;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn the_stronger_voice_and_then_the_earlier_rule_has_the_word() {
        let voices = [
            RuleEffect::Denies,
            RuleEffect::Asks,
            RuleEffect::AsksExceeded,
            RuleEffect::Allows,
            RuleEffect::AllowsExceeded,
        ];
        let ranks: Vec<Rank> =
            voices.iter().flat_map(|voice| [0, 1, RULE_BITS].map(|rule| Rank::new(*voice, rule))).collect();
        assert!(ranks.is_sorted_by(|a, b| a < b));
        assert!(ranks.iter().all(|rank| *rank < Rank::NONE));
        for (rank, voice) in ranks.iter().zip(voices.iter().flat_map(|voice| [*voice; 3])) {
            assert_eq!(rank.winner().unwrap().0, voice);
        }
        assert_eq!(Rank::NONE.winner(), None);
        assert_eq!(Rank::new(RuleEffect::Asks, 7).winner(), Some((RuleEffect::Asks, RuleId(7))));
    }

    #[test]
    fn an_edge_to_nothing_has_the_rank_of_no_rule() {
        assert_eq!(Rank::of(Edge::NOTHING), Some(Rank::NONE));
    }
}
