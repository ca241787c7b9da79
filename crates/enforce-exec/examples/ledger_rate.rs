//! How fast refusals and acts are recorded durably, and how long each waits.
//!
//! `cargo run --release -p enforce-exec --example ledger_rate -- [PRODUCERS] [RECORDS] [FOLDER]`. For one core, put
//! `taskset -c 0` before the program that is built.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use enforce_core::Verdict;
use enforce_exec::ledger::{self, Digest, Ending, Judged, Ledger, Refused, Text};
use enforce_exec::state::{Begin, Begun, Finish, NewSession, Scope, SessionId, SqliteState, State};
use enforce_exec::store::{Inline, Placed};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut arguments = std::env::args().skip(1);
    let producers = arguments.next().map_or(Ok(PRODUCERS), |text| text.parse())?;
    let records = arguments.next().map_or(Ok(RECORDS), |text| text.parse())?;
    let folder = arguments.next().unwrap_or_else(|| std::env::temp_dir().display().to_string());
    let path = Path::new(&folder).join(format!("ledger-rate-{}", std::process::id()));
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let measured = runtime.block_on(measure(&path, producers, records));
    std::fs::remove_dir_all(&path)?;
    measured
}

async fn measure(path: &Path, producers: usize, records: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let (state, _) = SqliteState::open(path)?;
    let state: Arc<dyn State> = Arc::new(state);
    let session = NewSession {
        roles: vec!["coder".to_owned()],
        scope: Scope::Everything,
        working_directory: String::new(),
        root: "/srv/project".to_owned(),
        expires_at_ms: u64::MAX,
        budgets: Vec::new(),
        tables: vec![Digest::of(b"table")],
    };
    let (session, _) = state.create_session(session).await?;
    for kind in [Kind::Refusal, Kind::Act] {
        let each = records / producers;
        let start = Instant::now();
        let tasks: Vec<_> =
            (0..producers).map(|_| tokio::spawn(produce(Arc::clone(&state), session, kind, each))).collect();
        let mut waits: Vec<Duration> = Vec::new();
        for task in tasks {
            waits.extend(task.await??);
        }
        let seconds = start.elapsed().as_secs_f64();
        waits.sort_unstable();
        let at = |part: usize| waits.get(waits.len() * part / 100).copied().unwrap_or_default();
        println!(
            "{kind:?}: {} by {producers} producers in {seconds:.2} s: {:.0} a second, median {:.2?}, p99 {:.2?}",
            waits.len(),
            f64::from(u32::try_from(waits.len())?) / seconds,
            at(50),
            at(99),
        );
    }
    let digest = state.close().await?;
    let start = Instant::now();
    match Ledger::open(path)?.verify(Some(&digest))? {
        ledger::Verdict::Whole(verified) => {
            println!("verified {} records in {:.2?}", verified.records, start.elapsed());
            Ok(())
        }
        ledger::Verdict::Broken(faults) => Err(format!("the ledger is broken: {faults:?}").into()),
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Refusal,
    Act,
}

async fn produce(
    state: Arc<dyn State>,
    session: SessionId,
    kind: Kind,
    count: usize,
) -> Result<Vec<Duration>, Box<dyn Error + Send + Sync>> {
    let mut waits = Vec::with_capacity(count);
    for number in 0..count {
        let start = Instant::now();
        let judged = judged(&number.to_le_bytes(), kind);
        match kind {
            Kind::Refusal => state.refuse(Some(session), Refused { judged, response: Digest::of(b"denied") }).await?,
            Kind::Act => {
                let begin = Begin { session, key: None, charges: Vec::new(), judged };
                let Begun::Fresh(act) = state.begin(begin).await? else { return Err("not begun".into()) };
                act.finish(finish()?).await?;
            }
        }
        waits.push(start.elapsed());
    }
    Ok(waits)
}

fn judged(request: &[u8], kind: Kind) -> Judged {
    let (verdict, code) = match kind {
        Kind::Refusal => (Verdict::Deny, "SECRET_PATH"),
        Kind::Act => (Verdict::Allow, "ALLOWED"),
    };
    Judged {
        request: Digest::of(request),
        operation: Text::new("file.read"),
        targets: vec![Text::new("src/generated/configuration/.env.production")],
        verdict,
        rule: Text::new("secret-files"),
        code: Text::new(code),
        facts: vec![Text::new("path \"src/main.rs\"")],
        tables: vec![Digest::of(b"table")],
    }
}

fn finish() -> Result<Finish, &'static str> {
    let response = Inline::new(vec![7; 4_096]).map_err(|_| "too large")?;
    Ok(Finish {
        reached: enforce_exec::state::Reaches::default(),
        ending: Ending::Done,
        code: Text::new("OK"),
        response: Placed::Inline(response),
        duration_ms: 1,
        files: 1,
        bytes: 4_096,
        settle: Vec::new(),
    })
}

const PRODUCERS: usize = 512;
const RECORDS: usize = 200_000;
