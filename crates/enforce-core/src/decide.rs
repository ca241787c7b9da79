//! (Table, Facts) -> Decision: the strings through the lanes, what they found through the diagram, and
//! the rule that has the word.

use table_format::{Class, LANES_PER_OPERATION_MAX, LaneMode, Operation, Table};

use crate::decision::Decision;
use crate::diagram::Request;
use crate::facts::Facts;
use crate::rank::Rank;
use crate::walk::{classify, scan};

/// Judges one request for one target.
///
/// The cost is the length of the strings, times the lanes of the operation, and a way through the
/// diagram for each role held and each group; the number of rules does not enter.
#[must_use]
pub fn decide<'a>(table: &'a Table<'a>, facts: &'a Facts<'a>) -> Decision<'a> {
    let Some(operation) = table.operation(facts.operation) else {
        return Decision::unknown_operation(table, facts);
    };
    // Nothing is left out: a table that is not what it was checked to be denies.
    let rank = strongest(table, facts, &operation).unwrap_or(Rank::NONE);
    Decision::by(table, facts, &operation, rank)
}

/// Judges several: the targets of one request, or the layers of one session (organisation, project,
/// lease), each with the facts in its own numbering. All have to agree, so the most restrictive decision
/// is the answer, and the first of them if there are several. `each` sees every decision, because what
/// is permitted is bound to the obligations of all.
///
/// `None` when there was nothing to judge, which permits nothing.
#[must_use]
pub fn decide_all<'a>(
    cases: impl IntoIterator<Item = (&'a Table<'a>, &'a Facts<'a>)>,
    mut each: impl FnMut(&Decision<'a>),
) -> Option<Decision<'a>> {
    let mut strictest: Option<Decision<'a>> = None;
    for (table, facts) in cases {
        let decision = decide(table, facts);
        each(&decision);
        if strictest.as_ref().is_none_or(|strictest| decision.verdict() < strictest.verdict()) {
            strictest = Some(decision);
        }
    }
    strictest
}

/// The rank of the rule that has the word.
#[inline]
fn strongest<'a>(table: &'a Table<'a>, facts: &'a Facts<'a>, operation: &'a Operation) -> Option<Rank> {
    let mut request = Request { table, facts, operation, values: [0; LANES_PER_OPERATION_MAX] };
    let mut best = Rank::NONE;
    for (place, walk) in (0..LANES_PER_OPERATION_MAX).zip(table.walks(operation)) {
        let Some(string) = facts.string(walk.string) else {
            continue;
        };
        let value = match walk.mode {
            LaneMode::Classify => u64::from(classify(table, &walk, string)?.0),
            LaneMode::Scan => {
                let mut bits = 0;
                scan(table, &walk, string, |class| {
                    bits |= table.bits(&table.lane(walk.lane)?, class)?;
                    best = ask_driven(&request, place, class, best)?;
                    Some(())
                })?;
                bits
            }
        };
        *request.values.get_mut(place)? = value;
    }
    ask_once(&request, best)
}

/// Asks the groups that are asked once. Apart from the walks, whose registers it would need.
#[inline(never)]
fn ask_once(request: &Request<'_>, mut best: Rank) -> Option<Rank> {
    let groups = request.table.groups(request.operation);
    for group in groups.take(usize::from(request.operation.asked_once)) {
        best = ask(request, group, Class(0), best)?;
    }
    Some(best)
}

/// Asks the groups that are asked for each find of this lane.
#[inline(never)]
fn ask_driven(request: &Request<'_>, place: usize, class: Class, best: Rank) -> Option<Rank> {
    let (table, operation) = (request.table, request.operation);
    table.groups(operation).skip(usize::from(operation.asked_once)).try_fold(best, |best, number| {
        match table.group(number)?.driver {
            Some(driver) if usize::from(driver) == place => ask(request, number, class, best),
            Some(_) | None => Some(best),
        }
    })
}

/// The best of what a group says for any of the roles held, and of what was best before.
#[inline(always)]
fn ask(request: &Request<'_>, group: u32, driver: Class, best: Rank) -> Option<Rank> {
    let (table, roles) = (request.table, request.facts.roles);
    let group = table.group(group)?;
    if roles.is_empty() {
        return request.follow(table.root(group, None)?, driver, best);
    }
    let mut best = best;
    for role in roles {
        best = request.follow(table.root(group, Some(*role))?, driver, best)?;
    }
    Some(best)
}
