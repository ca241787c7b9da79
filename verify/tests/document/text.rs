//! Properties with the number of their counted cases, and runs -> the document.

use std::fmt::Write as _;

use verify::cases::Bytes;
use verify::engines::{ROLLED, ROLLED_FULL, shown};
use verify::oracles::{Asked, COUNTED, OPINIONS, Opinion};
use verify::properties::alphabet::{ARGUMENTS, Argument};
use verify::properties::path::Inside;
use verify::{PROPERTIES, Property, Split};

use crate::domain::Domain;
use crate::open::Open;
use crate::runs::{Outcome, Run, last};

/// A property, and what was found out about its cases.
pub(crate) struct Entry<'a> {
    pub(crate) property: &'a Property,
    pub(crate) counted: Domain,
    pub(crate) open: Open,
    /// Its second harnesses, and what is open in them.
    pub(crate) splits: Vec<(&'a Split, &'a Open)>,
}

/// The document. The same list and the same runs give the same bytes.
pub(crate) fn render(entries: &[Entry<'_>], runs: &[Run]) -> String {
    let is_proved = |entry: &&Entry<'_>| harness(&entry.property.path(), entry.property.proof, runs).is_proved();
    let proved = entries.iter().filter(is_proved).count();
    let mut text = HEADER.replace("{properties}", &entries.len().to_string());
    // Writing to a String cannot fail.
    let _ = match proved {
        0 => writeln!(text, "No run of Kani is recorded, so nothing below is called proved.\n"),
        _ => writeln!(text, "Of these, {proved} are proved by a recorded run of Kani; the others have a harness.\n"),
    };
    text.push_str(ENGINES);
    let mut module = "";
    for entry in entries {
        if entry.property.module != module {
            module = entry.property.module;
            let _ = write!(text, "\n### {}\n\nIn `verify/src/properties/{module}.rs`.\n", title(module));
        }
        text.push_str(&section(entry, runs));
    }
    text.push_str(SECOND_OPINIONS);
    OPINIONS.iter().for_each(|opinion| text.push_str(&second(opinion)));
    text + &FOOTER.replace("{failure}", &failure())
}

/// One that nobody has seen, as it would be printed.
fn failure() -> String {
    let case: Inside<7, 12, 20> = Inside { root: "/a", working_directory: "", path: Bytes::of(b".") };
    let why = "a component is a name (verify/src/properties/path.rs:79)";
    shown("path::contained_paths_are_names", &case, why)
}

fn second(opinion: &Opinion) -> String {
    let mut text = format!(
        "\n#### `oracles::{}::{}`\n\n{}.\n\n| engine | in | about | cases |\n|---|---|---|---|\n",
        opinion.module,
        opinion.name,
        sentence(opinion.meaning)
    );
    for Asked { by, about, cases } in opinion.asked {
        let cases = cases.map_or("as long as it runs".to_owned(), |cases| grouped(cases as u64));
        let (engine, cases) = match *by {
            COUNTED => ("counting", format!("all {cases}")),
            by if by.starts_with("fuzz/") => ("fuzzing", cases),
            _ => ("dice", cases),
        };
        let _ = writeln!(text, "| {engine} | `{by}` | {about} | {cases} |");
    }
    text
}

fn section(Entry { property, counted, open, splits }: &Entry<'_>, runs: &[Run]) -> String {
    let first = proof(&property.path(), property.proof, property.unwind, open, runs);
    let others = splits.iter().map(|(split, open)| proof(&split.path(), split.proof, split.unwind, open, runs));
    let proofs: String = [first].into_iter().chain(others).collect();
    format!(
        "\n#### `{}`\n\n{}.\n\n\
         | engine | about | cases |\n|---|---|---|\n\
         | counting, in CI | `{}` | all {} |\n\
         | counting, `--full` | `{}` | all |\n\
         | dice | `{}` | {}; with `--full` {} |\n\
         {proofs}\n\
         A case is {}.{}\n",
        property.path(),
        sentence(property.meaning),
        kind(property.counted),
        grouped(counted.cases),
        kind(property.full),
        kind(property.random),
        grouped(ROLLED.into()),
        grouped(ROLLED_FULL.into()),
        property.about,
        alphabet(counted),
    )
}

/// The row of a harness.
fn proof(path: &str, case: &str, unwind: usize, open: &Open, runs: &[Run]) -> String {
    let (status, about) = (harness(path, case, runs), reasoned_about(open));
    format!("| Kani: {status} | `{}`, loops unwound {unwind} times | {about} |\n", kind(case))
}

/// What a proof is about, and how much of it is any.
fn reasoned_about(open: &Open) -> String {
    match open {
        Open { settled: 1, bits: 0 } => "one case, in which nothing is open".to_owned(),
        Open { settled: 1, bits } => format!("all at once: {}", open_bits(*bits)),
        Open { settled, bits: 0 } => format!("{settled} cases, each by itself, in which nothing is open"),
        Open { settled, bits } => format!("{settled} cases, each by itself, with up to {}", open_bits(*bits)),
    }
}

fn open_bits(bits: u32) -> String {
    if bits == 1 { "one open bit".to_owned() } else { format!("{bits} open bits") }
}

/// A type as people write it; the compiler may put spaces everywhere.
pub(crate) fn kind(case: &str) -> String {
    let dense: String = case.chars().filter(|c| !c.is_whitespace()).collect();
    dense.replace(',', ", ")
}

fn alphabet(domain: &Domain) -> String {
    let bytes = domain
        .alphabets
        .iter()
        .map(|bytes| format!(" Counted bytes are {}: {}.", code(&bytes.escape_ascii().to_string()), argument(bytes)));
    let numbers = domain.boundaries.iter().map(|numbers| {
        let numbers: Vec<String> = numbers.iter().map(|number| grouped(*number)).collect();
        format!(" Counted numbers are {}.", numbers.join(", "))
    });
    bytes.chain(numbers).collect()
}

/// Why an alphabet is enough, or what it leaves out.
fn argument(alphabet: &[u8]) -> String {
    let found = ARGUMENTS.iter().find(|(bytes, _)| *bytes == alphabet);
    let (_, argument) = found.unwrap_or_else(|| panic!("nobody says why `{}` is enough", alphabet.escape_ascii()));
    match argument {
        Argument::Like(property) => {
            let is_property = |entry: &Property| entry.module == "alphabet" && entry.name == *property;
            assert!(PROPERTIES.iter().any(is_property), "`{property}` is no property of the byte alphabet");
            format!("any other is like one of them, as `alphabet::{property}` says")
        }
        Argument::Own(why) => (*why).to_owned(),
    }
}

/// Text that may have backticks itself.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// What may be said of a proof.
enum Status<'a> {
    /// Nobody ran it, or not about the present case.
    Harness,
    Ran(&'a Run),
}

fn harness<'a>(path: &str, case: &str, runs: &'a [Run]) -> Status<'a> {
    last(runs, path, case).map_or(Status::Harness, Status::Ran)
}

