//! The core without std -> what of std, alloc and panics is left in a program made of it, and how large it is.
//!
//! The program in `crates/enforce-core/nostd` reaches every public function of the two crates for embedders. It
//! has a panic handler and no allocator, so that it does not even build when a crate links std or alloc. The
//! linker drops what nothing reaches; a panic whose name is still there can happen, as far as compiler and
//! linker know.

mod image;
mod names;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use serde::Deserialize;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, attempt, status, unusable};
use image::{Image, Section};
use names::{Kind, is_word, kind_of, shown};

/// Builds the program and the library, reads both, runs the program, and prints what is wrong.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let Some((program, library)) = build(tree)? else {
        println!("nostd: {}", NoStdError::DoesNotBuild);
        return Ok(Outcome::Findings);
    };
    let image = image::program(&tree.read(&program)?).map_err(|error| unreadable(&program, &error))?;
    let objects = image::library(&tree.read(&library)?).map_err(|error| unreadable(&library, &error))?;
    let (code_bytes, constant_bytes) = (bytes_of(CODE, &objects, &image), bytes_of(CONSTANTS, &objects, &image));
    let mut errors = not_reached(&public_functions(tree)?, &tree.read_text(USES)?);
    errors.extend(left_over(&image));
    errors.extend(too_large(code_bytes));
    // A program that can panic is not run: its handler has nowhere to go and would never end.
    if errors.is_empty() {
        errors.extend(does_not_run(status(&mut Command::new(&program))?));
    }
    for error in &errors {
        println!("nostd: {error}");
    }
    println!(
        "nostd: {} symbols checked; judging is {code_bytes} bytes of code, and {constant_bytes} of constants; findings: {}",
        image.symbols.len(),
        errors.len()
    );
    Ok(if errors.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// What is wrong with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
enum NoStdError {
    /// Cargo has said why. A crate that links std brings a second panic handler, and one that links alloc
    /// wants an allocator; neither builds.
    DoesNotBuild,
    /// A public function that the program does not call, so that nothing is known of it.
    NotReached { function: String },
    /// No function of a crate is named in it, so that nothing was checked.
    NoNames { crate_name: &'static str },
    /// A name that may not be there.
    Left { kind: Kind, symbol: String, from: Vec<String> },
    /// More code than there may be.
    TooLarge { bytes: u64 },
    /// It does not understand its own input.
    DoesNotRun { status: ExitStatus },
}

/// The public functions of the crates for embedders, by their names.
fn public_functions(tree: &Tree) -> Result<BTreeSet<String>, TaskError> {
    let mut functions = BTreeSet::new();
    for path in tree.files()?.iter().filter(|path| SOURCES.iter().any(|folder| path.starts_with(folder))) {
        functions.extend(functions_of(&tree.read_text(path)?).map(String::from));
    }
    Ok(functions)
}

/// Those of one file. One that is public in name only is refused by the compiler (`unreachable_pub`).
fn functions_of(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_start);
    let functions =
        lines.filter_map(|line| line.strip_prefix("pub fn ").or_else(|| line.strip_prefix("pub const fn ")));
    functions.filter_map(|rest| rest.split(|c: char| !is_word(c)).next())
}

/// Names are compared and not types: of two functions of one name, one is enough.
fn not_reached(functions: &BTreeSet<String>, uses: &str) -> Vec<NoStdError> {
    let words: BTreeSet<&str> = uses.split(|c: char| !is_word(c)).collect();
    let missing = functions.iter().filter(|function| !words.contains(function.as_str()));
    missing.map(|function| NoStdError::NotReached { function: function.clone() }).collect()
}

fn left_over(image: &Image) -> Vec<NoStdError> {
    let demangled: Vec<String> = image.symbols.iter().map(|symbol| shown(&symbol.name)).collect();
    let mut errors: Vec<NoStdError> = FOR_EMBEDDERS
        .iter()
        .filter(|name| !demangled.iter().any(|symbol| symbol.contains(**name)))
        .map(|crate_name| NoStdError::NoNames { crate_name })
        .collect();
    for (symbol, name) in image.symbols.iter().zip(&demangled) {
        let Some(kind) = kind_of(name) else {
            continue;
        };
        let mut from: Vec<String> = image.callers(symbol).map(|caller| shown(&caller.name)).collect();
        // The ways into a panic call each other; who calls the first of them is of interest.
        from.retain(|caller| kind_of(caller).is_none());
        from.sort_unstable();
        from.dedup();
        errors.push(NoStdError::Left { kind, symbol: name.clone(), from });
    }
    errors
}

/// The bytes that judging takes in a static library that is optimised for size: a table that is opened, and the whole
/// way of a request through the core.
///
/// Counted are the sections of the library's own objects: of code (`.text*`), and apart from it of constants
/// (`.rodata*`, and `.data.rel.ro*`, which are constants with addresses in them). By then everything is in one object: both
/// crates, what they use of `core`, and the call that reaches it all. What they need of the compiler's own support
/// library comes on top of the code, by the size it has in the linked program. Not counted are tables for debuggers and
/// unwinders, the start of the C runtime, and the functions that are imported from the platform (`memcmp` and its kin).
fn bytes_of(kinds: &[&str], objects: &[Image], program: &Image) -> u64 {
    let own = objects.iter().flat_map(|object| &object.sections).filter(|section| is_one_of(kinds, section));
    let needed = objects.iter().flat_map(|object| &object.symbols).filter(|symbol| !symbol.is_defined && kinds == CODE);
    let support = needed.filter_map(|needed| program.symbols.iter().find(|symbol| symbol.name == needed.name));
    own.map(|section| section.bytes).sum::<u64>() + support.map(|symbol| symbol.bytes).sum::<u64>()
}

fn is_one_of(kinds: &[&str], section: &Section) -> bool {
    kinds
        .iter()
        .any(|name| section.name.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

fn too_large(bytes: u64) -> Option<NoStdError> {
    (bytes >= CODE_BYTES_MAX).then_some(NoStdError::TooLarge { bytes })
}

fn does_not_run(status: ExitStatus) -> Option<NoStdError> {
    (!status.success()).then_some(NoStdError::DoesNotRun { status })
}

/// The program and the library, unless they do not build.
fn build(tree: &Tree) -> Result<Option<(PathBuf, PathBuf)>, TaskError> {
    let mut built = Vec::new();
    for (what, arguments) in BUILDS {
        let mut command = tree.cargo(BUILD);
        command.arg("--target-dir").arg(tree.target("nostd")).args(*arguments);
        let Some(printed) = attempt(&mut command)? else {
            return Ok(None);
        };
        built.push(artifact(&printed, what).ok_or_else(|| unusable(&command, format!("no {what} in it")))?);
    }
    let library = built.pop();
    Ok(built.pop().zip(library))
}

/// One of cargo's messages, of which only those about files are of interest.
#[derive(Debug, Deserialize)]
struct Artifact {
    target: Target,
    filenames: Vec<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

/// The first file of a target of this kind.
fn artifact(printed: &str, kind: &str) -> Option<PathBuf> {
    let artifacts = printed.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    let mut wanted = artifacts.filter(|artifact| artifact.target.kind.iter().any(|other| other == kind));
    wanted.next()?.filenames.into_iter().next()
}

fn unreadable(path: &Path, error: &object::Error) -> TaskError {
    TaskError::Output { program: path.display().to_string(), reason: error.to_string() }
}

impl fmt::Display for NoStdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotBuild => write!(f, "the program does not build without std and alloc"),
            Self::NotReached { function } => write!(f, "`{function}` is public and has no call in {USES}"),
            Self::NoNames { crate_name } => write!(f, "no function of `{crate_name}` is named, so nothing was checked"),
            Self::Left { kind, symbol, from } if from.is_empty() => write!(f, "{kind}: `{symbol}`"),
            Self::Left { kind, symbol, from } => write!(f, "{kind}: `{symbol}`, from `{}`", from.join("`, `")),
            Self::TooLarge { bytes } => {
                write!(f, "judging is {bytes} bytes of code, and less than {CODE_BYTES_MAX} it has to be")
            }
            Self::DoesNotRun { status } => write!(f, "the program does not understand its own input: {status}"),
        }
    }
}

/// What the code of both crates has to stay below: 64 KiB.
const CODE_BYTES_MAX: u64 = 65_536;

const CODE: &[&str] = &[".text"];
const CONSTANTS: &[&str] = &[".rodata", ".data.rel.ro"];

const SOURCES: &[&str] = &["crates/table-format/src/", "crates/enforce-core/src/"];
const USES: &str = "crates/enforce-core/nostd/src/uses.rs";

/// As the compiler names them.
const FOR_EMBEDDERS: &[&str] = &["table_format::", "enforce_core::"];

const BUILD: &[&str] = &[
    "rustc",
    "-q",
    "--release",
    "--locked",
    "--manifest-path",
    "crates/enforce-core/nostd/Cargo.toml",
    "--message-format=json-render-diagnostics",
];
/// What is built, by the name cargo has for it. The linker keeps its notes on who refers to whom.
const BUILDS: &[(&str, &[&str])] = &[
    ("bin", &["--bin", "nostd", "--", "-C", "link-arg=-Wl,--gc-sections", "-C", "link-arg=-Wl,--emit-relocs"]),
    ("staticlib", &["--lib"]),
];

#[cfg(test)]
mod tests;
