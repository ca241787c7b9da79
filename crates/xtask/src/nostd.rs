//! The core without std -> whether it links, whether it can panic, and how large it is.
//!
//! The program in `crates/enforce-core/nostd` reaches every public function of the two crates for embedders. It has a panic
//! handler and no allocator, so it does not build when a crate links std or alloc. The linker drops what nothing reaches: a
//! panic handler that is still there can be called.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use serde::Deserialize;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, attempt, status, unusable};

/// Builds the program and the library, reads both, runs the program, and prints what is wrong.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let Some((program, library)) = build(tree)? else {
        println!("nostd: the core does not build without std and alloc");
        return Ok(Outcome::Findings);
    };
    let image = Image::of_program(&tree.read(&program)?).map_err(|error| unreadable(&program, &error))?;
    let objects = Image::of_library(&tree.read(&library)?).map_err(|error| unreadable(&library, &error))?;
    let (code, constants) = (bytes_of(CODE, &objects, &image), bytes_of(CONSTANTS, &objects, &image));
    let mut findings = not_called(&public_functions(tree)?, &tree.read_text(USES)?);
    findings.extend(left_over(&image));
    if code >= CODE_BYTES_MAX {
        findings.push(format!("judging takes {code} bytes of code; it must stay below {CODE_BYTES_MAX}"));
    }
    // A program that can panic is not run: its handler never returns.
    if findings.is_empty() {
        let status = status(&mut Command::new(&program))?;
        findings
            .extend((!status.success()).then(|| format!("the program does not understand its own input: {status}")));
    }
    for finding in &findings {
        println!("nostd: {finding}");
    }
    println!(
        "nostd: judging takes {code} of {CODE_BYTES_MAX} bytes of code and {constants} bytes of constants; findings: {}",
        findings.len()
    );
    Ok(Outcome::fine_if(findings.is_empty()))
}

/// The public functions of the crates for embedders, by name. One that nobody can reach is refused by the compiler
/// (`unreachable_pub`).
fn public_functions(tree: &Tree) -> Result<BTreeSet<String>, TaskError> {
    let mut functions = BTreeSet::new();
    for path in tree.files()?.iter().filter(|path| SOURCES.iter().any(|folder| path.starts_with(folder))) {
        functions.extend(functions_of(&tree.read_text(path)?).map(String::from));
    }
    Ok(functions)
}

fn functions_of(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim_start);
    let functions = lines.filter_map(|line| line.strip_prefix("pub fn ").or(line.strip_prefix("pub const fn ")));
    functions.filter_map(|rest| rest.split(|c: char| !is_word(c)).next())
}

