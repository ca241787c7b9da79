//! Encoded requests -> what judging them takes: time beside the way by owned messages, memory for the largest
//! request, and how time grows with a list.

use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use enforce_core::judge::{Outcome, Refusal, judge};
use enforce_core::limits::{MAX_ARG_LEN, MAX_REPEATED_ITEMS, MAX_WRITE_SIZE};
use prost::Message;
use serde::{Deserialize, Serialize};
use tool_proto::tool_request::Tool;
use tool_proto::{FileWrite, ShellExec, ToolRequest};

use crate::child::{self, NoAnswer};
use crate::judging::Judging;
use crate::quantile::quantile;

/// What was measured.
pub(super) struct Times {
    /// Nanoseconds for a request, judged in place.
    pub(super) in_place: f64,
    /// By way of owned messages and facts that are numbered by hand.
    pub(super) owned: f64,
    /// By way of owned messages and facts by name.
    pub(super) named: f64,
    /// Time for each byte of the longest list, relative to half of it.
    pub(super) growth: f64,
    /// Memory that the largest request takes beside itself.
    pub(super) memory: Result<Extra, NoAnswer>,
}

/// What a child has measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Extra {
    pub(super) input_bytes: u64,
    /// The most that was resident, beyond what was when the input was there; nothing where no count is kept.
    pub(super) extra_bytes: Option<u64>,
}

impl Times {
    /// Measures everything. All three ways have to agree with the reference evaluator.
    pub(super) fn measure(judging: &Judging, turns: usize) -> Self {
        for (place, expected) in judging.permitted.iter().enumerate() {
            let answers = [judging.in_place(place), judging.owned(place), judging.named(place)];
            assert_eq!(answers, [*expected; 3], "request {place}");
        }
        let mut samples: [Vec<f64>; 3] = Default::default();
        for _ in 0..turns {
            let [in_place, owned, named] = &mut samples;
            in_place.push(time(judging.requests(), |place| judging.in_place(place)));
            owned.push(time(judging.requests(), |place| judging.owned(place)));
            named.push(time(judging.requests(), |place| judging.named(place)));
        }
        let [in_place, owned, named] = samples.map(|mut samples| quantile(&mut samples, 0.5));
        Self { in_place, owned, named, growth: growth(turns), memory: measure_memory() }
    }
}

/// Nanoseconds for a request.
fn time(requests: usize, judge: impl Fn(usize) -> bool) -> f64 {
    let start = Instant::now();
    for place in 0..requests {
        black_box(judge(place));
    }
    start.elapsed().as_secs_f64() * 1e9 / requests as f64
}

/// A command with the longest list there may be, against one with half of it.
fn growth(turns: usize) -> f64 {
    let entry = format!("A={}", "x".repeat(MAX_ARG_LEN - 2));
    let with = |entries: usize| {
        encoded(Tool::ShellExec(ShellExec {
            command: "ls".to_owned(),
            env: vec![entry.clone(); entries],
            ..ShellExec::default()
        }))
    };
    let (half, whole) = (with(MAX_REPEATED_ITEMS / 2), with(MAX_REPEATED_ITEMS));
    let each = |bytes: &[u8]| {
        let start = Instant::now();
        is_valid(bytes);
        start.elapsed().as_secs_f64() / bytes.len() as f64
    };
    let mut samples: Vec<f64> = (0..turns.min(LIST_TURNS)).map(|_| each(&whole) / each(&half)).collect();
    quantile(&mut samples, 0.5)
}

fn measure_memory() -> Result<Extra, NoAnswer> {
    let mut command = Command::new(child::this_program());
    command.arg("largest");
    child::answer(&mut command, TIME_MAX)
}

/// The child: the largest request there may be, read and validated.
pub(super) fn largest() -> String {
    let bytes = encoded(Tool::FileWrite(FileWrite {
        path: "a".to_owned(),
        content: vec![b'x'; MAX_WRITE_SIZE],
        create_only: false,
        append: false,
    }));
    // What encoding took is given back, and the count of the most starts again.
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = child::peak_bytes();
    is_valid(&bytes);
    let extra_bytes = before.zip(child::peak_bytes()).map(|(before, after)| after - before).filter(|_| is_reset);
    serde_json::to_string(&Extra { input_bytes: bytes.len() as u64, extra_bytes }).expect("JSON")
}

/// Judges a request that is valid, in a session that nobody knows: so far does what its size costs go.
fn is_valid(bytes: &[u8]) {
    match judge(black_box(bytes), |_| None, &mut [], &mut [], &mut |_| {}) {
        Outcome::Refuse(refused) if matches!(refused.refusal, Refusal::SenderUnknownSession) => {}
        outcome => panic!("a valid request, and {outcome:?}"),
    }
}

fn encoded(tool: Tool) -> Vec<u8> {
    let request = ToolRequest {
        request_id: "r".to_owned(),
        session_token: "t".to_owned(),
        dedupe_key: String::new(),
        tool: Some(tool),
    };
    request.encode_to_vec()
}

const LIST_TURNS: usize = 15;
const TIME_MAX: Duration = Duration::from_secs(60);
