//! Tables: whatever bytes somebody vouches for, they are refused, or every decision from them comes to an end.
//!
//! The first byte says how many choices follow, which make requests; the rest is the file.

use enforce_core::{Decision, Facts, Verdict, decide};
use table_format::{Digest, Pin, RoleId, Table};
use verify::cases::{Premise, Source};
use verify::engines::Raw;

/// A file that opens by the digest that it claims decides every request, and a denial binds to nothing.
pub fn whatever_opens_decides(bytes: &[u8]) -> Premise {
    let (choices, file) = parts(bytes);
    let Some(claimed) = file.get(DIGEST).and_then(|digest| digest.first_chunk()) else {
        return Premise::Missed;
    };
    let vouched = Digest(*claimed);
    let Ok(table) = Table::open(file, Pin::Unpinned, |_| vouched) else {
        return Premise::Missed;
    };
    let mut source = Raw::new(choices);
    for operation in table.operations().take(OPERATIONS_MAX) {
        let own: Vec<RoleId> = table.roles().take(source.below(4)).collect();
        let strings: Vec<Vec<u8>> = (0..STRINGS).map(|_| string(&mut source)).collect();
        let strings: Vec<Option<&[u8]>> =
            strings.iter().map(|string| source.flag().then_some(string.as_slice())).collect();
        let numbers = [(); NUMBERS].map(|()| source.flag().then(|| source.number(&[0, 1, u64::MAX])));
        let flags = source.number(&[0, 1, u64::MAX]);
        look_at(&decide(&table, &Facts { operation, roles: &own, strings: &strings, numbers: &numbers, flags }));
    }
    Premise::Met
}

fn parts(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (count, rest) = bytes.split_first().map_or((0, bytes), |(count, rest)| (usize::from(*count), rest));
    rest.split_at_checked(count).unwrap_or((rest, &[]))
}

fn string(source: &mut Raw<'_>) -> Vec<u8> {
    (0..source.below(12)).map(|_| source.byte(b"a/.")).collect()
}

/// Everything that a decision can be asked.
fn look_at(decision: &Decision<'_, '_>) {
    let texts = [decision.rule_name(), decision.code().as_str(), decision.because().unwrap_or_default()];
    let lists = [decision.limits().count(), decision.requirements().count(), decision.budgets().count()];
    let is_denied = decision.verdict() == Verdict::Deny;
    assert!(!is_denied || lists == [0, 0, 0], "{texts:?}: a denial binds to nothing");
    assert!(decision.exceeded().is_none() || is_denied, "{texts:?}: what is over a limit is denied");
}

/// Where a file says its digest.
const DIGEST: std::ops::Range<usize> = 16..48;
const OPERATIONS_MAX: usize = 64;
const STRINGS: usize = 4;
const NUMBERS: usize = 4;
