//! The executor's tests, built with AddressSanitizer -> what it says of our system calls.
//!
//! The executor is the one crate with `unsafe` in it: a pointer that the kernel is given, a buffer that it fills, a child
//! that runs on a stack of ours. The crates that are fuzzed have none.

use std::env::consts;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, output, status, unusable};

/// Builds with the compiler at hand, told that it is a nightly: it has the sanitizer's run time too.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    if consts::OS != "linux" {
        return Err(TaskError::Unsupported { task: "sanitize", needs: "Linux, where the sandbox is" });
    }
    let mut version = tree.cargo(&["--version", "--verbose"]);
    let said = output(&mut version)?;
    let host = host(&said).ok_or_else(|| unusable(&version, "no line `host: `"))?;
    println!("sanitize: AddressSanitizer, {host}: the tests of enforce-exec, leaks included");
    let mut tests = tree.cargo(&[
        "test",
        "--package",
        "enforce-exec",
        "--package",
        "exec-files",
        "--package",
        "exec-sandbox",
        "--lib",
        "--tests",
        "--locked",
    ]);
    // What is built for another target has flags of its own, so that macros and scripts of builds are not instrumented.
    tests.args(["--target", host]).arg("--target-dir").arg(tree.target("sanitize"));
    tests.env("RUSTC_BOOTSTRAP", "1").env("RUSTFLAGS", "-Zsanitizer=address").env("ASAN_OPTIONS", OPTIONS);
    Ok(Outcome::of(status(&mut tests)?))
}

/// The triple in what `cargo -vV` prints.
fn host(said: &str) -> Option<&str> {
    said.lines().find_map(|line| line.strip_prefix("host: "))
}

/// Not the use of a stack after return: its frames are kept by thread, and a process that shares our memory before it
/// executes would use up those of the thread that waits for it.
const OPTIONS: &str = "detect_leaks=1:detect_stack_use_after_return=0:strict_string_checks=1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_what_cargo_says() {
        assert_eq!(
            host("cargo 1.95.0\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\n"),
            Some("x86_64-unknown-linux-gnu")
        );
        assert_eq!(host("cargo 1.95.0\n"), None);
    }
}
