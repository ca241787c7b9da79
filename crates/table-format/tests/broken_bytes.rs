//! Bytes that are no golden table any more: flipped, cut off, prolonged, made up. Refused, or read as what they
//! now say; never a panic, never anything outside.

#![cfg(test)]

mod support;

use support::document;
use support::draft::Draft;
use support::files::{self, Golden};
use support::{blake3, open_vouched};
use table_format::{HEADER_BYTES, OpenError, Pin, Section, Table};

#[test]
fn a_table_with_one_other_byte_is_refused_by_its_pin_or_its_digest() {
    for Golden { name, bytes, pinned } in files::all() {
        let mut changed = bytes.clone();
        for (place, byte) in bytes.iter().enumerate() {
            for bit in 0..8 {
                changed[place] = byte ^ 1 << bit;
                let [with_pin, without] =
                    [Pin::Exactly(pinned), Pin::Unpinned].map(|pin| Table::open(&changed, pin, blake3));
                let expected = |in_digest| expected(&bytes, &changed, place, in_digest);
                assert_eq!(
                    with_pin.err(),
                    Some(expected(OpenError::NotThePinned)),
                    "{name}: bit {bit} of byte {place}"
                );
                assert_eq!(without.err(), Some(expected(OpenError::Digest)), "{name}: bit {bit} of byte {place}");
            }
            changed[place] = *byte;
        }
    }
}

/// What is said of a file in which that byte is another.
fn expected(before: &[u8], after: &[u8], place: usize, in_digest: OpenError) -> OpenError {
    let is_in = |field: &str| document::header(field).places(before, 0).contains(&place);
    let number = |field: &str| u32::from_le_bytes(after[document::header(field).places(before, 0)].try_into().unwrap());
    if is_in("magic") {
        OpenError::NotATable
    } else if is_in("format_version") {
        OpenError::FormatVersion { found: number("format_version") }
    } else if is_in("language_version") {
        OpenError::LanguageVersion { found: number("language_version") }
    } else if is_in("counts") {
        OpenError::Length { expected: file_bytes(after), found: after.len() }
    } else if is_in("digest") {
        in_digest
    } else {
        OpenError::Digest
    }
}

#[test]
fn any_other_byte_under_the_right_digest_is_refused_or_changes_what_its_row_says() {
    for Golden { name, bytes, .. } in files::all() {
        let before = Draft::read(&open_vouched(&bytes).unwrap());
        let mut changed = bytes.clone();
        let digest = document::header("digest").places(&bytes, 0);
        for (place, byte) in bytes.iter().enumerate().filter(|(place, _)| !digest.contains(place)) {
            let others = (0..8).map(|bit| byte ^ 1 << bit).chain([0, 1, 2, 127, 128, 254, 255]);
            for other in others.filter(|other| other != byte) {
                changed[place] = other;
                let Ok(table) = open_vouched(&changed) else {
                    continue;
                };
                let (section, row) = row_at(&bytes, place);
                let differences = before.differences(&Draft::read(&table));
                // Texts and terms are read through the rows that name them, so these may take others out of sight.
                let is_own = |found: &(Option<Section>, usize)| found.0 == section;
                let is_beyond =
                    |found: &(Option<Section>, usize)| matches!(found.0, Some(Section::Texts | Section::Terms));
                assert!(
                    differences.iter().all(|found| is_own(found) || is_beyond(found)),
                    "{name}: byte {place} as {other}"
                );
                let own: Vec<_> = differences.into_iter().filter(is_own).map(|(_, row)| row).collect();
                let is_changed = if section == Some(Section::Texts) { !own.is_empty() } else { own == [row] };
                assert!(is_changed, "{name}: byte {place} as {other} changes rows {own:?}");
            }
            changed[place] = *byte;
        }
    }
}

/// The section of a byte, and its row.
fn row_at(file: &[u8], place: usize) -> (Option<Section>, usize) {
    let holds = |section: &Section| document::section_places(file, *section).contains(&place);
    match Section::ALL.into_iter().find(holds) {
        Some(section) => {
            let start = document::section_places(file, section).start;
            (Some(section), (place - start) / document::row_bytes(section))
        }
        None => (None, 0),
    }
}

