//! Tables as bytes: whatever the bytes are, opening them ends with a table or a named error; what is written is what is
//! read; and nothing that was changed is taken for what it was.

use enforce_core::{Decision, Facts, Verdict, decide};
use table_format::{Digest, HEADER_BYTES, OpenError, Pin, RoleId, Table};

use crate::cases::{Bytes, Case, Premise, Source, is_same};
use crate::kept::bytes;
pub use crate::kept::{LIMIT_AND_DENY, PLAIN, WIDE};
use crate::properties::decide::STRING_BYTES;
use crate::sheet::{DIGEST_BYTES, VOUCHED, open_vouched};

mod file;
mod rows;

pub use file::{CELLS, File, Filed, Forged, Noise};
pub use rows::{ALL_SECTIONS, Rows, WORDS, tables_are_read_as_written};

/// Opening a file that somebody changed and signed again ends with a table or an error, and never with a table when it
/// has another length than before.
pub fn any_file_is_a_table_or_an_error<F: Forged>(case: &F) -> Premise {
    let file = case.bytes();
    let opened = open_vouched(file);
    let is_cut_off = matches!(opened, Err(OpenError::Truncated { .. }));
    assert!(is_cut_off == (file.len() < HEADER_BYTES), "what is shorter than a header is cut off, and nothing else");
    assert!(opened.is_err() || file.len() == F::base().len(), "a file of another length is refused");
    Premise::of(opened.is_err())
}

/// Rows that say anything, after a header that counts them, are a table or an error.
pub fn noise_is_a_table_or_an_error<const ROOM: usize, const N: usize, const SECTIONS: usize>(
    case: &Noise<ROOM, N, SECTIONS>,
) -> Premise {
    let file = case.file();
    let opened = open_vouched(file.as_slice());
    let is_about_rows = match opened {
        Ok(_) => true,
        Err(
            OpenError::Row { .. } | OpenError::Reference { .. } | OpenError::Order { .. } | OpenError::Unowned { .. },
        ) => true,
        Err(
            OpenError::Truncated { .. }
            | OpenError::NotATable
            | OpenError::FormatVersion { .. }
            | OpenError::LanguageVersion { .. }
            | OpenError::Length { .. }
            | OpenError::NotThePinned
            | OpenError::Digest
            | OpenError::TooMany { .. },
        ) => false,
    };
    assert!(is_about_rows, "only its rows can be wrong");
    Premise::of(opened.is_err())
}

/// Whatever opens can be asked anything: every decision ends, and what is permitted is permitted by a rule.
pub fn what_opens_is_safe_to_ask<F: Forged, const N: usize>(case: &Questioned<F, N>) -> Premise {
    case.ask(|decision| {
        let is_denied = decision.verdict() == Verdict::Deny;
        assert!(is_denied || decision.rule().is_some(), "what is permitted is permitted by a rule");
    })
}

/// Whatever opens, its decisions can be looked at: texts are texts, a denial binds to nothing, and what is too much is
/// denied.
pub fn what_opens_is_safe_to_look_at<F: Forged, const N: usize>(case: &Questioned<F, N>) -> Premise {
    case.ask(|decision| {
        let texts = [decision.rule_name(), decision.code().as_str(), decision.because().unwrap_or_default()];
        assert!(texts.iter().all(|text| text.len() <= usize::from(u16::MAX)), "texts are as long as a table can say");
        let bound = decision.limits().count().max(decision.requirements().count()).max(decision.budgets().count());
        let is_denied = decision.verdict() == Verdict::Deny;
        assert!(!is_denied || bound == 0, "a denial binds to nothing");
        assert!(is_denied || decision.exceeded().is_none(), "what is too much is denied");
    })
}

/// A file with one other byte is refused, pinned or not, by a hash that is another for every other byte.
pub fn one_other_byte_is_refused<const BASE: usize, const ROOM: usize, const FROM: usize, const TO: usize>(
    case: &Changed<BASE, ROOM, FROM, TO>,
) -> Premise {
    let mut file = Filed::<ROOM>::of(bytes(BASE));
    let digest = file.sign(sum);
    let is_fine = Table::open(file.as_slice(), Pin::Exactly(digest), sum).is_ok();
    assert!(is_fine, "it opens before");
    if case.by == 0 {
        return Premise::Missed;
    }
    file.change::<FROM, TO>(case.place, case.by);
    assert!(Table::open(file.as_slice(), Pin::Unpinned, sum).is_err(), "its hash is another");
    assert!(Table::open(file.as_slice(), Pin::Exactly(digest), sum).is_err(), "it is not the one that was pinned");
    Premise::Met
}

