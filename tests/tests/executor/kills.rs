//! The whole executor killed at any moment, with many acts under way: every file is whole, and everything that was
//! acknowledged is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use enforce_exec::files::{Recovery, Stop, recover};
use enforce_exec::{Executor, LoadedPolicy};
use exec_record::{Digest, Ending, Event, Ledger, Record, Settings};
use prost::Message as _;
use tempfile::TempDir;
use tool_proto::ToolRequest;

use crate::script::{CYCLE, Files, Step};
use crate::support::{ask, code, count, granted, loaded, now_ms, open_with, request, seen, whole};

#[test]
fn ctr_0009_ctr_0022_a_killed_executor_leaves_whole_files_and_all_it_acknowledged() {
    let kills = if std::env::var_os("INTERDICT_FAULTS").is_some() { KILLS_FULL } else { KILLS };
    let house = House::new();
    let mut random = fastrand::Rng::with_seed(SEED);
    let mut tally = Tally::default();
    let mut checked = 0;
    let mut runs: Vec<(u64, BTreeMap<usize, u64>)> = Vec::new();
    for run in 0..kills {
        let acknowledged = house.run_and_kill(run, &mut random);
        tally.acknowledged += acknowledged.iter().map(|(writer, next)| next - first(run, *writer)).sum::<u64>();
        runs.push((run, acknowledged));
        whole(&house.state());
        let (_, acknowledged) = runs.last().unwrap();
        house.check_files(run, acknowledged, When::Killed, &mut tally);
        // Sometimes the next one finds what two left.
        if random.u8(..4) > 0 || run + 1 == kills {
            house.restart(&mut tally);
            for (run, acknowledged) in runs.iter().skip(checked) {
                house.check_files(*run, acknowledged, When::Restarted, &mut Tally::default());
                fs::remove_dir_all(house.root().join(run.to_string())).unwrap();
            }
            checked = runs.len();
        }
        if (run + 1) % KILLS_SHOWN == 0 {
            println!("{} kills of {kills}", run + 1);
        }
    }
    house.check_ledger(&runs, &mut tally);
    house.repeat(&runs, &mut tally);
    println!("{kills} kills: {tally:?}");
    assert!(tally.acknowledged > kills && tally.interrupted > 0, "{kills} kills show little: {tally:?}");
}

/// When files are looked at: after a start, nothing is done in part.
#[derive(Debug, Clone, Copy)]
enum When {
    Killed,
    Restarted,
}

/// What a start found, as it counts.
#[derive(Debug, Default)]
struct Left {
    removed: AtomicU64,
    taken_back: AtomicU64,
}

/// What was seen.
#[derive(Debug, Default)]
struct Tally {
    acknowledged: u64,
    files_checked: u64,
    /// What a writer's last request came to that was not answered: nothing, all of it, or what can be left of it.
    not_done: u64,
    done_unanswered: u64,
    done_in_part: u64,
    taken_back: u64,
    records: u64,
    interrupted: u64,
    left_and_removed: u64,
    repeated: u64,
}

struct House {
    folder: TempDir,
    tokens: Vec<String>,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let mut house = Self { folder, tokens: Vec::new() };
        house.tokens = runtime().block_on(async {
            let (executor, ..) = house.executor();
            let mut tokens = Vec::new();
            for _ in 0..SESSIONS {
                let mut session = granted(&house.root(), &LOADED);
                session.expires_at_ms = now_ms() + 24 * 3_600_000;
                tokens.push(executor.create_session(session).await.unwrap().1.reveal());
            }
            executor.close().await.unwrap();
            tokens
        });
        house
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Starts on the state. How many acts were interrupted, and how many files and folders they left.
    fn executor(&self) -> (Executor, usize, Arc<Left>) {
        start(self.folder.path())
    }

