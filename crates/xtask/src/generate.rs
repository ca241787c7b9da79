//! (rules, seed) -> a synthetic policy of several files, in canonical layout, for benches and figures.
//! It knows the language only as text; the same input gives the same bytes on every machine.

mod harder;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use clap::ValueEnum;
use fastrand::Rng;

use harder::Project;

/// Which rules come how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mix {
    /// Folders to work in; extensions and file names that are denied everywhere
    Default,
    /// Extensions of single projects that no global rule covers, and folders within folders
    Harder,
}

/// The files of a policy of the default mix. See [`policy_of`].
#[must_use]
pub fn policy(rules: usize, seed: u64) -> Vec<(String, String)> {
    policy_of(Mix::Default, rules, seed)
}

/// The files of a policy with that many rules, as (file name, text), the one to check first.
///
/// Six of ten rules are about paths, two about commands, one about hosts, one about branches. Each rule
/// has a test that no other rule decides: a rule without one is a warning, and figures taken while
/// printing thousands of warnings would say nothing about checking.
#[must_use]
pub fn policy_of(mix: Mix, rules: usize, seed: u64) -> Vec<(String, String)> {
    let mut draw = Draw::new(mix, seed);
    let drawn: Vec<Rule> = (0..rules).map(|index| draw.rule(index)).collect();
    let parts = drawn.chunks(PART_RULES_MAX).enumerate().map(|(number, rules)| {
        let name = part_name(number);
        let text = part(&name, rules);
        (format!("{name}.policy"), text)
    });
    let mut files = vec![(String::from("main.policy"), main_file(&drawn))];
    files.extend(parts);
    files
}

/// Writes the files of [`policy_of`] into a folder, which is made if it is not there.
///
/// # Errors
///
/// When the folder cannot be made or a file cannot be written.
pub fn write(folder: &Path, mix: Mix, rules: usize, seed: u64) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    policy_of(mix, rules, seed).into_iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
}

/// What a rule is about. Sets are declared only where some rule uses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Prefix,
    Extension,
    FileName,
    Command,
    Host,
    Branch,
    ProjectExtension,
    Project,
    InProject,
}

struct Rule {
    kind: Kind,
    name: String,
    /// Everything after the rule's name, one clause a line.
    clauses: Vec<String>,
    /// The request of its test and the answer to it.
    request: String,
    effect: &'static str,
}

fn main_file(rules: &[Rule]) -> String {
    let mut text = String::from("policy generated language 1\n");
    // Writing to a String cannot fail.
    for number in 0..rules.len().div_ceil(PART_RULES_MAX) {
        let _ = writeln!(text, "{}use \"./{}.policy\"", if number == 0 { "\n" } else { "" }, part_name(number));
    }
    text.push_str(ROLES);
    let used = SETS.iter().filter(|(kinds, _)| rules.iter().any(|rule| kinds.contains(&rule.kind)));
    for (number, (_, set)) in used.enumerate() {
        let _ = writeln!(text, "{}{set}", if number == 0 { "\n" } else { "" });
    }
    text
}

fn part(name: &str, rules: &[Rule]) -> String {
    let mut text = format!("policy {name} language 1\n");
    // Writing to a String cannot fail.
    for rule in rules {
        let _ = writeln!(text, "\nrule {}:", rule.name);
        for clause in &rule.clauses {
            let _ = writeln!(text, "  {clause}");
        }
        let _ = writeln!(text, "\n{}", test(rule));
    }
    text
}

/// On one line where it fits, as the canonical layout has it.
fn test(rule: &Rule) -> String {
    let Rule { name, request, effect, .. } = rule;
    let line = format!("test {name}-holds: {request} => {effect} by {name}");
    if line.len() <= LINE_CHARS_MAX {
        return line;
    }
    format!("test {name}-holds:\n  {request}\n  => {effect} by {name}")
}

fn part_name(number: usize) -> String {
    format!("part-{number:04}")
}

/// Where the choices come from: ten kinds in shuffled order, again and again.
struct Draw {
    mix: Mix,
    rng: Rng,
    kinds: [Kind; 10],
    /// Of the ten rules that are drawn at this time.
    project: Project,
}

impl Draw {
    fn new(mix: Mix, seed: u64) -> Self {
        let kinds = match mix {
            Mix::Default => DEFAULT,
            Mix::Harder => harder::KINDS,
        };
        Self { mix, rng: Rng::with_seed(seed), kinds, project: Project::default() }
    }

    fn rule(&mut self, index: usize) -> Rule {
        let place = index % self.kinds.len();
        if place == 0 {
            self.shuffle();
            if self.mix == Mix::Harder {
                self.next_project(index);
            }
        }
        // The number makes each name and pattern the only one of its kind.
        let subject = format!("{}-{index:05}", self.pick(WORDS));
        match self.kinds.get(place).copied().unwrap_or(Kind::Prefix) {
            Kind::Prefix => self.prefix(&subject),
            Kind::Extension => {
                denial(Kind::Extension, &subject, &format!("**/*.{subject}"), &format!("docs/a.{subject}"))
            }
            Kind::FileName => denial(Kind::FileName, &subject, &format!("**/{subject}"), &format!("docs/{subject}")),
            Kind::Command => self.command(&subject, index),
            Kind::Host => self.host(&subject),
            Kind::Branch => self.branch(&subject),
            Kind::ProjectExtension => self.project_extension(&subject, index),
            Kind::Project => self.whole_project(&subject),
            Kind::InProject => self.in_project(&subject),
        }
    }

