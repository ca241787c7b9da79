//! The crates for embedders -> whether they link neither `std` nor `alloc`.
//!
//! A library that links `std` brings a panic handler, and one that links `alloc` asks for an allocator. Made
//! into something that has to stand alone, a crate with neither fails for want of a handler and of nothing
//! else; that is what is looked for. It needs no other target to be installed.

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, failure};

/// Tries each crate and prints what it found.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let mut found = 0_usize;
    for name in FOR_EMBEDDERS {
        let mut command = tree.cargo(&["rustc", "-q", "--locked", "-p", name, "--lib", "--crate-type", "staticlib"]);
        if let Some(finding) = finding(failure(&mut command)?.as_deref()) {
            println!("no-std: {name} {finding}");
            found += 1;
        }
    }
    println!("no-std: {} crates checked, findings: {found}", FOR_EMBEDDERS.len());
    Ok(if found == 0 { Outcome::Fine } else { Outcome::Findings })
}

/// What is wrong with a crate that ended like this: with nothing, or with what the compiler said.
fn finding(said: Option<&str>) -> Option<&'static str> {
    match said {
        None => Some("links `std`: it has a panic handler"),
        Some(said) if said.contains(NO_ALLOCATOR) => Some("links `alloc`: it asks for an allocator"),
        Some(said) if said.contains(NO_HANDLER) => None,
        Some(_) => Some("does not compile"),
    }
}

const FOR_EMBEDDERS: &[&str] = &["table-format", "enforce-core"];
const NO_HANDLER: &str = "`#[panic_handler]` function required, but not found";
const NO_ALLOCATOR: &str = "no global memory allocator found";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_missing_panic_handler_is_as_it_should_be() {
        let error = |text: &str| format!("error: {text}\n\nerror: could not compile `x`");
        assert_eq!(finding(Some(&error(NO_HANDLER))), None);
        let both = error(NO_ALLOCATOR) + &error(NO_HANDLER);
        assert!(finding(Some(&both)).unwrap().contains("alloc"));
        assert!(finding(None).unwrap().contains("std"));
        assert!(finding(Some(&error("mismatched types"))).unwrap().contains("compile"));
    }
}