/// Whatever hash function there is, and whatever was pinned: a table opens when the hash of its bytes is the digest that
/// it carries and that is the pinned one, and otherwise the error says which of both it is not.
pub fn a_table_opens_only_by_its_digest<const N: usize>(case: &Vouched<N>) -> Premise {
    let (hash, pin) = (vouched(&case.hash), case.pin.as_ref().map(vouched));
    let opened = Table::open(bytes(PLAIN), pin.map_or(Pin::Unpinned, Pin::Exactly), |_| hash);
    let is_pinned = pin.is_none_or(|pin| is_same(&pin.0, &VOUCHED.0));
    let is_whole = is_same(&hash.0, &VOUCHED.0);
    match opened {
        Ok(_) => assert!(is_pinned && is_whole, "only the table that was pinned and written is opened"),
        Err(OpenError::NotThePinned) => assert!(!is_pinned, "it is another than the pinned one"),
        Err(OpenError::Digest) => assert!(is_pinned && !is_whole, "its bytes are others"),
        Err(_) => unreachable!("nothing else is wrong with it"),
    }
    Premise::of(!is_pinned || !is_whole)
}

/// A file that may have been changed, and what a request for any of its operations says.
#[derive(Debug, Clone, Copy)]
pub struct Questioned<F, const N: usize> {
    /// The file.
    pub file: F,
    /// How many of the first roles are held.
    pub roles: usize,
    /// The string.
    pub string: Option<Bytes<N>>,
    /// The number.
    pub number: Option<u64>,
    /// The flags.
    pub flags: u64,
}

impl<F: Forged, const N: usize> Case for Questioned<F, N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self {
            file: F::draw(source),
            roles: source.below(F::ROLES.saturating_add(1)),
            string: source.flag().then(|| Bytes::draw(source, STRING_BYTES)),
            number: source.flag().then(|| source.number(&[1, 2])),
            flags: source.number(&[0, 1]),
        }
    }
}

impl<F: Forged, const N: usize> Questioned<F, N> {
    /// Asks for every operation, if the file opens.
    fn ask(&self, see: impl Fn(&Decision<'_, '_>)) -> Premise {
        let Ok(table) = open_vouched(self.file.bytes()) else {
            return Premise::Missed;
        };
        let mut roles = [RoleId::NONE; 2];
        let held = roles.iter_mut().zip(table.roles().take(self.roles)).map(|(to, from)| *to = from).count();
        let string = self.string.as_ref().map(Bytes::as_slice);
        for operation in table.operations() {
            let facts = Facts {
                operation,
                roles: roles.get(..held).unwrap_or_default(),
                strings: &[string],
                numbers: &[self.number],
                flags: self.flags,
            };
            see(&decide(&table, &facts));
        }
        Premise::Met
    }
}

/// Which byte of a kept table is another, between two places, and which bits of it.
#[derive(Debug, Clone, Copy)]
pub struct Changed<const BASE: usize, const ROOM: usize, const FROM: usize, const TO: usize> {
    /// Where.
    pub place: usize,
    /// Which bits.
    pub by: u8,
}

impl<const BASE: usize, const ROOM: usize, const FROM: usize, const TO: usize> Case for Changed<BASE, ROOM, FROM, TO> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let to = if TO == 0 { bytes(BASE).len() } else { TO };
        Self { place: FROM.saturating_add(source.below(to.saturating_sub(FROM))), by: source.byte(CHANGED_BITS) }
    }
}

/// The first `N` bytes of what a hash function answers, and of what was pinned. The others are as they should be.
#[derive(Debug, Clone, Copy)]
pub struct Vouched<const N: usize> {
    /// What the hash function answers.
    pub hash: [u8; N],
    /// What was pinned, if something was.
    pub pin: Option<[u8; N]>,
}

impl<const N: usize> Case for Vouched<N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let mut drawn = || {
            let mut digest = [0; N];
            for byte in &mut digest {
                *byte = source.byte(DIGEST_BYTES_COUNTED);
            }
            digest
        };
        let (hash, pin) = (drawn(), drawn());
        Self { hash, pin: source.flag().then_some(pin) }
    }
}

/// The digest of kept tables with other bytes at its start.
fn vouched<const N: usize>(first: &[u8; N]) -> Digest {
    let mut digest = VOUCHED;
    for (to, from) in digest.0.iter_mut().zip(first) {
        *to = *from;
    }
    digest
}

/// A hash that is another when one byte is: their sum.
fn sum(parts: &[&[u8]]) -> Digest {
    let mut sum = 0_u64;
    for part in parts {
        // In pieces, because one long loop would have a model checker go round all others as often.
        for piece in part.chunks(PIECE) {
            for byte in piece {
                sum = sum.wrapping_add(u64::from(*byte));
            }
        }
    }
    let mut digest = [0; DIGEST_BYTES];
    for (to, from) in digest.iter_mut().zip(sum.to_le_bytes()) {
        *to = from;
    }
    Digest(digest)
}

/// What a digest has in every place, and what it has in none.
const DIGEST_BYTES_COUNTED: &[u8] = &[7, 0, 0xff];
/// How many bytes are added in one go: as many as the longest row has.
const PIECE: usize = 36;
/// Each bit alone, and all.
const CHANGED_BITS: &[u8] = &[1, 2, 4, 8, 16, 32, 64, 128, 255];