impl Status<'_> {
    fn is_proved(&self) -> bool {
        matches!(self, Self::Ran(run) if run.result == Outcome::Verified)
    }
}

impl std::fmt::Display for Status<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Harness => f.write_str("harness"),
            Self::Ran(run) => {
                let word = if self.is_proved() { "proved" } else { "harness" };
                let Run { date, commit, kani, result, seconds, .. } = run;
                write!(f, "{word} ({result} on {date}, Kani {kani}, commit {commit}, {seconds} s)")
            }
        }
    }
}

fn title(module: &str) -> &str {
    TITLES.iter().find(|(name, _)| *name == module).map_or(module, |(_, title)| title)
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// A number with a space between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

const TITLES: &[(&str, &str)] = &[
    ("alphabet", "The byte alphabet"),
    ("wire", "Reading requests"),
    ("validate", "Validating requests"),
    ("path", "Containment of paths"),
    ("shell", "Command lines"),
    ("net", "Addresses and URLs"),
    ("table", "The frozen table"),
    ("decide", "Decisions"),
    ("judge", "Judging requests"),
];

const HEADER: &str = "\
# What is claimed of the core, and who has checked it

Generated from `verify/src/list.rs` and `verify/runs.toml` by `cargo xtask verify --write`; do not edit it. A test fails
while it is out of date.

A property is a function in `verify/src/properties/` that takes a case, panics when the case shows that the property does
not hold, and says whether the case met the property's premise. It does not know who asks. Several engines ask each of
the {properties} properties; all of them fail when no case met the premise, because such a property would say nothing.

";

const ENGINES: &str = "\
## Engines

- **Counting** goes through every case of a kind, each once. Bytes and numbers come from a small alphabet that stands
  beside the kind of case; everything else is complete. In CI the domains take seconds each; `--full` takes larger ones.
- **Dice** (proptest) make larger cases, half of the bytes and numbers from the alphabet and half from the whole range,
  and make a case that fails as small as they can.
- **Kani** is a model checker: it reasons about every case of a kind at once, with every byte and every number that is
  open, and finds every panic and overflow on the way. Where everything depends on a choice (`Source::settled`: who asks
  in which session, how long a name is, where a request ends), it takes one after the other, as counting does. The tables
  below say both: how many cases are taken by themselves, and how many bits are open in one of them at most. Where nothing
  is open, a proof says no more than a test of so many cases. A property whose harness leaves little open may have a second
  one, in which more is settled and more is any. All are made from the same list. A harness that
  nobody ran shows nothing, so that the word for it is *harness*; *proved* is only what has a successful run in
  `verify/runs.toml`, of the present kind of case and of the commit that stands there.
- **The stand-in** takes Kani's place where it is not installed: it compiles the harnesses as Kani does and asks each about
  up to 20 000 cases that dice make. It finds a wrong assertion, a harness that does not compile, a premise that nothing
  meets and, on Linux, a loop that goes round more often than it is unwound. It proves nothing.
- **Fuzzing** asks the same properties with the bytes of a fuzzer as choices (`fuzz/`).

## What is assumed

- Usizes have 64 bits: the engines run natively on 64-bit machines, and Kani reasons about one.
- Counting stands for all bytes only as far as the bytes that are left out behave like one that is counted. That they do
  is a property of its own over all 256 (the byte alphabet), which is named beside the bytes; where the value of each byte
  has a meaning, there is none, and it says so. Dice, fuzzers and Kani do not assume it.
- The hash is a parameter of the core. What is shown of tables holds for the hashes that the cases name, and nothing is
  shown of BLAKE3.
- What a path leads to, what a name resolves to and what a program does is not the core's to know; the properties are
  about texts and bytes.
- The compiler is trusted, and so are proptest, Kani and CBMC below it.

## Properties

The parameters of a kind of case are its bounds, in the order of its type; the sentence below each table says what
they are.
";

const SECOND_OPINIONS: &str = "
## Second opinions

Where somebody else reads the same texts, what the core accepts is compared with what they make of it. These comparisons
need a heap, so that no model checker is asked; they stand in `verify/src/oracles/`, and are tests of the workspace and
targets of the fuzzer. What is counted are cases of properties above, of which some have to be read.
";

const FOOTER: &str = "
## Running it

```console
$ cargo test -p verify                     # counting and dice, as CI does
$ cargo xtask verify                       # the same, what is counted with a second opinion, and the stand-in, as a table
$ cargo xtask verify --property path::     # some of them
$ cargo xtask verify --full                # the larger domains, up to two hours
$ cargo xtask verify --harnesses           # the stand-in alone, which is what CI adds to the tests
$ cargo xtask verify --kani --record       # Kani itself; adds to verify/runs.toml
$ cargo xtask verify --write               # this document
```

Kani is installed by `cargo install --locked kani-verifier@0.67.0` and `cargo kani setup`, which fetches its compiler and
CBMC; `.github/workflows/kani.yml` does so. `cargo kani -p verify` runs every harness, and
`cargo kani -p verify --harness proofs::path::contained_paths_are_names` one.

## Reading a failure

Counting and dice print the case as a test, made as small as the engine can; it goes into the tests of the crate at fault
as it is, and passes when the property holds there or has nothing to say of the case any more:

```text
{failure}```

- `says nothing`: no case met the premise. The kind of case is too small for the property, or the property is wrong.
- The stand-in names the run that failed; with its number in `KANI_STAND_IN_ONLY` that run alone is made, and its case
  is printed.
- `unwinds loops 5 times, and one is entered 6 times`: `Case::LOOPS` of the proof's case is too low.
- Kani prints the checks that failed with their places in the source (the text of an assertion of a crate without the
  standard library is not shown). `-Z concrete-playback --concrete-playback=print` prints the bytes that it chose.
- Kani's `unwinding assertion`: the same, in a function of the standard library that the stand-in does not see.
- Kani's `0 of 1 cover properties satisfied` with `VERIFICATION:- SUCCESSFUL` is a failure here: vacuous.
";