    /// The step of each writer that was not answered before the kill: at a random moment from the start on.
    fn run_and_kill(&self, run: u64, random: &mut fastrand::Rng) -> BTreeMap<usize, u64> {
        let mut next: BTreeMap<usize, u64> = (0..WRITERS).map(|writer| (writer, first(run, writer))).collect();
        next.iter().for_each(|(writer, first)| self.prepare(run, *writer, *first));
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kills::an_executor_that_is_killed", "--nocapture"])
            .env(FOLDER, self.folder.path())
            .env(TOKENS, self.tokens.join(" "))
            .env(RUN, run.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut said = Vec::new();
        if random.u8(..5) > 0 {
            // It has started; now many acts are under way.
            said.extend(lines.find(|line| line.as_ref().is_ok_and(|line| line.starts_with("answered "))));
        }
        let reader = std::thread::spawn(move || lines.collect::<Vec<_>>());
        std::thread::sleep(Duration::from_micros(random.u64(..KILL_MICROS_MAX)));
        child.kill().unwrap();
        child.wait().unwrap();
        said.extend(reader.join().unwrap());
        for line in said.into_iter().map(Result::unwrap) {
            // The last line may be cut.
            let Some(line) = line.strip_prefix("answered ").and_then(|line| line.strip_suffix('.')) else { continue };
            let [writer, number, code] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (writer, number): (usize, u64) = (writer.parse().unwrap(), number.parse().unwrap());
            assert_eq!(code, Step::at(number, seed(run, writer)).code(), "run {run}, writer {writer}, step {number}");
            assert_eq!(next.insert(writer, number + 1), Some(number), "one answer for each, in their order");
        }
        next
    }

    /// The files as the steps before the first would have left them.
    fn prepare(&self, run: u64, writer: usize, first: u64) {
        for (path, content) in files_before(run, writer, first) {
            let path = self.root().join(place(run, writer)).join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }

    /// Starts on the same state, as whoever comes after a crash does.
    fn restart(&self, tally: &mut Tally) {
        let before = seen(&self.state());
        let unfinished = count(&before, "intent") - count(&before, "result") - count(&before, "interrupted");
        runtime().block_on(async {
            let (executor, interrupted, left) = self.executor();
            assert_eq!(interrupted, unfinished);
            tally.left_and_removed += left.removed.load(Ordering::SeqCst);
            tally.taken_back += left.taken_back.load(Ordering::SeqCst);
            executor.close().await.unwrap();
        });
        assert_eq!(temporary(&self.root()), Vec::<PathBuf>::new(), "something was left");
    }

    fn check_files(&self, run: u64, acknowledged: &BTreeMap<usize, u64>, when: When, tally: &mut Tally) {
        for (writer, answered) in acknowledged {
            let folder = self.root().join(place(run, *writer));
            let found: Files = walk(&folder)
                .into_iter()
                .map(|(path, content)| (path.strip_prefix(&folder).unwrap().to_str().unwrap().to_owned(), content))
                .filter(|(path, _)| !path.contains(".interdict-"))
                .collect();
            let (before, next) = (files_before(run, *writer, *answered), Step::at(*answered, seed(run, *writer)));
            let is_right = match when {
                When::Killed => next.may_leave(&before, &found),
                When::Restarted => found == before || found == next.done(&before),
            };
            assert!(
                is_right,
                "run {run}, writer {writer}, killed in step {answered}: {:?} are not {:?}",
                sizes(&found),
                sizes(&before)
            );
            tally.files_checked += found.len() as u64;
            match () {
                () if found == before => tally.not_done += 1,
                () if found == next.done(&before) => tally.done_unanswered += 1,
                () => tally.done_in_part += 1,
            }
        }
    }

    /// Whatever was answered is on the record, with the result that the answer told of.
    fn check_ledger(&self, runs: &[(u64, BTreeMap<usize, u64>)], tally: &mut Tally) {
        tally.records = whole(&self.state()).records;
        let mut records: Vec<Record> = Vec::new();
        Ledger::open(&self.state()).unwrap().each(|record, _| records.push(record)).unwrap();
        let (mut intents, mut refused) = (BTreeMap::new(), BTreeSet::new());
        let (mut done, mut interrupted) = (BTreeSet::new(), BTreeSet::new());
        for record in &records {
            let chain = record.chain;
            match &record.event {
                Event::Intent(intent) => {
                    let before = intents.insert(intent.judged.request, (chain, record.sequence));
                    assert_eq!(before, None, "done twice");
                }
                Event::Result(outcome) => {
                    assert_eq!(outcome.ending, Ending::Done, "{outcome:?}");
                    assert!(done.insert((chain, outcome.intent)));
                }
                Event::Interrupted(event) => assert!(interrupted.insert((chain, event.intent))),
                Event::Refused(event) => drop(refused.insert(event.judged.request)),
                _ => {}
            }
        }
        assert_eq!(intents.len(), done.len() + interrupted.len(), "each act has one end");
        assert!(done.is_disjoint(&interrupted));
        for (run, acknowledged) in runs {
            for (writer, answered) in acknowledged {
                for number in first(*run, *writer)..*answered {
                    let request = self.request(*run, *writer, number);
                    let digest = digest(&request);
                    let is_there = intents.get(&digest).is_some_and(|intent| done.contains(intent));
                    let is_denied = Step::at(number, seed(*run, *writer)).code() != "DONE";
                    let is_refused = refused.contains(&Digest::of(&request.encode_to_vec()));
                    assert!(if is_denied { is_refused } else { is_there }, "{run} {writer} {number}");
                }
            }
        }
        tally.interrupted = interrupted.len() as u64;
    }

    /// What has a key and was answered is answered again and not done again; what was interrupted is not done either.
    fn repeat(&self, runs: &[(u64, BTreeMap<usize, u64>)], tally: &mut Tally) {
        runtime().block_on(async {
            let (executor, ..) = self.executor();
            for (run, acknowledged) in runs {
                for (writer, answered) in acknowledged {
                    for number in (first(*run, *writer)..*answered).filter(|number| has_key(*number)) {
                        let step = Step::at(number, seed(*run, *writer));
                        let again = ask(&executor, &self.request(*run, *writer, number)).await;
                        assert_eq!(code(&again), step.code(), "{again:?}");
                        tally.repeated += 1;
                    }
                }
            }
            executor.close().await.unwrap();
        });
        assert!(walk(&self.root()).is_empty(), "a repetition was done again");
    }

    fn request(&self, run: u64, writer: usize, number: u64) -> ToolRequest {
        step_request(&self.tokens, run, writer, number)
    }
}

/// Started by the test above: writers ask, one request after the other, and say what was answered, until somebody kills them.
#[test]
fn an_executor_that_is_killed() {
    let (Ok(folder), Ok(tokens), Ok(run)) = (std::env::var(FOLDER), std::env::var(TOKENS), std::env::var(RUN)) else {
        return;
    };
    let (folder, run): (&Path, u64) = (folder.as_ref(), run.parse().unwrap());
    let tokens: Vec<String> = tokens.split(' ').map(str::to_owned).collect();
    runtime().block_on(async {
        let (executor, ..) = start(folder);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let (executor, tokens) = (executor.clone(), tokens.clone());
                tokio::spawn(async move {
                    for number in first(run, writer).. {
                        let response = ask(&executor, &step_request(&tokens, run, writer, number)).await;
                        let line = format!("answered {writer} {number} {}.\n", code(&response));
                        std::io::stdout().write_all(line.as_bytes()).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
    });
}

fn step_request(tokens: &[String], run: u64, writer: usize, number: u64) -> ToolRequest {
    let name = format!("{run}-{writer}-{number}");
    let key = if has_key(number) { name.as_str() } else { "" };
    let tool = Step::at(number, seed(run, writer)).tool(&place(run, writer));
    ToolRequest { request_id: name.clone(), ..request(&tokens[writer % tokens.len()], key, tool) }
}

/// What the ledger names a request by.
fn digest(request: &ToolRequest) -> Digest {
    if request.dedupe_key.is_empty() {
        return Digest::of(&request.encode_to_vec());
    }
    let nameless = ToolRequest { request_id: String::new(), session_token: String::new(), ..request.clone() };
    Digest::of(&nameless.encode_to_vec())
}

fn has_key(number: u64) -> bool {
    number.is_multiple_of(3) && Step::at(number, 0).code() == "DONE"
}

/// A writer's folder in the root.
fn place(run: u64, writer: usize) -> String {
    format!("{run}/{writer}")
}

/// Where a writer starts: all kinds of steps are under way when a kill comes.
fn first(run: u64, writer: usize) -> u64 {
    (run * 3 + writer as u64 * 5) % CYCLE
}

fn files_before(run: u64, writer: usize, number: u64) -> Files {
    (0..number).fold(Files::new(), |files, number| Step::at(number, seed(run, writer)).done(&files))
}

fn seed(run: u64, writer: usize) -> u64 {
    run * 1_000 + writer as u64
}

fn start(folder: &Path) -> (Executor, usize, Arc<Left>) {
    let left = Arc::new(Left::default());
    let state = folder.join("state");
    let ending = {
        let (left, state) = (Arc::clone(&left), state.clone());
        move |roots: &BTreeSet<String>| {
            for recovery in recover(&state, roots, &Stop::on_request()) {
                match recovery {
                    Recovery::Removed { entries, .. } => left.removed.fetch_add(entries as u64, Ordering::SeqCst),
                    Recovery::Undone { .. } => left.taken_back.fetch_add(1, Ordering::SeqCst),
                    other => panic!("{other}"),
                };
            }
        }
    };
    let settings = Settings { tidy: Arc::new(ending), ..Settings::default() };
    let (parts, recovered) = open_with(&folder.join("root"), &state, &LOADED, settings);
    (Executor::new(parts), recovered.interrupted, left)
}

/// Temporary files and folders.
fn temporary(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(".interdict-") {
            found.push(entry.path());
        } else if entry.file_type().unwrap().is_dir() {
            found.extend(temporary(&entry.path()));
        }
    }
    found
}

/// Every file below a folder with its content.
fn walk(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            let content = fs::read(&path).unwrap();
            found.insert(path, content);
        }
    }
    found
}

fn sizes(files: &Files) -> BTreeMap<&String, usize> {
    files.iter().map(|(path, content)| (path, content.len())).collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
}

const RULES: &str = "rule all: allow anyone to file.*, fs.*\n\
                     rule vault: deny anyone to file.write where path in \"**/vault\"";
/// What is loaded stays, so it is loaded once.
static LOADED: LazyLock<LoadedPolicy> = LazyLock::new(|| loaded(RULES));
/// Writers at the same time, and the sessions that they share.
const WRITERS: usize = 8;
const SESSIONS: usize = 3;
const KILL_MICROS_MAX: u64 = 300_000;
const SEED: u64 = 9;
/// How often the executor is killed, and how often with `INTERDICT_FAULTS`.
const KILLS: u64 = 8;
const KILLS_FULL: u64 = 200;
/// Whoever waits is told after as many.
const KILLS_SHOWN: u64 = 20;
const FOLDER: &str = "INTERDICT_TEST_FOLDER";
const TOKENS: &str = "INTERDICT_TEST_TOKENS";
const RUN: &str = "INTERDICT_TEST_RUN";
