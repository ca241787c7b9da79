//! A call of the compiler -> the same call, with instrumentation for some crates. Cargo has flags for all crates or for
//! one, and what is instrumented here are the core and the harnesses, and not the code that counts.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// Lets cargo call the compiler by way of this program. Nothing where the compiler would not know the flags.
pub(super) fn by_way_of_us(command: &mut Command) {
    if cfg!(target_os = "linux")
        && let Ok(program) = env::current_exe()
    {
        command.env("RUSTC_WRAPPER", program).env(WRAPS, "1");
        // Loops are counted as they are written.
        command.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0").env("CARGO_PROFILE_TEST_OPT_LEVEL", "0");
    }
}

/// Calls the compiler, if that is what we were started for: how it ended.
pub(crate) fn rustc() -> Option<ExitCode> {
    env::var_os(WRAPS)?;
    let mut arguments = env::args_os().skip(1);
    let compiler = arguments.next()?;
    let arguments: Vec<OsString> = arguments.collect();
    let flags = if is_counted(&arguments) { COUNTING } else { &[] };
    let status = Command::new(compiler).args(&arguments).args(flags).env_remove(WRAPS).status();
    let code = status.ok().and_then(|status| u8::try_from(status.code()?).ok()).unwrap_or(2);
    Some(ExitCode::from(code))
}

fn is_counted(arguments: &[OsString]) -> bool {
    let name = arguments.iter().skip_while(|argument| *argument != "--crate-name").nth(1);
    name.is_some_and(|name| COUNTED.iter().any(|counted| name == OsStr::new(counted)))
}

const WRAPS: &str = "XTASK_WRAPS_RUSTC";
const COUNTED: &[&str] = &["table_format", "enforce_core", "verify"];
const COUNTING: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=2",
    "-Cllvm-args=-sanitizer-coverage-trace-pc-guard",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-prune-blocks=0",
    "-Ccodegen-units=1",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_and_the_harnesses_are_counted_and_what_counts_is_not() {
        let call = |name: &str| ["--crate-name", name, "--edition=2024"].map(OsString::from);
        assert!(["table_format", "enforce_core", "verify"].iter().all(|name| is_counted(&call(name))));
        assert!(!is_counted(&call("kani")) && !is_counted(&call("build_script_build")) && !is_counted(&[]));
    }
}
