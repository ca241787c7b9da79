//! The built policyc, driven as people and CI drive it: arguments in, output and exit code out.

// `cfg(test)` tells clippy that helpers here may unwrap as tests do.
#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod build;
#[cfg(test)]
mod check;
#[cfg(test)]
mod codes;
#[cfg(test)]
mod docs;
#[cfg(test)]
mod eval;
#[cfg(test)]
mod explain;
#[cfg(test)]
mod fmt;
#[cfg(test)]
mod formats;
#[cfg(test)]
mod help;
#[cfg(test)]
mod import;
#[cfg(test)]
mod init;
#[cfg(test)]
mod inspect;
#[cfg(test)]
#[cfg(unix)]
mod scripts;
#[cfg(test)]
mod support;
#[cfg(test)]
mod test;
#[cfg(test)]
#[cfg(unix)]
mod usage;
