//! Tables that were written before, and the rules they are of. A test writes them again and compares.
//!
//! What a model checker can choose inside a table, it follows everywhere. So it gets tables in which nothing can be
//! chosen, and chooses what requests say.

use table_format::{Operation, Role, Table};

use crate::cases::Source;
use crate::sheet::{LETTER, NO_NAME, OTHER_LETTER, SILENT, Sheet, TEXTS, open_vouched};
use crate::world::{
    Allows, Always, Anyone, Asked, Asks, Bound, Denies, Does, Drawn, First, Flag, FlagAndSmall, IsBa, Limited, Named,
    OnlyFirst, Rule, Unbounded, World, sheet,
};

/// The kept table of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kept<const WHICH: usize>;

impl<const WHICH: usize> World for Kept<WHICH> {
    const ROLE_LISTS: usize = if WHICH == WIDE { 5 } else { 1 };

    fn draw<S: Source>(_: &mut S) -> Self {
        Self
    }

    fn rules(&self) -> &[Rule] {
        rules(WHICH)
    }

    fn with_table<R>(&self, ask: impl FnOnce(&Table<'_>) -> R) -> R {
        match open_vouched(bytes(WHICH)) {
            Ok(table) => ask(&table),
            Err(_) => unreachable!("what is kept is a table"),
        }
    }
}

/// The rules of a kept table.
#[must_use]
pub fn rules(which: usize) -> &'static [Rule] {
    KEPT.get(which).map_or(&[], |(rules, _)| *rules)
}

/// A kept table.
#[must_use]
pub fn bytes(which: usize) -> &'static [u8] {
    KEPT.get(which).map_or(STRANGER, |(_, bytes)| *bytes)
}

/// Writes a kept table again. The bytes, as long as there is room.
#[must_use]
pub fn written(which: usize, buffer: &mut [u8]) -> Option<&[u8]> {
    let sheet = match KEPT.get(which) {
        Some((rules, _)) => sheet(rules, which == WIDE),
        None => strange(),
    };
    sheet.write(buffer).ok()
}

/// Three operations and three roles, which no rule speaks of.
fn strange() -> Sheet {
    let mut sheet = Sheet::new();
    sheet.texts.add_all(TEXTS);
    for name in [NO_NAME, LETTER, OTHER_LETTER] {
        sheet.roles.add(Role { name });
        sheet.operations.add(Operation { name, ..SILENT });
    }
    sheet
}

const fn rule(does: Does, asked: Asked, bound: Bound) -> Rule {
    Rule { does, who: Anyone, asked, bound }
}

/// One rule that allows, up to a limit.
pub const LIMIT: usize = 0;
/// The same, and one that denies a name.
pub const LIMIT_AND_DENY: usize = 1;
/// One rule that asks for a name, up to a limit.
pub const ASK: usize = 2;
/// The same, and one that allows everything.
pub const ASK_AND_ALLOW: usize = 3;
/// One rule that allows everything.
pub const PLAIN: usize = 4;
/// Rows of every kind but budgets.
pub const WIDE: usize = 5;
/// No rule.
pub const SILENCE: usize = 6;
/// One more than there are tables of rules: the table whose operations and roles the others do not know.
pub const STRANGE: usize = 7;

const KEPT: [(&[Rule], &[u8]); STRANGE] = [
    (&[rule(Allows, Always, Limited)], include_bytes!("kept/limit.table")),
    (&[rule(Allows, Always, Limited), rule(Denies, Named, Unbounded)], include_bytes!("kept/limit_and_deny.table")),
    (&[rule(Asks, Named, Limited)], include_bytes!("kept/ask.table")),
    (&[rule(Asks, Named, Limited), rule(Allows, Always, Unbounded)], include_bytes!("kept/ask_and_allow.table")),
    (&[rule(Allows, Always, Unbounded)], include_bytes!("kept/plain.table")),
    (
        &[
            Rule { does: Denies, who: First, asked: OnlyFirst, bound: Limited },
            rule(Allows, IsBa, Drawn),
            rule(Asks, FlagAndSmall, Unbounded),
            rule(Allows, Flag, Limited),
        ],
        include_bytes!("kept/wide.table"),
    ),
    (&[], include_bytes!("kept/silence.table")),
];
const STRANGER: &[u8] = include_bytes!("kept/stranger.table");
/// The files, in the order of the tables.
pub const FILES: [&str; STRANGE + 1] = [
    "limit.table",
    "limit_and_deny.table",
    "ask.table",
    "ask_and_allow.table",
    "plain.table",
    "wide.table",
    "silence.table",
    "stranger.table",
];