/// Compares names, not paths: of two functions of one name, one call is enough.
fn not_called(functions: &BTreeSet<String>, uses: &str) -> Vec<String> {
    let words: BTreeSet<&str> = uses.split(|c: char| !is_word(c)).collect();
    let missing = functions.iter().filter(|function| !words.contains(function.as_str()));
    missing.map(|function| format!("`{function}` is public and is not called in {USES}")).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Names are mangled and compared as parts: every mangling keeps the words.
fn left_over(program: &Image) -> Vec<String> {
    let has = |word: &str| program.symbols.iter().any(|symbol| symbol.name.contains(word));
    let mut findings = Vec::new();
    for crate_name in FOR_EMBEDDERS.iter().filter(|crate_name| !has(crate_name)) {
        findings.push(format!("no symbol of `{crate_name}` is in the program, so nothing was checked"));
    }
    if has(PANIC_HANDLER) {
        let is_panic = |name: &&str| name.contains("panic") || name.contains("_fail");
        let names: Vec<&str> = program.symbols.iter().map(|symbol| symbol.name.as_str()).filter(is_panic).collect();
        findings.push(format!("the program can panic: {}", names.join(", ")));
    }
    findings
}

/// The bytes of judging in a static library that is optimised for size: opening a table, and the whole way of a request.
///
/// The library's own objects hold both crates and what they use of `core`. What they need of the compiler's support library
/// counts as code, by its size in the program. Not counted: tables for debuggers and unwinders, the start of the C runtime,
/// and functions of the platform (`memcmp` and its kin).
fn bytes_of(kinds: &[&str], objects: &[Image], program: &Image) -> u64 {
    let is_wanted = |name: &str| {
        kinds.iter().any(|kind| name.strip_prefix(kind).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    let sections = objects.iter().flat_map(|object| &object.sections).filter(|(name, _)| is_wanted(name));
    let needed = objects.iter().flat_map(|object| &object.symbols).filter(|symbol| !symbol.is_defined && kinds == CODE);
    let support = needed.filter_map(|needed| program.symbols.iter().find(|symbol| symbol.name == needed.name));
    sections.map(|(_, bytes)| bytes).sum::<u64>() + support.map(|symbol| symbol.bytes).sum::<u64>()
}

/// The symbols and the sections of an object file.
#[derive(Debug, Default)]
struct Image {
    symbols: Vec<Symbol>,
    sections: Vec<(String, u64)>,
}

#[derive(Debug)]
struct Symbol {
    name: String,
    is_defined: bool,
    bytes: u64,
}

impl Image {
    fn of_program(bytes: &[u8]) -> Result<Self, object::Error> {
        let file = object::File::parse(bytes)?;
        let mut image = Self::default();
        for symbol in file.symbols() {
            let name = symbol.name().unwrap_or_default().to_owned();
            image.symbols.push(Symbol { name, is_defined: !symbol.is_undefined(), bytes: symbol.size() });
        }
        for section in file.sections() {
            image.sections.push((section.name()?.to_owned(), section.size()));
        }
        Ok(image)
    }

    /// Reads the library's own objects; those of the compiler's support library stand beside them in case they are needed.
    fn of_library(bytes: &[u8]) -> Result<Vec<Self>, object::Error> {
        let mut images = Vec::new();
        for member in ArchiveFile::parse(bytes)?.members() {
            let member = member?;
            if member.name().starts_with(b"nostd-") {
                images.push(Self::of_program(member.data(bytes)?)?);
            }
        }
        Ok(images)
    }
}

/// Returns the program and the library, or none when they do not build.
fn build(tree: &Tree) -> Result<Option<(PathBuf, PathBuf)>, TaskError> {
    let mut built = Vec::new();
    for (kind, arguments) in TARGETS {
        let mut command = tree.cargo(BUILD);
        command.arg("--target-dir").arg(tree.target("nostd")).args(*arguments);
        let Some(printed) = attempt(&mut command)? else {
            return Ok(None);
        };
        built.push(artifact(&printed, kind).ok_or_else(|| unusable(&command, format!("it names no {kind}")))?);
    }
    let library = built.pop();
    Ok(built.pop().zip(library))
}

/// Returns the first file of a target of this kind.
fn artifact(printed: &str, kind: &str) -> Option<PathBuf> {
    let artifacts = printed.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    let mut wanted = artifacts.filter(|artifact| artifact.target.kind.iter().any(|other| other == kind));
    wanted.next()?.filenames.into_iter().next()
}

/// One of cargo's messages about what it has built.
#[derive(Debug, Deserialize)]
struct Artifact {
    target: Target,
    filenames: Vec<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

fn unreadable(path: &Path, error: &object::Error) -> TaskError {
    TaskError::Output { program: path.display().to_string(), reason: error.to_string() }
}

const CODE_BYTES_MAX: u64 = 72 << 10;
const CODE: &[&str] = &[".text"];
/// Constants with addresses in them are in `.data.rel.ro`.
const CONSTANTS: &[&str] = &[".rodata", ".data.rel.ro"];

const SOURCES: &[&str] = &["crates/table-format/src/", "crates/enforce-core/src/"];
const USES: &str = "crates/enforce-core/nostd/src/uses.rs";
const FOR_EMBEDDERS: &[&str] = &["table_format", "enforce_core"];
const PANIC_HANDLER: &str = "rust_begin_unwind";

const BUILD: &[&str] = &[
    "rustc",
    "-q",
    "--release",
    "--locked",
    "--manifest-path",
    "crates/enforce-core/nostd/Cargo.toml",
    "--message-format=json-render-diagnostics",
];
/// By the names cargo has for them.
const TARGETS: &[(&str, &[&str])] =
    &[("bin", &["--bin", "nostd", "--", "-C", "link-arg=-Wl,--gc-sections"]), ("staticlib", &["--lib"])];

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(name: &str, is_defined: bool, bytes: u64) -> Symbol {
        Symbol { name: name.to_owned(), is_defined, bytes }
    }

    fn image(symbols: &[&str]) -> Image {
        let symbols = symbols.iter().map(|name| symbol(name, true, 10)).collect();
        Image { symbols, sections: Vec::new() }
    }

    #[test]
    fn a_panic_handler_and_a_crate_without_symbols_are_found() {
        let fine = ["_ZN12enforce_core6decide6decide17h0E", "_RNvCs1_12table_format4open", "main"];
        assert_eq!(left_over(&image(&fine)), [""; 0]);
        let panics =
            [&fine[..], &["_RNvCs2_7___rustc17rust_begin_unwind", "_ZN4core9panicking9panic_fmt17h0E"]].concat();
        let found = left_over(&image(&panics));
        assert!(matches!(&found[..], [one] if one.contains("panic_fmt")), "{found:?}");
        assert_eq!(left_over(&image(&["main"])).len(), FOR_EMBEDDERS.len());
    }

    #[test]
    fn a_public_function_that_is_not_called_is_found() {
        let text = "pub fn open<'a>(x: u8) {\n    pub const fn first() {}\n    pub(crate) fn own() {}\nfn inner() {}\n";
        let functions: BTreeSet<String> = functions_of(text).map(String::from).collect();
        assert_eq!(not_called(&functions, "first(open(1))"), [""; 0]);
        assert!(matches!(&not_called(&functions, "first(opened(1))")[..], [one] if one.starts_with("`open`")));
    }

    #[test]
    fn code_constants_and_needed_support_are_counted_and_nothing_else() {
        let names = [".text", ".text.decide", ".rodata.cst16", ".data.rel.ro..anon", ".textual", ".data", ".eh_frame"];
        let sections = names.iter().zip(0..).map(|(name, bit)| ((*name).to_owned(), 1 << bit)).collect();
        let symbols = vec![symbol("__lshrti3", false, 0), symbol("memcmp", false, 0), symbol("main", true, 7)];
        let objects = [Image { symbols, sections }];
        let mut program = image(&["__lshrti3", "main"]);
        program.symbols.push(symbol("memcmp", false, 0));
        assert_eq!(bytes_of(CODE, &objects, &program), 1 + 2 + 10);
        assert_eq!(bytes_of(CONSTANTS, &objects, &program), 4 + 8);
    }

    #[test]
    fn artifacts_are_read_as_cargo_writes_them() {
        let printed = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"core"},"filenames":["x/libcore.rlib"]}
{"reason":"compiler-artifact","target":{"kind":["bin"],"name":"nostd"},"filenames":["x/nostd"],"executable":"x/nostd"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(artifact(printed, "bin"), Some(PathBuf::from("x/nostd")));
        assert_eq!(artifact(printed, "staticlib"), None);
    }
}
