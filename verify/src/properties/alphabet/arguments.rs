//! What bytes are counted with -> why that is enough, or what it leaves out.

use Argument::{Like, Own};

use crate::properties::{decide, judge, net, path, shell, table, validate, wire};

/// Why a counting engine takes the bytes of an alphabet and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    /// The others are like one of them, by this property.
    Like(&'static str),
    /// Each has a meaning of its own: what counting leaves out, in a sentence.
    Own(&'static str),
}

/// Every alphabet: a test fails when one has no argument.
pub const ARGUMENTS: &[(&[u8], Argument)] = &[
    (path::ALPHABET, Like("every_byte_of_a_path_is_like_one_of_the_alphabet")),
    (shell::ALPHABET, Like("every_byte_of_a_line_is_like_one_of_the_alphabet")),
    (net::ALPHABET, Like("every_byte_of_a_url_is_like_one_of_the_alphabet")),
    (wire::TEXT_BYTES, Like("every_byte_of_a_text_is_like_one_of_the_alphabet")),
    (validate::PATH_BYTES, Like("every_character_of_a_path_is_checked_like_one")),
    (validate::ENTRY_BYTES, Like("every_character_of_an_entry_is_checked_like_one")),
    (decide::STRING_BYTES, Like("every_byte_of_a_string_is_decided_like_one")),
    (
        wire::ANY_BYTES,
        Own(
            "any byte can be a tag, a length or a part of a number, and is then read by its value, so that counting speaks of these alone",
        ),
    ),
    (
        wire::TEXT_BYTES_AGAIN,
        Own(
            "any other that is ASCII is like one of them, as `alphabet::every_byte_of_a_text_is_like_one_of_the_alphabet` says, and of other text nothing is claimed",
        ),
    ),
    (wire::NUMBER_BYTES, Own(BITS)),
    (wire::LAST_BYTES, Own(BITS)),
    (wire::NUMBER_BYTES_AGAIN, Own(BITS)),
    (
        validate::OPERATION_BYTES,
        Own(
            "a name is compared with those that there are, so that counting speaks of one of them and of its letters in other orders",
        ),
    ),
    (
        judge::TEXT_BYTES,
        Own(
            "in a path any other character is like one of them, as `alphabet::every_character_of_a_path_is_judged_like_one` says; of what the reader of lines tells apart they are a few, so that of command lines counting speaks of these alone",
        ),
    ),
    (table::FILE_BYTES, Own(FILE)),
    (table::CHANGED_BITS, Own(FILE)),
    (
        table::DIGEST_BYTES_COUNTED,
        Own(
            "a byte of a digest is the right one or another, and the first of these is right; whether each other one is refused, counting does not say",
        ),
    ),
];

const BITS: &str = "a number is read bit by bit, so that counting speaks of numbers with these bytes alone";
const FILE: &str = "the rows of a table are numbers and bits, so that counting speaks of these changes alone";
