//! A prefix -> the position of an automaton after it, which tells whether any pattern is about strings with this
//! prefix. Decisions do not need it.

use crate::states::{After, Class, Jump, State, Target};
use crate::table::Table;

/// A position in a forward walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// At the end, with a result that does not depend on the rest.
    Done(Class),
    /// Before the next byte, or within a run after this many of its bytes.
    Before(Jump, usize),
}

impl Position {
    /// Returns the position before the first byte.
    #[must_use]
    pub fn start(jump: Jump) -> Self {
        Self::Before(jump, 0)
    }

    /// Returns the position after more bytes. A find on the way counts only if it changes what follows. `None` for an
    /// automaton over segments.
    #[must_use]
    pub fn after(self, table: &Table<'_>, text: &[u8]) -> Option<Self> {
        let Self::Before(mut jump, mut passed) = self else { return Some(self) };
        let mut rest = text;
        // At least every second step takes a byte.
        for _ in 0..=text.len().saturating_mul(2) {
            if let Some(choice) = jump.choice() {
                let Some((byte, others)) = rest.split_first() else { break };
                jump = table.step(choice, *byte).or_else(|| Some(table.head(choice)?.1))?;
                rest = others;
            } else if let Some(run) = jump.run() {
                let run = table.run(run)?;
                let bytes = run.bytes.get(passed..usize::from(run.len))?;
                let Some(others) = rest.strip_prefix(bytes) else {
                    let within = Self::Before(jump, passed.saturating_add(rest.len()));
                    return Some(if bytes.starts_with(rest) { within } else { Self::Done(run.miss) });
                };
                if run.after != After::Anything {
                    let Some(next) = others.first() else { return Some(Self::Before(jump, usize::from(run.len))) };
                    let is_allowed = run.after.allows(Some(*next));
                    return Some(Self::Done(if is_allowed { run.next.class() } else { run.miss }));
                }
                (jump, passed, rest) = (run.next, 0, others);
            } else {
                let Target::State(state) = jump.target() else { return Some(Self::Done(jump.class())) };
                match table.state(state)? {
                    State::Emit { next, .. } => jump = next,
                    State::Skip { stop, next, .. } => {
                        let Some(at) = rest.iter().position(|byte| *byte == stop) else { break };
                        (jump, rest) = (next, rest.get(at.saturating_add(1)..)?);
                    }
                    State::Hop { .. } => return None,
                }
            }
        }
        Some(Self::Before(jump, 0))
    }

    /// The class that is found if the string ends here.
    #[must_use]
    pub fn class_at_end(self, table: &Table<'_>) -> Option<Class> {
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
