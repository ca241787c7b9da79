//! What an engine answers, and how much of it an engine can say.

use policy_syntax::Effect;
use serde::{Deserialize, Serialize};

/// The strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Verdict {
    /// Must not happen.
    Deny,
    /// May happen if a person agrees.
    Ask,
    /// May happen.
    Allow,
}

impl Verdict {
    /// All, the strongest first: the order in which rules are tried.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];
}

impl From<Effect> for Verdict {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Deny => Self::Deny,
            Effect::Ask => Self::Ask,
            Effect::Allow => Self::Allow,
        }
    }
}

impl From<enforce_core::Verdict> for Verdict {
    fn from(verdict: enforce_core::Verdict) -> Self {
        match verdict {
            enforce_core::Verdict::Deny => Self::Deny,
            enforce_core::Verdict::Ask => Self::Ask,
            enforce_core::Verdict::Allow => Self::Allow,
        }
    }
}

/// How much of a verdict an engine can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// Deny, ask and allow.
    All,
    /// Allowed or not; a question is not allowed.
    AllowedOrNot,
}

impl Says {
    /// What an engine that says so much has to answer where the reference answers this.
    #[must_use]
    pub fn expects(self, verdict: Verdict) -> Verdict {
        match (self, verdict) {
            (Self::AllowedOrNot, Verdict::Ask) => Verdict::Deny,
            (_, verdict) => verdict,
        }
    }
}
