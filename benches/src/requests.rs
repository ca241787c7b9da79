//! Rules -> requests: about half are for what a rule speaks of, the others miss narrowly or by far.
//!
//! Which kind of request comes at which place, how long its strings are and whether it hits is drawn
//! from the place alone. So requests for ten rules and for ten thousand differ in the rules they aim
//! at and in nothing else, and a difference between the two is the number of rules.

use fastrand::Rng;

use crate::ask::Ask;
use crate::plain::{PatternKind, PlainRule};

/// Mixed requests: of ten, six are for paths, two for commands, one for a host, one for a branch.
#[must_use]
pub(crate) fn mixed(rules: &[PlainRule], count: usize, seed: u64) -> Vec<Ask> {
    let targets = Targets::of(rules);
    let draw = |place: usize| {
        let mut shape = Shape::new(seed, place);
        match place % 10 {
            0 | 2 | 3 | 5 | 6 | 8 => {
                let bytes = shape.rng.usize(PATH_BYTES);
                shape.path(targets.pick(&targets.paths, shape.aim), bytes)
            }
            1 | 7 => shape.command(targets.pick(&targets.commands, shape.aim)),
            4 => shape.host(targets.pick(&targets.hosts, shape.aim)),
            _ => shape.branch(targets.pick(&targets.branches, shape.aim)),
        }
    };
    (0..count).map(draw).collect()
}

/// Requests for paths of exactly so many bytes.
#[must_use]
pub(crate) fn paths_of(bytes: usize, rules: &[PlainRule], count: usize, seed: u64) -> Vec<Ask> {
    let targets = Targets::of(rules);
    let draw = |place: usize| {
        let mut shape = Shape::new(seed, place);
        // A few patterns of the harder mix are longer themselves.
        loop {
            let ask = shape.path(targets.pick(&targets.paths, shape.aim), bytes);
            if ask.string("path").is_some_and(|path| path.len() == bytes) {
                return ask;
            }
            shape.aim = shape.rng.f64();
        }
    };
    (0..count).map(draw).collect()
}

/// The policy's own rules by what they are about. Rules of one form stand together, so that the same
/// aim takes a rule of the same form among ten rules and among ten thousand.
struct Targets<'r> {
    paths: Vec<&'r PlainRule>,
    commands: Vec<&'r PlainRule>,
    hosts: Vec<&'r PlainRule>,
    branches: Vec<&'r PlainRule>,
}

impl<'r> Targets<'r> {
    fn of(rules: &'r [PlainRule]) -> Self {
        let about = |attribute: &str| {
            let is_own = |rule: &&PlainRule| !rule.name.starts_with("protected-paths");
            let is_about = |rule: &&PlainRule| rule.strings.first().is_some_and(|test| test.attribute == attribute);
            let mut found: Vec<&PlainRule> = rules.iter().filter(is_own).filter(is_about).collect();
            found.sort_by_key(|rule| form(rule));
            assert!(!found.is_empty(), "no rule is about a {attribute}");
            found
        };
        Self { paths: about("path"), commands: about("command"), hosts: about("host"), branches: about("ref") }
    }

