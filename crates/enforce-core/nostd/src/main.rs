//! static bytes -> exit code 0 when the core understands all of them.
//!
//! A program with the C runtime's start and nothing else: no std, no alloc. What is left of it after the linker
//! has dropped what nobody reaches is what `cargo xtask nostd` reads.
#![no_std]
#![no_main]

mod alone;
mod uses;

use core::ffi::c_int;
use core::hint::black_box;

use uses::{EVERYTHING, Input, not_understood};

/// Called by the C runtime, which wants this name.
#[expect(unsafe_code, reason = "a symbol without mangling is how C finds the start of a program")]
#[unsafe(no_mangle)]
extern "C" fn main() -> c_int {
    let place = not_understood(EVERYTHING, black_box(&INPUT));
    place.map_or(0, |place| c_int::try_from(place).unwrap_or(c_int::MAX).saturating_add(1))
}

// The start of a program is the C library's; nothing in it is called from here.
#[expect(unsafe_code, reason = "a block of foreign functions, with none in it")]
#[link(name = "c")]
unsafe extern "C" {}

/// What the optimiser may not look into.
static INPUT: Input<'static> = Input {
    table: include_bytes!("../../../table-format/tests/golden/v1/every-row.table"),
    root: b"/srv/project",
    path: b"src/./main.rs",
    line: b"cargo test --workspace && git -C 'a b' log",
    url: b"HTTPS://Docs.rs:443/a/b",
    address: b"192.0.2.1",
    // A FileRead of `src/main.rs`.
    request: b"\x0a\x01r\x12\x01t\x52\x0d\x0a\x0bsrc/main.rs",
};
