//! A denied command -> whether some rule is about commands of its name, or none is: for who words the denial
//! (SEC-ALLOW-MISS). It decides nothing.

use enforce_core::{Decision, Facts, Operation, Verdict, decide, is_matched};
use table_format::{After, Class, Direction, Jump, State, Table, Target};

/// Whether some rule lets a command run which this decision does not: with other flags, with the numbers left open, or
/// with other words than its name.
pub(crate) fn is_listed(decision: &Decision<'_, '_>) -> bool {
    let (table, facts) = (decision.table(), decision.facts());
    let Some(operation) = table.operation(facts.operation) else {
        return false;
    };
    if table.text(operation.name) != Operation::ShellExec.name() {
        return false;
    }
    let known = Operation::ShellExec.attributes();
    let flags = 1_u64.checked_shl(u32::try_from(known.flags.len()).unwrap_or(u32::MAX)).unwrap_or(1);
    let lets_run = |flags| decide(table, &Facts { flags, numbers: &[], ..*facts }).verdict() != Verdict::Deny;
    if (0..flags).any(lets_run) {
        return true;
    }
    let walks = || table.walks(&operation).into_iter().flatten();
    if walks().any(|walk| walk.string() != COMMAND) && is_matched(table, facts, COMMAND) {
        return true;
    }
    let Some(name) = facts.strings.get(usize::from(COMMAND)).copied().flatten() else {
        return false;
    };
    // A pattern that is looked for from a line's end on says nothing about how lines begin.
    let mut starts = walks().filter(|walk| walk.string() == LINE && walk.direction() == Direction::Forward);
    starts.any(|walk| is_about(table, walk.start(), name))
}

/// Whether it makes a difference to an automaton for lines that a line begins with this name and not with one that nobody has:
/// for the name alone, or for whatever comes after it.
fn is_about(table: &Table<'_>, start: Jump, name: &[u8]) -> bool {
    let [alone, nobodys] = [name, NOBODY].map(|name| after(table, Place::Before(start, 0), name));
    // Most names are told from every pattern by their first bytes.
    if alone == nobodys {
        return false;
    }
    let end = |at: Option<Place>| at.and_then(|at| at.end(table));
    let with_words = |at: Option<Place>| at.and_then(|at| after(table, at, b" "));
    end(alone) != end(nobodys) || with_words(alone) != with_words(nobodys)
}

/// Where a walk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At its end: whatever comes, this is found.
    Done(Class),
    /// Before the next byte, or within a run behind so many of its bytes.
    Before(Jump, usize),
}

/// Where a walk is after some more bytes. What it finds on the way counts only where it makes a difference afterwards. `None`
/// for a table that is not what it was checked to be.
fn after(table: &Table<'_>, place: Place, text: &[u8]) -> Option<Place> {
    let Place::Before(mut jump, mut passed) = place else { return Some(place) };
    let mut rest = text;
    // Every second step takes a byte at least.
    for _ in 0..=text.len().saturating_mul(2) {
        if let Some(choice) = jump.choice() {
            let Some((byte, others)) = rest.split_first() else { break };
            jump = table.step(choice, *byte).or_else(|| Some(table.head(choice)?.1))?;
            rest = others;
        } else if let Some(run) = jump.run() {
            let run = table.run(run)?;
            let bytes = run.bytes.get(passed..usize::from(run.len))?;
            let Some(others) = rest.strip_prefix(bytes) else {
                let within = Place::Before(jump, passed.saturating_add(rest.len()));
                return Some(if bytes.starts_with(rest) { within } else { Place::Done(run.miss) });
            };
            if run.after != After::Anything {
                let Some(next) = others.first() else { return Some(Place::Before(jump, usize::from(run.len))) };
                let is_it = run.after.allows(Some(*next));
                return Some(Place::Done(if is_it { run.next.class() } else { run.miss }));
            }
            (jump, passed, rest) = (run.next, 0, others);
        } else {
            let Target::State(state) = jump.target() else { return Some(Place::Done(jump.class())) };
            match table.state(state)? {
                State::Emit { next, .. } => jump = next,
                State::Skip { stop, next, .. } => {
                    let Some(at) = rest.iter().position(|byte| *byte == stop) else { break };
                    (jump, rest) = (next, rest.get(at.saturating_add(1)..)?);
                }
                // Lines have no segments.
                State::Hop { .. } => return None,
            }
        }
    }
    Some(Place::Before(jump, 0))
}

impl Place {
    /// What is found when the text ends here.
    fn end(self, table: &Table<'_>) -> Option<Class> {
        let (jump, passed) = match self {
            Self::Done(class) => return Some(class),
            Self::Before(jump, passed) => (jump, passed),
        };
        if let Some(choice) = jump.choice() {
            return Some(table.head(choice)?.0);
        }
        if let Some(run) = jump.run() {
            let run = table.run(run)?;
            return Some(if passed == usize::from(run.len) { run.next.class() } else { run.miss });
        }
        let Target::State(state) = jump.target() else { return Some(jump.class()) };
        match table.state(state)? {
            State::Skip { end, .. } => Some(end),
            State::Emit { class, .. } => Some(class),
            State::Hop { .. } => None,
        }
    }
}

/// The places of a command's name and of its line among the strings that rules can ask for.
const COMMAND: u16 = 0;
const LINE: u16 = 2;
/// No program has this name.
const NOBODY: &[u8] = b"\x7f";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_are_those_of_the_names() {
        let strings = Operation::ShellExec.attributes().strings;
        assert_eq!([COMMAND, LINE].map(|place| strings[usize::from(place)].name), ["command", "line"]);
    }
}