    fn pick(&self, among: &[&'r PlainRule], aim: f64) -> &'r PlainRule {
        among[((aim * among.len() as f64) as usize).min(among.len() - 1)]
    }
}

/// The pattern without its letters, and the verb of the rule's name.
fn form(rule: &PlainRule) -> (String, String) {
    let pattern = rule.strings.first().and_then(|test| test.patterns.first()).map(String::as_str).unwrap_or_default();
    let stars = pattern.chars().filter(|c| "*./".contains(*c)).collect();
    (stars, rule.name.split('-').next().unwrap_or_default().to_owned())
}

/// What a request looks like, before it is known which rule it is for.
struct Shape {
    rng: Rng,
    /// Which rule, from 0 to 1.
    aim: f64,
    how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    /// For what the rule speaks of.
    Hit,
    /// One byte of the pattern is another.
    NearMiss,
    /// For something else altogether.
    FarMiss,
    /// More than the rule permits.
    TooMuch,
}

impl Shape {
    fn new(seed: u64, place: usize) -> Self {
        let mut rng = Rng::with_seed(seed.wrapping_add(place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let how = match rng.u32(..20) {
            0..10 => How::Hit,
            10..14 => How::NearMiss,
            14..18 => How::FarMiss,
            _ => How::TooMuch,
        };
        Self { aim: rng.f64(), how, rng }
    }

    fn path(&mut self, rule: &PlainRule, bytes: usize) -> Ask {
        let (pattern, kind) = (&rule.strings[0].patterns[0], rule.strings[0].kind);
        assert_eq!(kind, PatternKind::Segments);
        let path = match self.how {
            How::FarMiss => self.filler(bytes, Last::File),
            How::Hit | How::TooMuch => self.path_like(pattern, bytes),
            How::NearMiss => self.path_like(&changed(pattern), bytes),
        };
        let name = path.rsplit('/').next().unwrap_or_default().to_owned();
        let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_owned()).unwrap_or_default();
        let operation = self.operation(rule, &["file.read", "file.edit", "file.write", "file.patch", "fs.delete"]);
        let is_file = operation.starts_with("file.");
        let mut strings = vec![("path".to_owned(), path)];
        if is_file {
            strings.extend([("name".to_owned(), name), ("extension".to_owned(), extension)]);
        }
        let numbers = if is_file { vec![("bytes".to_owned(), self.amount(65_536, 1 << 40))] } else { Vec::new() };
        Ask { operation, role: self.role(rule), strings, numbers, flags: Vec::new() }
    }

    fn command(&mut self, rule: &PlainRule) -> Ask {
        let name = &rule.strings[0].patterns[0];
        let command = match self.how {
            How::FarMiss => self.word(),
            How::Hit | How::TooMuch => name.clone(),
            How::NearMiss => changed(name),
        };
        let (verb, target) = (self.word(), self.filler(24, Last::File));
        let line = format!("{command} {verb} --all {target}");
        Ask {
            operation: "shell.exec".to_owned(),
            role: self.role(rule),
            strings: named([("command", command), ("subcommand", verb), ("line", line)]),
            numbers: vec![("timeout".to_owned(), self.amount(30_000, 1 << 40))],
            flags: Vec::new(),
        }
    }

    fn host(&mut self, rule: &PlainRule) -> Ask {
        let pattern = &rule.strings[0].patterns[0];
        let name = match pattern.strip_prefix('*') {
            Some(below) => format!("{}{below}", self.word()),
            None => pattern.clone(),
        };
        let host = match self.how {
            How::FarMiss => format!("{}.{}.net", self.word(), self.word()),
            How::Hit | How::TooMuch => name,
            How::NearMiss => changed(&name),
        };
        let scheme = if self.rng.u32(..20) == 0 { "http" } else { "https" }.to_owned();
        let method = if self.rng.u32(..10) == 0 { "POST" } else { "GET" }.to_owned();
        let url_path = format!("/{}", self.filler(30, Last::File));
        Ask {
            operation: "http.request".to_owned(),
            role: self.role(rule),
            strings: named([("host", host), ("scheme", scheme), ("method", method), ("url-path", url_path)]),
            numbers: vec![("port".to_owned(), 443), ("timeout".to_owned(), self.amount(5_000, 1 << 40))],
            flags: Vec::new(),
        }
    }

    fn branch(&mut self, rule: &PlainRule) -> Ask {
        let pattern = &rule.strings[0].patterns[0];
        let bytes = self.rng.usize(36..56);
        let reference = match self.how {
            How::FarMiss => format!("refs/tags/{}", self.filler(20, Last::Folder)),
            How::Hit | How::TooMuch => self.path_like(pattern, bytes),
            How::NearMiss => self.path_like(&changed(pattern), bytes),
        };
        Ask {
            operation: "git.push".to_owned(),
            role: self.role(rule),
            strings: named([("ref", reference), ("remote", "origin".to_owned())]),
            numbers: Vec::new(),
            flags: if self.how == How::TooMuch { vec!["force".to_owned()] } else { Vec::new() },
        }
    }

    /// A path that the pattern stands for, of so many bytes if the pattern leaves room for them.
    fn path_like(&mut self, pattern: &str, bytes: usize) -> String {
        let (before, after) = match pattern.split_once("**") {
            Some((before, after)) => (before, after.trim_start_matches('/')),
            None => (pattern, ""),
        };
        let after = after.replace('*', "module");
        let slash = usize::from(!after.is_empty());
        let room = bytes.saturating_sub(before.len() + after.len() + slash);
        if room < SEGMENT_BYTES_MIN {
            return format!("{}{after}", if after.is_empty() { before.trim_end_matches('/') } else { before });
        }
        let filler = self.filler(room, if after.is_empty() { Last::File } else { Last::Folder });
        if after.is_empty() { format!("{before}{filler}") } else { format!("{before}{filler}/{after}") }
    }

    /// Folders, or folders and a file, of exactly so many bytes.
    fn filler(&mut self, bytes: usize, last: Last) -> String {
        let mut path = String::with_capacity(bytes);
        while bytes - path.len() > SEGMENT_BYTES_MAX {
            path.push_str(&self.word());
            path.push('/');
        }
        let left = bytes - path.len();
        let ending = if last == Last::File && left > 4 { ".rs" } else { "" };
        path.extend((0..left - ending.len()).map(|_| char::from(self.rng.u8(b'a'..=b'z'))));
        path.push_str(ending);
        path
    }

    fn word(&mut self) -> String {
        WORDS[self.rng.usize(..WORDS.len())].to_owned()
    }

    fn operation(&mut self, rule: &PlainRule, usual: &[&str]) -> String {
        let possible: Vec<&&str> =
            usual.iter().filter(|name| rule.operations.iter().any(|known| known == **name)).collect();
        (*possible[self.rng.usize(..possible.len())]).to_owned()
    }

    fn role(&mut self, rule: &PlainRule) -> String {
        let drawn = self.rng.usize(..ROLES.len());
        let possible: Vec<&str> = ROLES.iter().copied().filter(|role| rule_is_about(rule, role)).collect();
        possible[drawn % possible.len()].to_owned()
    }

    fn amount(&mut self, usual: u64, too_much: u64) -> u64 {
        let drawn = self.rng.u64(1..usual);
        if self.how == How::TooMuch { too_much } else { drawn }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    File,
    Folder,
}

fn rule_is_about(rule: &PlainRule, role: &str) -> bool {
    rule.roles.as_ref().is_none_or(|roles| roles.iter().any(|known| known == role))
}

fn named<const N: usize>(strings: [(&str, String); N]) -> Vec<(String, String)> {
    strings.map(|(name, value)| (name.to_owned(), value)).to_vec()
}

/// The same length and one byte another: a number becomes one that no rule has.
fn changed(text: &str) -> String {
    let place = text.rfind(|c: char| c.is_ascii_digit()).expect("generated patterns are numbered");
    let mut changed = text.to_owned();
    changed.replace_range(place..=place, "x");
    changed
}

/// As paths of source trees are: a few short ones, most around fifty bytes, some long.
const PATH_BYTES: std::ops::Range<usize> = 24..92;
const SEGMENT_BYTES_MIN: usize = 1;
const SEGMENT_BYTES_MAX: usize = 14;
const ROLES: &[&str] = &["reader", "coder", "releaser"];
const WORDS: &[&str] = &[
    "api", "assets", "cache", "client", "commands", "common", "core", "engine", "handlers", "internal", "io", "json",
    "layout", "model", "net", "parser", "proto", "render", "server", "src", "store", "tests", "util", "widgets",
];