#[test]
fn a_table_cut_off_anywhere_is_refused() {
    for Golden { bytes, pinned, .. } in files::all() {
        for len in 0..bytes.len() {
            let opened = Table::open(&bytes[..len], Pin::Exactly(pinned), blake3);
            let expected = match len {
                ..HEADER_BYTES => OpenError::Truncated { bytes: len },
                HEADER_BYTES.. => OpenError::Length { expected: file_bytes(&bytes), found: len },
            };
            assert_eq!(opened.err(), Some(expected));
        }
    }
}

#[test]
fn a_table_with_bytes_after_it_is_refused() {
    for Golden { bytes, pinned, .. } in files::all() {
        for tail in [&[0; 1][..], &[255; 4], &[0; HEADER_BYTES], &bytes] {
            let longer = [&bytes, tail].concat();
            let expected = OpenError::Length { expected: file_bytes(&bytes), found: longer.len() };
            assert_eq!(Table::open(&longer, Pin::Exactly(pinned), blake3).err(), Some(expected));
        }
    }
}

#[test]
fn counts_that_speak_of_more_than_there_is_are_refused() {
    for Golden { bytes, .. } in files::all() {
        for (place, section) in Section::ALL.into_iter().enumerate() {
            let row = u64::try_from(document::row_bytes(section)).unwrap();
            let own = u64::from(u32::from_le_bytes(bytes[document::count_places(place)].try_into().unwrap()));
            // A count whose bytes are as many as before in 32 bits, where there is one.
            let wrapping = (1..row).map(|round| (round << 32) / row + own);
            let counts = [0, own + 1, 1 << 16, 1 << 30, 1 << 31, (1 << 32) - 1].into_iter().chain(wrapping);
            for count in counts.filter(|count| *count != own).filter_map(|count| u32::try_from(count).ok()) {
                let mut changed = bytes.clone();
                changed[document::count_places(place)].copy_from_slice(&count.to_le_bytes());
                let expected = OpenError::Length { expected: file_bytes(&changed), found: bytes.len() };
                assert_eq!(open_vouched(&changed).err(), Some(expected), "{} as {count}", section.name());
            }
        }
    }
    let mut all = files::every_row().bytes;
    all[document::header("counts").at..HEADER_BYTES].fill(255);
    let expected = OpenError::Length { expected: file_bytes(&all), found: all.len() };
    assert_eq!(open_vouched(&all).err(), Some(expected));
}

#[test]
fn bytes_made_up_are_no_table() {
    let mut dice = fastrand::Rng::with_seed(0x7AB1E);
    let empty = Table::open(&[], Pin::Unpinned, blake3).err();
    assert_eq!(empty, Some(OpenError::Truncated { bytes: 0 }));
    let golden = files::every_row().bytes;
    for _ in 0..50_000 {
        let mut bytes = vec![0; dice.usize(0..600)];
        dice.fill(&mut bytes);
        let error = open_vouched(&bytes).err();
        assert!(matches!(error, Some(OpenError::Truncated { .. } | OpenError::NotATable)), "{error:?}");
    }
    // With the beginning of a table before them, and counts that come out right.
    for _ in 0..50_000 {
        let mut bytes = golden[..HEADER_BYTES].to_vec();
        let mut len = 0;
        for (place, section) in Section::ALL.into_iter().enumerate() {
            let rows = dice.u32(0..6) * dice.u32(0..2);
            bytes[document::count_places(place)].copy_from_slice(&rows.to_le_bytes());
            len += usize::try_from(rows).unwrap() * document::row_bytes(section);
        }
        bytes[document::header("name").places(&golden, 0)].fill(0);
        let all: [u8; 4] = [0, 1, 2, 255];
        bytes.extend((0..len).map(|_| if dice.bool() { all[dice.usize(0..4)] } else { dice.u8(..) }));
        let error = open_vouched(&bytes).err();
        assert!(!matches!(error, Some(OpenError::Truncated { .. } | OpenError::Length { .. })), "{error:?}");
    }
}

/// The bytes that a file's counts come to, by the document.
fn file_bytes(file: &[u8]) -> u64 {
    let counts = (0..Section::ALL.len())
        .map(|place| u32::from_le_bytes(file[document::count_places(place)].try_into().unwrap()));
    let sections =
        counts.zip(document::sections()).map(|(count, (_, row))| u64::from(count) * u64::try_from(*row).unwrap());
    sections.sum::<u64>() + u64::try_from(HEADER_BYTES).unwrap()
}
