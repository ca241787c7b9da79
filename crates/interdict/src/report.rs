//! Evidence: a fixed workflow and fixed attacks, asked of this program -> what it did (INVOKE-REPORT).
//!
//! The commands are those a person would type; this starts them in a new folder and looks at what they said and at what
//! is there afterwards. On one machine, two reports are the same byte for byte: what no two runs have in common (the
//! folder's name, times) is marked.

mod checks;
mod markdown;
mod ran;
mod scene;

use std::io;
use std::path::Path;

use serde_json::{Value, json};
use tool_json::OUTPUT_BYTES_MAX;

use checks::{Check, Field, at};
use ran::{Ran, settled};
use scene::{ASKS, POLICY, ROOT, SECRET, Scene};

/// What was done, and what it shows.
pub(crate) struct Report {
    commands: Vec<Shown>,
    /// Path, bytes, SHA-256; in order.
    files: Vec<(String, u64, String)>,
    schema: Vec<Field>,
    containment: Vec<Check>,
    cap: Vec<Check>,
    behaviour: Vec<Check>,
}

/// A command and what it said, as it is shown.
struct Shown {
    command: String,
    input: Vec<&'static str>,
    output: Vec<String>,
    errors: Vec<String>,
    code: Option<i32>,
}

/// Every command that ran.
struct Runs {
    main: Ran,
    no_root: Ran,
    missing_root: Ran,
    file_root: Ran,
    ledger: Ran,
    doctor: Ran,
    answers: Vec<Value>,
    /// What each answer about a file has to say of it.
    files: Vec<(&'static str, String)>,
    outside_before: String,
    outside_after: String,
}

impl Report {
    /// Runs everything, without the layers that may be missing if they are. `progress` hears of each command before it starts.
    pub(crate) fn new(accepted: &[&str], progress: impl Fn(&str)) -> io::Result<Self> {
        let scene = Scene::new()?;
        let folder = scene.path();
        let start = |arguments: &[&str], input: Vec<&'static str>| {
            progress(&arguments.join(" "));
            Ran::new(folder, arguments, input)
        };
        let accepted: Vec<&str> = accepted.iter().flat_map(|layer| ["--accept-missing", layer]).collect();
        let run = |root: &[&'static str]| {
            let run = [["run", "--policy", POLICY].as_slice(), root, &["--state", "state", "--role", "tester"]];
            [run.concat().as_slice(), &accepted].concat()
        };
        let lines: Vec<&'static str> = ASKS.iter().map(|ask| ask.line).collect();
        let first: Vec<&'static str> = lines.iter().take(1).copied().collect();
        let outside_before = checks::outside(folder)?;
        let main = start(&run(&["--root", ROOT]), lines)?;
        let outside_after = checks::outside(folder)?;
        let runs = Runs {
            answers: main.raw.iter().map(|line| serde_json::from_str(line).unwrap_or_default()).collect(),
            main,
            files: checks::expected_files(folder),
            no_root: start(&run(&[]), first.clone())?,
            missing_root: start(&run(&["--root", "missing"]), first.clone())?,
            file_root: start(&run(&["--root", SECRET]), first)?,
            ledger: start(&["ledger", "verify", "--state", "state"], Vec::new())?,
            doctor: start(&[["doctor"].as_slice(), &accepted].concat(), Vec::new())?,
            outside_before,
            outside_after,
        };
        Ok(Self::of(&runs, folder))
    }

    fn of(runs: &Runs, folder: &Path) -> Self {
        let commands = [&runs.main, &runs.no_root, &runs.missing_root, &runs.file_root, &runs.ledger, &runs.doctor];
        Self {
            commands: commands.map(|ran| Shown::new(ran, folder)).into(),
            files: files(&runs.answers),
            schema: checks::schema(ASKS, &runs.main.raw),
            containment: checks::containment(runs),
            cap: checks::cap(runs),
            behaviour: checks::behaviour(runs),
        }
    }

    /// Whether everything is as it has to be.
    pub(crate) fn holds(&self) -> bool {
        self.checks().all(|(_, check)| check.holds()) && self.schema.iter().all(Field::holds)
    }

    /// For people.
    pub(crate) fn markdown(&self) -> String {
        markdown::write(self)
    }

    /// For programs.
    pub(crate) fn json(&self) -> Value {
        let commands = self.commands.iter().map(|shown| {
            json!({
                "command": shown.command, "input": shown.input, "output": shown.output, "errors": shown.errors,
                "exit_code": shown.code,
            })
        });
        let fields = self.schema.iter().map(|field| {
            json!({
                "field": field.name, "type": field.kind, "answers": field.answers, "have_it": field.have_it,
                "holds": field.holds(),
            })
        });
        let checks = self.checks().map(|(group, check)| {
            json!({
                "group": group, "name": check.name, "expected": check.expected, "found": check.found,
                "holds": check.holds(),
            })
        });
        let files = self.files.iter();
        let files = files.map(|(path, size, hash)| json!({ "path": path, "size_bytes": size, "sha256": hash }));
        json!({
            "holds": self.holds(),
            "commands": commands.collect::<Vec<_>>(),
            "files": files.collect::<Vec<_>>(),
            "schema": fields.collect::<Vec<_>>(),
            "output_bytes_max": OUTPUT_BYTES_MAX,
            "checks": checks.collect::<Vec<_>>(),
        })
    }

    fn checks(&self) -> impl Iterator<Item = (&'static str, &Check)> {
        let groups = [("containment", &self.containment), ("cap", &self.cap), ("behaviour", &self.behaviour)];
        groups.into_iter().flat_map(|(group, checks)| checks.iter().map(move |check| (group, check)))
    }
}

impl Runs {
    /// What was answered to the line of this name.
    fn answer(&self, name: &str) -> &Value {
        let place = ASKS.iter().position(|ask| ask.name == name);
        place.and_then(|place| self.answers.get(place)).unwrap_or(&Value::Null)
    }
}

impl Shown {
    fn new(ran: &Ran, folder: &Path) -> Self {
        Self {
            command: ran.command.clone(),
            input: ran.input.clone(),
            output: ran.raw.iter().map(|line| settled(line, folder)).collect(),
            errors: settled(&ran.errors, folder).lines().map(str::to_owned).collect(),
            code: ran.code,
        }
    }
}

/// Every file that an answer names, as it was last.
fn files(answers: &[Value]) -> Vec<(String, u64, String)> {
    let mut files = std::collections::BTreeMap::new();
    for effect in answers.iter().flat_map(checks::files) {
        let (path, hash) = (at(effect, "/path").as_str(), at(effect, "/sha256").as_str());
        if let (Some(path), Some(size), Some(hash)) = (path, at(effect, "/size_bytes").as_u64(), hash) {
            files.insert(path.to_owned(), (size, hash.to_owned()));
        }
    }
    files.into_iter().map(|(path, (size, hash))| (path, size, hash)).collect()
}
