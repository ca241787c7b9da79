//! (Table, Facts) -> Decision: the strings through the lanes, what they found through the diagram, and
//! the rule that has the word.

use table_format::{Class, LANES_PER_OPERATION_MAX, RoleId, Table};

use crate::decision::Decision;
use crate::diagram::Request;
use crate::facts::Facts;
use crate::rank::Rank;
use crate::walk::{BROKEN, MAYBE, look, scan};

/// Judges one request for one target.
///
/// The cost is the length of the strings, times the lanes of the operation, and a way through the
/// diagram for each role held and each group; the number of rules does not enter.
#[must_use]
pub fn decide<'t, 'f>(table: &'t Table<'t>, facts: &'f Facts<'f>) -> Decision<'t, 'f> {
    // Nothing is left out: an operation that the table does not know is denied, and so is everything by a
    // table that is not what it was checked to be.
    Decision::new(table, facts, strongest(table, facts).unwrap_or(Rank::NONE))
}

/// Judges several: the targets of one request, or the layers of one session (organisation, project,
/// lease), each with the facts in its own numbering. All have to agree, so the most restrictive decision
/// is the answer, and the first of them if there are several. `each` sees every decision, because what
/// is permitted is bound to the obligations of all.
///
/// `None` when there was nothing to judge, which permits nothing.
#[must_use]
pub fn decide_all<'t, 'f>(
    cases: impl IntoIterator<Item = (&'t Table<'t>, &'f Facts<'f>)>,
    mut each: impl FnMut(&Decision<'t, 'f>),
) -> Option<Decision<'t, 'f>> {
    let mut strictest: Option<Decision<'t, 'f>> = None;
    for (table, facts) in cases {
        let decision = decide(table, facts);
        each(&decision);
        if strictest.as_ref().is_none_or(|strictest| decision.verdict() < strictest.verdict()) {
            strictest = Some(decision);
        }
    }
    strictest
}

/// Whether a rule about the operation has a pattern for one of its strings that this one matches, whatever else the rule
/// asks for: for who explains a denial.
#[must_use]
pub fn is_matched(table: &Table<'_>, facts: &Facts<'_>, string: u16) -> bool {
    let walks = table.operation(facts.operation).and_then(|operation| table.walks(&operation));
    let (Some(walks), Some(text)) = (walks, facts.string(string)) else {
        return false;
    };
    walks.filter(|walk| walk.string() == string).any(|walk| match look(table, facts, walk) {
        0 | BROKEN => false,
        // A scan ends where something is found.
        MAYBE => scan(table, walk, text, |_| None).is_none(),
        _ => true,
    })
}

/// The rank of the rule that has the word.
#[inline(always)]
fn strongest(table: &Table<'_>, facts: &Facts<'_>) -> Option<Rank> {
    let mut request = Request { table, facts, values: [0; LANES_PER_OPERATION_MAX] };
    let operation = table.operation(facts.operation)?;
    // Zero when there is nothing to ask; otherwise what was found, all together.
    let mut found = u32::from(operation.always_asked);
    let values = request.values.get_mut(..usize::from(operation.lanes))?;
    for (value, walk) in values.iter_mut().zip(table.walks(&operation)?) {
        *value = look(table, facts, walk);
        found |= *value;
    }
    let mut best = Rank::NONE;
    if found == 0 {
        return Some(best);
    }
    if found & (MAYBE | BROKEN) != 0 {
        best = ask_for_finds(&mut request)?;
    }
    for ask in table.asked_once(&operation)? {
        if request.values.get(ask.row.when.needed()) != Some(&0) {
            best = ask_group(&request, ask.row.first, Class(0), best)?;
        }
    }
    Some(best)
}

/// Asks the groups that are asked for each find of a lane, and collects the bits of all finds. What the
/// lanes that classify have found is known.
#[inline(never)]
fn ask_for_finds(request: &mut Request<'_>) -> Option<Rank> {
    let (table, facts) = (request.table, request.facts);
    let operation = table.operation(facts.operation)?;
    let mut best = Rank::NONE;
    for (place, walk) in table.walks(&operation)?.enumerate() {
        match request.values.get(place).copied() {
            Some(MAYBE) => {}
            Some(BROKEN) => return None,
            _ => continue,
        }
        let Some(string) = facts.string(walk.string()) else {
            continue;
        };
        let lane = table.lane(walk.lane())?;
        let mut bits = 0;
        scan(table, walk, string, |class| {
            bits |= table.bits(&lane, class)?;
            let mut groups = table.asked_for_finds(&operation)?.filter(|ask| ask.row.when.finds_of() == Some(place));
            best = groups.try_fold(best, |best, ask| ask_group(request, ask.row.first, class, best))?;
            Some(())
        })?;
        *request.values.get_mut(place)? = bits;
    }
    Some(best)
}

/// The best of what a group says for any of the roles held, and of what was best before.
#[inline(always)]
fn ask_group(request: &Request<'_>, roots: u32, driver: Class, best: Rank) -> Option<Rank> {
    let roles = match request.facts.roles {
        [] => &[RoleId::NONE],
        roles => roles,
    };
    let mut best = best;
    for role in roles {
        best = request.follow(request.table.root(roots, *role)?, driver, best)?;
    }
    Some(best)
}
