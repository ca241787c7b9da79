//! A permit -> an act whose intent is recorded -> its result. Each step consumes what only the one before it makes, so nothing
//! acts without a recorded intent, and no act is left without an end.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use enforce_core::Operation;
use enforce_core::judge::{Permit, RequestAttributes};
use enforce_core::wire::Request;
use exec_record::{
    self as record, Act, Answer, Begin, Finish, Placed, Settled, Spent, State, StateError, TouchedPaths,
};

use crate::charges::{Bill, Charges, Usage};
use crate::fault::Fault;
use crate::obligations::Obligations;
use crate::path_judge::{PathDenied, PathJudge};
use crate::request_record::RequestRecord;
use crate::sandbox::Exit;

/// A permit whose intent is recorded. Only [`Begun::begin`] makes one, and acting consumes it.
pub(crate) struct Begun<'a> {
    permit: Permit<'a>,
    attributes: RequestAttributes<'a>,
    record: &'a RequestRecord,
    act: Act,
    charges: Charges,
    /// With limits no higher than what was granted of budgets.
    obligations: Obligations,
    reached: Mutex<TouchedPaths>,
    started: Instant,
}

/// An act that has ended and is not recorded yet.
pub(crate) struct Done {
    pub(crate) outcome: Result<Output, Failed>,
    pub(crate) operation: Operation,
    pub(crate) open: OpenAct,
}

/// The record of an act that has to be closed.
pub(crate) struct OpenAct {
    act: Act,
    charges: Charges,
    bill: Bill,
    reached: TouchedPaths,
}

/// The output of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// The bytes of a file, or JSON of [`crate::results`].
    pub(crate) result: Vec<u8>,
    /// Files that were read or changed.
    pub(crate) files: u64,
    /// Bytes that were read or written.
    pub(crate) bytes: u64,
    /// Bytes of content, bytes of kept output, or results: the number that budgets count.
    pub(crate) returned: u64,
    /// The exit of a command.
    pub(crate) exit: Option<Exit>,
}

/// Why an act failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Nothing was changed.
    Fault(Fault),
    /// So many files were changed before the failure.
    Partly(Fault, u64),
    /// The act would have reached a denied path.
    Denied(PathDenied),
    /// There are more bytes than may be returned.
    TooLarge { bytes: u64, why: String },
}

/// Why an act was not begun.
pub(crate) enum NotBegun {
    /// The same request was answered before.
    Repeat(Placed),
    /// The same request was begun before, and it is not known whether the act happened.
    Interrupted,
    /// Another request had the same key.
    KeyReused,
    OverBudget(Spent),
    State(StateError),
}

impl<'a> Begun<'a> {
    /// Claims the key, charges the budgets and records the intent.
    pub(crate) async fn begin(
        permit: Permit<'a>,
        attributes: RequestAttributes<'a>,
        record: &'a RequestRecord,
        obligations: &Obligations,
        charges: Charges,
        (state, begin): (&dyn State, Begin),
    ) -> Result<Self, NotBegun> {
        let act = match state.begin(begin).await.map_err(NotBegun::State)? {
            record::Begun::Fresh(act) => act,
            record::Begun::Repeat(placed) => return Err(NotBegun::Repeat(placed)),
            record::Begun::Running(settled) => match settled.await.map_err(NotBegun::State)? {
                Settled::Repeat(placed) => return Err(NotBegun::Repeat(placed)),
                Settled::Interrupted => return Err(NotBegun::Interrupted),
            },
            record::Begun::Interrupted => return Err(NotBegun::Interrupted),
            record::Begun::KeyReused => return Err(NotBegun::KeyReused),
            record::Begun::OverBudget(spent) => return Err(NotBegun::OverBudget(spent)),
        };
        let obligations = charges.bind(act.granted(), obligations).into_owned();
        let (reached, started) = (Mutex::default(), Instant::now());
        Ok(Self { permit, attributes, record, act, charges, obligations, reached, started })
    }

    pub(crate) fn permit(&self) -> &Permit<'a> {
        &self.permit
    }

    pub(crate) fn request(&self) -> &Request<'a> {
        self.permit.request()
    }

    pub(crate) fn obligations(&self) -> &Obligations {
        &self.obligations
    }

    /// Judges the paths that the act comes upon, and notes them for the record.
    pub(crate) fn path_judge(&self) -> PathJudge<'_, 'a> {
        PathJudge::new(&self.permit, self.attributes, &self.obligations, self.record, &self.reached)
    }

    /// Ends the act.
    pub(crate) fn end(self, outcome: Result<Output, Failed>) -> Done {
        let Self { attributes, act, charges, reached, started, .. } = self;
        let usage = Usage { time: started.elapsed(), returned: outcome.as_ref().map_or(0, |output| output.returned) };
        let bill = charges.bill(act.granted(), usage);
        let reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
        Done { outcome, operation: attributes.operation(), open: OpenAct { act, charges, bill, reached } }
    }
}

impl OpenAct {
    /// The sum of all charges.
    pub(crate) fn charged(&self) -> u64 {
        self.bill.sum
    }

    /// The budget that kept the act from returning so many bytes; `None` if it was not a budget.
    pub(crate) fn too_few_bytes(&self, needed: u64) -> Option<Spent> {
        self.charges.too_few_bytes(self.act.granted(), needed)
    }

    /// Settles the budgets, keeps the response for repeats and records the result.
    pub(crate) fn finish(self, finish: impl FnOnce(Vec<(usize, u64)>, TouchedPaths) -> Finish) -> Answer<()> {
        self.act.finish(finish(self.bill.settle, self.reached))
    }
}

impl Output {
    /// The same output, with the number that budgets count.
    pub(crate) fn returning(self, returned: usize) -> Self {
        Self { returned: u64::try_from(returned).unwrap_or(u64::MAX), ..self }
    }
}

impl From<PathDenied> for Failed {
    fn from(denied: PathDenied) -> Self {
        Self::Denied(denied)
    }
}
