//! A process that is killed at any moment: its ledger is whole, and every result that it was told of is there.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use super::support::{finish, granted, keyed, whole};
use crate::ledger::Event;
use crate::state::Ledger;
use crate::state::{Begun, Settings, SqliteState, State};

#[test]
fn trust_audit_a_killed_process_leaves_a_whole_ledger_with_all_it_acknowledged() {
    let kills = if std::env::var_os("INTERDICT_FAULTS").is_some() { 200 } else { KILLS };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (state, _) = SqliteState::open(&path).unwrap();
    let token = runtime.block_on(async {
        let (_, token) = state.create_session(lasting()).await.unwrap();
        state.close().await.unwrap();
        token.reveal()
    });
    let mut acknowledged: Vec<(String, u64)> = Vec::new();
    let mut random = fastrand::Rng::with_seed(SEED);
    for kill in 0..kills {
        acknowledged.extend(run_and_kill(&path, &token, kill, &mut random));
        let verified = whole(&path);
        assert!(verified.records > 0);
        if (kill + 1) % KILLS_SHOWN == 0 {
            println!("{} kills of {kills}", kill + 1);
        }
    }
    assert!(acknowledged.len() > kills, "{} results in {kills} runs show little", acknowledged.len());

    let (state, _) = SqliteState::open(&path).unwrap();
    let mut records = Vec::new();
    Ledger::open(&path).unwrap().each(|record, _| records.push(record)).unwrap();
    let finished: std::collections::BTreeSet<u64> = super::support::finished(&records).into_iter().collect();
    for (key, number) in &acknowledged {
        assert!(finished.contains(number), "{key}");
    }
    // Each intent has exactly one end.
    let count = |wanted: &str| records.iter().filter(|record| record.event.kind() == wanted).count();
    assert_eq!(count("intent"), count("result") + count("interrupted"));
    assert!(count("interrupted") > 0, "no run was killed within an act");
    runtime.block_on(async {
        let id = state.session(&token).await.unwrap().unwrap().id;
        for (key, _) in acknowledged.iter().step_by(17) {
            let begun = state.begin(keyed(id, key, key)).await.unwrap();
            assert!(matches!(begun, Begun::Repeat(answer) if answer == super::support::placed(key)), "{key}");
        }
        state.close().await.unwrap();
    });
    println!(
        "{kills} kills: {} records, {} results acknowledged, {} acts interrupted",
        records.len(),
        acknowledged.len(),
        count("interrupted")
    );
    let sessions = records.iter().filter(|record| matches!(record.event, Event::Created(_))).count();
    assert_eq!(sessions, 1);
}

/// What one run said was recorded before it was killed: at a random moment from its start on, or behind a random result.
fn run_and_kill(path: &Path, token: &str, run: usize, random: &mut fastrand::Rng) -> Vec<(String, u64)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "state::tests::crash::a_process_that_is_killed", "--nocapture"])
        .env(FOLDER, path)
        .env(TOKEN, token)
        .env(RUN, run.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    if random.bool() {
        for _ in 0..random.usize(1..40) {
            said.extend(lines.next());
        }
    }
    std::thread::sleep(Duration::from_micros(random.u64(0..20_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    said.extend(lines);
    let acknowledged = said.into_iter().map(Result::unwrap).filter_map(|line| {
        let (key, number) = line.strip_prefix("recorded ")?.split_once(' ')?;
        // The last line may be cut.
        Some((key.to_owned(), number.strip_suffix('.')?.parse().unwrap()))
    });
    acknowledged.collect()
}

/// Started by the test above: four tasks act, and say what is recorded, until somebody kills them.
#[test]
fn a_process_that_is_killed() {
    let (Some(folder), Ok(token), Ok(run)) = (std::env::var_os(FOLDER), std::env::var(TOKEN), std::env::var(RUN))
    else {
        return;
    };
    let settings = Settings { checkpoint_records: 16, ..Settings::default() };
    let (state, _) = SqliteState::open_with(Path::new(&folder), settings).unwrap();
    let state: Arc<dyn State> = Arc::new(state);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let id = state.session(&token).await.unwrap().unwrap().id;
        let tasks: Vec<_> = (0..4)
            .map(|task| {
                let (state, run) = (Arc::clone(&state), run.clone());
                tokio::spawn(async move {
                    for act in 0..500 {
                        let key = format!("{run}-{task}-{act}");
                        let Begun::Fresh(act) = state.begin(keyed(id, &key, &key)).await.unwrap() else { panic!() };
                        let number = act.number();
                        act.finish(finish(&key)).await.unwrap();
                        std::io::stdout().write_all(format!("recorded {key} {number}.\n").as_bytes()).unwrap();
                        state.refuse(Some(id), super::support::refused(&key)).await.unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
}

fn lasting() -> crate::state::NewSession {
    crate::state::NewSession { expires_at_ms: u64::MAX, ..granted() }
}

const KILLS: usize = 50;
/// Whoever waits is told after as many.
const KILLS_SHOWN: usize = 20;
const SEED: u64 = 6;
const FOLDER: &str = "INTERDICT_TEST_FOLDER";
const TOKEN: &str = "INTERDICT_TEST_TOKEN";
const RUN: &str = "INTERDICT_TEST_RUN";
