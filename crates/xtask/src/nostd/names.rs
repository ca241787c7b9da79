//! The name of a symbol -> whether it may be in a program without std, alloc and panics.

use std::fmt;

use rustc_demangle::demangle;

/// What a name stands for that may not be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Memory that is asked for while the program runs, by whichever name.
    Allocator,
    /// Something of `alloc`.
    Alloc,
    /// Something of `std`.
    Std,
    /// A way into the panic handler, or the handler itself.
    Panic,
}

/// A name as people write it, without the hash at its end.
pub(super) fn shown(symbol: &str) -> String {
    format!("{:#}", demangle(symbol))
}

/// What a name as people write it stands for.
pub(super) fn kind_of(name: &str) -> Option<Kind> {
    let mut words = name.split(|c: char| !is_word(c));
    let is_allocator = |word: &str| ALLOCATOR_STARTS.iter().any(|start| word.starts_with(start));
    if ALLOCATORS.contains(&name) || words.clone().any(is_allocator) {
        return Some(Kind::Allocator);
    }
    if has_root(name, "alloc") {
        return Some(Kind::Alloc);
    }
    if has_root(name, "std") {
        return Some(Kind::Std);
    }
    let is_ours = OURS.iter().any(|ours| name.starts_with(ours));
    (!is_ours && words.any(is_panic)).then_some(Kind::Panic)
}

/// Whether a path in the name starts with this crate: `alloc::vec::Vec`, but not `table::alloc::x`.
fn has_root(name: &str, root: &str) -> bool {
    name.match_indices(root).any(|(at, _)| {
        let (before, rest) = name.split_at_checked(at).unwrap_or_default();
        let after = rest.strip_prefix(root).unwrap_or_default();
        !before.ends_with(|c| is_word(c) || c == ':') && after.starts_with("::")
    })
}

/// `core` names what panics in a few ways; all of them end in the handler, whose name is the last here.
fn is_panic(word: &str) -> bool {
    word.starts_with("panic")
        || word == "do_panic"
        || word.ends_with("_fail")
        || word.ends_with("_failed")
        || word == HANDLER
}

/// What names are made of.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allocator => "allocator",
            Self::Alloc => "alloc",
            Self::Std => "std",
            Self::Panic => "panic",
        })
    }
}

const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "mmap",
    "sbrk",
];
const ALLOCATOR_STARTS: &[&str] =
    &["__rust_alloc", "__rust_dealloc", "__rust_realloc", "__rust_no_alloc", "__rg_", "__rdl_"];
/// Our own functions are free in their names: what panics in them calls one of `core`.
const OURS: &[&str] = &["enforce_core::", "table_format::", "nostd::"];
const HANDLER: &str = "rust_begin_unwind";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_there_stand_for_nothing() {
        for name in [
            "main",
            "_start",
            "memcmp",
            "__libc_start_main",
            "enforce_core::path::Contained::new",
            "table_format::open::Check::rows",
            "<core::slice::iter::Iter<T> as core::iter::traits::iterator::Iterator>::all",
            "core::str::converts::from_utf8",
            "table_format::alloc::place",
            "enforce_core::std::free",
            "enforce_core::rank::panic_or_failed",
            "my_std::thing",
        ] {
            assert_eq!(kind_of(name), None, "{name}");
        }
    }

    #[test]
    fn allocators_are_found_by_each_of_their_names() {
        for name in [
            "malloc",
            "calloc",
            "realloc",
            "free",
            "__rust_alloc",
            "__rustc::__rust_alloc_zeroed",
            "__rustc::__rust_no_alloc_shim_is_unstable_v2",
            "__rustc::__rg_alloc",
            "__rustc::__rdl_dealloc",
        ] {
            assert_eq!(kind_of(name), Some(Kind::Allocator), "{name}");
        }
    }

    #[test]
    fn alloc_and_std_are_found_wherever_they_stand_in_a_name() {
        for name in ["alloc::vec::Vec<T>::push", "<alloc::string::String as core::fmt::Write>::write_str"] {
            assert_eq!(kind_of(name), Some(Kind::Alloc), "{name}");
        }
        for name in ["std::rt::lang_start", "core::ptr::drop_in_place<std::io::error::Error>", "<T as std::x::Y>::z"] {
            assert_eq!(kind_of(name), Some(Kind::Std), "{name}");
        }
    }

    #[test]
    fn ways_into_a_panic_are_found() {
        for name in [
            "core::panicking::panic",
            "core::panicking::panic_fmt",
            "core::panicking::panic_bounds_check",
            "core::panicking::panic_const::panic_const_add_overflow",
            "core::option::unwrap_failed",
            "core::option::expect_failed",
            "core::result::unwrap_failed",
            "core::slice::index::slice_end_index_len_fail",
            "core::slice::index::slice_index_fail",
            "core::str::slice_error_fail",
            "core::slice::copy_from_slice_impl::len_mismatch_fail",
            "core::cell::panic_already_borrowed",
            "<[u8]>::encode::do_panic::runtime",
            "__rustc::rust_begin_unwind",
            "rust_begin_unwind",
        ] {
            assert_eq!(kind_of(name), Some(Kind::Panic), "{name}");
        }
    }

    #[test]
    fn names_of_both_manglings_are_shown_without_their_hash() {
        assert_eq!(shown("_ZN4core9panicking9panic_fmt17h0123456789abcdefE"), "core::panicking::panic_fmt");
        assert_eq!(shown("_RNvNtCs5l0EXMQXRMU_4core9panicking9panic_fmt"), "core::panicking::panic_fmt");
        assert_eq!(shown("main"), "main");
    }
}