    fn prefix(&mut self, subject: &str) -> Rule {
        let area = self.pick(AREAS);
        let bytes = self.rng.u32(1..=64);
        let (verb, role, operations, operation) = *self.pick_of(&[
            ("read", "reader", "file.read", "file.read"),
            ("edit", "coder", "file.write, file.edit, file.patch", "file.edit"),
        ]);
        Rule {
            kind: Kind::Prefix,
            name: format!("{verb}-{subject}"),
            clauses: vec![
                format!("allow {role} to {operations}"),
                format!("where path in \"crates/{subject}/{area}/**\" and not path in generated-files"),
                format!("limit bytes <= {bytes} MiB"),
            ],
            request: format!("{role} {operation} path \"crates/{subject}/{area}/lib.rs\""),
            effect: "allow",
        }
    }

    fn command(&mut self, subject: &str, index: usize) -> Rule {
        let minutes = self.rng.u32(1..=30);
        Rule {
            kind: Kind::Command,
            name: format!("run-{subject}"),
            clauses: vec![
                String::from("allow coder to shell.exec"),
                format!("where command in \"tool-{index:04}\" and not network"),
                format!("limit timeout <= {minutes} min, output <= 5 MiB"),
            ],
            request: format!("coder shell.exec command \"tool-{index:04}\""),
            effect: "allow",
        }
    }

    fn host(&mut self, subject: &str) -> Rule {
        let (pattern, host) = *self.pick_of(&[("", ""), ("*.", "api.")]);
        Rule {
            kind: Kind::Host,
            name: format!("fetch-{subject}"),
            clauses: vec![
                String::from("allow coder to http.request"),
                format!(
                    "where host in \"{pattern}{subject}.example.org\" and scheme == \"https\" and method in safe-methods"
                ),
                String::from("limit redirects <= 3, body <= 5 MiB, timeout <= 15 s"),
            ],
            request: format!("coder http.request host \"{host}{subject}.example.org\" scheme \"https\" method \"GET\""),
            effect: "allow",
        }
    }

    fn branch(&mut self, subject: &str) -> Rule {
        let (verb, effect, role) = *self.pick_of(&[("push", "ask", "coder"), ("release", "allow", "releaser")]);
        Rule {
            kind: Kind::Branch,
            name: format!("{verb}-{subject}"),
            clauses: vec![
                format!("{effect} {role} to git.push"),
                format!("where ref in \"refs/heads/{subject}/**\" and not force"),
                String::from("require clean-tree"),
            ],
            request: format!("{role} git.push ref \"refs/heads/{subject}/topic\""),
            effect,
        }
    }

    fn shuffle(&mut self) {
        for place in (1..self.kinds.len()).rev() {
            let other = self.up_to(place);
            self.kinds.swap(place, other);
        }
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        let place = self.up_to(words.len().saturating_sub(1));
        words.get(place).copied().unwrap_or_default()
    }

    /// Drawn as 32 bits: what is drawn as a `usize` would be another number on a 32-bit machine.
    fn up_to(&mut self, last: usize) -> usize {
        let last = u32::try_from(last).unwrap_or(u32::MAX);
        usize::try_from(self.rng.u32(..=last)).unwrap_or_default()
    }

    /// One of two, so that there is always one.
    fn pick_of<'a, T>(&mut self, [first, second]: &'a [T; 2]) -> &'a T {
        if self.rng.bool() { first } else { second }
    }
}

fn denial(kind: Kind, subject: &str, pattern: &str, path: &str) -> Rule {
    Rule {
        kind,
        name: format!("keep-{subject}"),
        clauses: vec![
            String::from("deny anyone to file.*, fs.*"),
            format!("where path in \"{pattern}\""),
            String::from("code SECRET_PATH"),
            String::from("because \"Kept from every model.\""),
        ],
        request: format!("coder file.read path \"{path}\""),
        effect: "deny",
    }
}

/// About a third of the bytes a file may have, and so few parts that a million rules can be imported.
const PART_RULES_MAX: usize = 1_000;
/// Where the canonical layout breaks a line.
const LINE_CHARS_MAX: usize = 100;

/// How often each kind comes among ten rules.
const DEFAULT: [Kind; 10] = [
    Kind::Prefix,
    Kind::Prefix,
    Kind::Prefix,
    Kind::Prefix,
    Kind::Extension,
    Kind::FileName,
    Kind::Command,
    Kind::Command,
    Kind::Host,
    Kind::Branch,
];

const ROLES: &str = "\nrole reader\nrole coder includes reader\nrole releaser includes coder\n";
const SETS: &[(&[Kind], &str)] = &[
    (&[Kind::Prefix, Kind::Project], "paths generated-files = \"**/generated/**\""),
    (&[Kind::Host], "names safe-methods = \"GET\", \"HEAD\""),
];
const WORDS: &[&str] =
    &["amber", "birch", "cedar", "delta", "ember", "flint", "grove", "hazel", "larch", "maple", "ochre", "pine"];
const AREAS: &[&str] = &["src", "tests", "benches", "docs"];

#[cfg(test)]
mod tests;
