//! What fuzzers have found, each in its smallest form and under the name of what is claimed. The input itself is in the
//! corpus of its target.

#![cfg(test)]

use enforce_core::shell::{Line, ShellError};
use verify::cases::{Bytes, Premise};
use verify::properties::alphabet::{InLine, Swapped, every_byte_of_a_line_is_like_one_of_the_alphabet};
use verify::properties::shell::{Quoted, quotes_never_open_an_operator};

/// Found by libFuzzer in the target `shell`: the property claimed it of any quotes, and a shell reads it as we do.
#[test]
fn quotes_that_cut_a_run_of_operators_leave_another_operator() {
    assert!(matches!(Line::new(b"aa&&&aa"), Err(ShellError::Complex { at: 4, .. })));
    assert_eq!(Line::new(b"'aa&'&&aa").map(|line| line.commands().count()), Ok(2));
    let case: Quoted<0, 24, 32> = Quoted { text: Bytes::of(b"aa&&&aa"), quote: "'", open: 0, len: 3 };
    assert_eq!(quotes_never_open_an_operator(&case), Premise::Missed);
}

/// Found by counting through the larger domain, in the same property: a shell reads it as we do.
#[test]
fn quotes_around_a_backslash_alone_take_its_quoting_away() {
    assert!(matches!(Line::new(b"\\&&a"), Err(ShellError::Complex { at: 2, .. })));
    assert_eq!(Line::new(b"'\\'&&a").map(|line| line.commands().count()), Ok(2));
    let case: Quoted<0, 24, 32> = Quoted { text: Bytes::of(b"\\&&a"), quote: "'", open: 0, len: 1 };
    assert_eq!(quotes_never_open_an_operator(&case), Premise::Missed);
}

/// Found by millions of dice: letters are alike to the reader, but for the words of the shell's own that they spell.
#[test]
fn a_letter_that_spells_a_reserved_word_is_not_like_another() {
    assert!(matches!(Line::new(b"do x"), Err(ShellError::Complex { at: 0, .. })));
    assert_eq!(Line::new(b"ao x").map(|line| line.commands().count()), Ok(1));
    let case: InLine<12> = InLine(Swapped { text: Bytes::of(b"ao x"), place: 0, byte: b'd' });
    assert_eq!(every_byte_of_a_line_is_like_one_of_the_alphabet(&case), Premise::Missed);
}

/// How a find of dice or libFuzzer is kept, shown with an input that is none: the properties are asked by name.
#[test]
fn an_empty_input_says_nothing_and_breaks_nothing() {
    assert_eq!(fuzz::properties::policy::layout_of_a_layout_is_itself(b""), Premise::Missed);
    assert_eq!(fuzz::properties::url::what_is_accepted_is_read_alike(b""), Premise::Missed);
    assert_eq!(fuzz::properties::table::whatever_opens_decides(b""), Premise::Missed);
    assert_eq!(fuzz::properties::json::values_are_read_again(b""), Premise::Missed);
}
