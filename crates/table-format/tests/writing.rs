//! What a writer refuses, and what errors say.

#![cfg(test)]

mod support;

use support::{blake3, golden};
use table_format::{Cell, Class, OpenError, Section, Target, WriteError, encoded_len, write};

#[test]
fn a_buffer_of_another_length_is_refused_and_left_alone() {
    let draft = golden::every_row().draft();
    let expected = encoded_len(&draft.parts()).unwrap();
    for found in [0, 1, expected - 1, expected + 1, expected * 2] {
        let mut buffer = vec![7; found];
        let refused = write(&draft.parts(), &mut buffer, blake3);
        assert_eq!(refused, Err(WriteError::Buffer { expected, found }));
        assert!(buffer.iter().all(|byte| *byte == 7));
    }
}

#[test]
fn whatever_the_buffer_held_before_is_gone() {
    for (name, sketch) in golden::all() {
        let draft = sketch.draft();
        let clean = draft.write(blake3).bytes;
        let mut used = vec![0xA5; clean.len()];
        assert!(write(&draft.parts(), &mut used, blake3).is_ok());
        assert_eq!(used, clean, "{name}");
    }
}

#[test]
fn a_row_that_would_read_back_as_another_is_refused() {
    let whole = golden::every_row().draft();
    let head = |end| Cell::Head { end: Class(end), otherwise: Target::Done(Class(0)).into() };
    let byte = |choice| Cell::Byte { choice, next: Target::Done(Class(0)).into() };
    for cell in [head(1 << 31 | 5), byte(1 << 30), byte(1 << 31 | 3)] {
        let mut draft = whole.clone();
        let row = draft.cells.len();
        draft.cells.push(cell);
        let row = u32::try_from(row).unwrap();
        let refused = WriteError::Unusable(OpenError::Row { section: Section::Cells, row });
        assert_eq!(draft.write(blake3).outcome, Err(refused), "{cell:?}");
    }
}

#[test]
fn the_name_of_a_table_is_the_hash_its_writer_was_given() {
    let draft = golden::empty().draft();
    let constant = table_format::Digest([42; 32]);
    let written = draft.write(|_| constant);
    assert_eq!(written.outcome, Ok(constant));
    assert_eq!(support::carried_digest(&written.bytes), constant);
}

#[test]
fn every_error_has_a_message_of_its_own_that_names_the_place() {
    let section = Section::Lanes;
    let opening = [
        (OpenError::Truncated { bytes: 7 }, "7 bytes"),
        (OpenError::NotATable, "not a table"),
        (OpenError::FormatVersion { found: 9 }, "format version 9"),
        (OpenError::LanguageVersion { found: 9 }, "language version 9"),
        (OpenError::Length { expected: 10, found: 11 }, "10 bytes, found 11"),
        (OpenError::NotThePinned, "pinned"),
        (OpenError::Digest, "digest"),
        (OpenError::TooMany { section }, "too many rows in section `lanes`"),
        (OpenError::Row { section, row: 3 }, "row 3 of section `lanes`"),
        (OpenError::Reference { section, row: 4 }, "row 4 of section `lanes`"),
        (OpenError::Order { section, row: 5 }, "row 5 of section `lanes`"),
        (OpenError::Unowned { section }, "section `lanes`"),
    ];
    let mut messages: Vec<String> = opening.iter().map(|(error, _)| error.to_string()).collect();
    let mut words: Vec<&str> = opening.iter().map(|(_, words)| *words).collect();
    let writing = [
        (WriteError::TooMany { section }, "section `lanes`"),
        (WriteError::Buffer { expected: 5, found: 6 }, "5 bytes, found 6"),
        (WriteError::Unusable(OpenError::Digest), "digest"),
    ];
    messages.extend(writing.iter().map(|(error, _)| error.to_string()));
    words.extend(writing.iter().map(|(_, words)| *words));
    for (message, words) in messages.iter().zip(words) {
        assert!(message.contains(words), "{message}");
        assert!(
            message.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit()) && !message.ends_with('.'),
            "{message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), opening.len() + writing.len());
}
