//! The engines that are compared. Each is given its requests in its own form before anything is timed,
//! and has to give the reference evaluator's verdicts on all that it is timed on.

#[cfg(feature = "peers")]
mod casbin;
#[cfg(feature = "peers")]
mod cedar;
mod core;
mod globs;
mod lazy_dfa;
#[cfg(feature = "peers")]
mod regorus;
mod split;

use policy_model::Model;

use crate::ask::Ask;
use crate::plain::PlainRule;
use crate::verdict::{Says, Verdict};
use crate::workload::Workload;

pub use self::core::Core;

/// Something that answers requests it was given before.
pub trait Engine: Send {
    /// How much of a verdict it can say.
    fn says(&self) -> Says;

    /// The verdict on the request at this place.
    fn judge(&mut self, place: usize) -> Verdict;

    /// Judges the requests from one place up to another; the sum keeps the answers from being optimised away.
    fn judge_all(&mut self, from: usize, to: usize) -> usize {
        (from..to).map(|place| std::hint::black_box(self.judge(place)) as usize).sum()
    }
}

/// Which engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// This project's.
    Core,
    /// One set of globs for each operation and effect.
    GlobSet,
    /// One lazy DFA for each operation and effect.
    LazyDfa,
    /// Cedar's authorizer over all policies.
    Cedar,
    /// Cedar's authorizer over the policies about the operation alone.
    CedarSliced,
    /// A Rego policy over the rules as data.
    Regorus,
    /// An enforcer with a glob function of its own.
    Casbin,
}

impl Name {
    /// Those that this program was built with.
    pub const BUILT: &[Self] = if cfg!(feature = "peers") {
        &[Self::Core, Self::GlobSet, Self::LazyDfa, Self::Cedar, Self::CedarSliced, Self::Regorus, Self::Casbin]
    } else {
        &[Self::Core, Self::GlobSet, Self::LazyDfa]
    };

    /// As tables show it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "interdict",
            Self::GlobSet => "globset",
            Self::LazyDfa => "lazy DFA",
            Self::Cedar => "Cedar",
            Self::CedarSliced => "Cedar by operation",
            Self::Regorus => "regorus",
            Self::Casbin => "Casbin",
        }
    }

    /// The engine for a policy and requests.
    ///
    /// # Panics
    /// When it is not built in: see [`Name::BUILT`].
    #[must_use]
    pub fn engine(self, workload: &Workload, asks: &[Ask]) -> Box<dyn Engine> {
        match self {
            Self::Core => Box::new(Core::new(&workload.table, asks)),
            Self::Cedar | Self::CedarSliced => self.of_model(&workload.model, asks),
            Self::GlobSet | Self::LazyDfa | Self::Regorus | Self::Casbin => self.of_plain_rules(&workload.plain, asks),
        }
    }

    /// The engine for a checked policy, for those that need all of it.
    ///
    /// # Panics
    /// When it is made of something else or is not built in.
    #[must_use]
    #[cfg_attr(not(feature = "peers"), expect(unused_variables, reason = "only Cedar is made of a model"))]
    pub fn of_model(self, model: &Model, asks: &[Ask]) -> Box<dyn Engine> {
        match self {
            #[cfg(feature = "peers")]
            Self::Cedar => Box::new(cedar::Cedar::new(model, asks, cedar::Slices::Whole)),
            #[cfg(feature = "peers")]
            Self::CedarSliced => Box::new(cedar::Cedar::new(model, asks, cedar::Slices::ByOperation)),
            other => panic!("{} cannot be made of a model here", other.as_str()),
        }
    }

    /// The engine for plain rules, for those that need no more than these.
    ///
    /// # Panics
    /// When it needs more or is not built in.
    #[must_use]
    pub fn of_plain_rules(self, rules: &[PlainRule], asks: &[Ask]) -> Box<dyn Engine> {
        match self {
            Self::GlobSet => Box::new(split::Split::<globs::Globs>::new(rules, asks)),
            Self::LazyDfa => Box::new(split::Split::<lazy_dfa::LazyDfa>::new(rules, asks)),
            #[cfg(feature = "peers")]
            Self::Regorus => Box::new(regorus::Regorus::new(rules, asks)),
            #[cfg(feature = "peers")]
            Self::Casbin => Box::new(casbin::Casbin::new(rules, asks)),
            other => panic!("{} cannot be made of plain rules here", other.as_str()),
        }
    }
}
