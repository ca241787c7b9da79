//! What nobody should send: a value each time, never a panic, and never a permit for what is not valid.

use std::time::{Duration, Instant};

use enforce_core::judge::{Approval, Layer, Outcome, Scope, Session, judge};
use enforce_core::path::Root;
use enforce_core::wire::Request;
use enforce_core::{Policy, Verdict};
use fastrand::Rng;
use prost::Message;
use serde_json::Value;
use tool_proto::testing;
use tool_proto::tool_request::Tool;
use tool_proto::{FileRead, FsMove, GitOperation, HttpRequest, ShellExec};

use crate::bench::{Frozen, encoded};
use crate::mutations::mutate;

/// A policy that lets everything happen, so that only the judge itself stands in the way.
fn open_policy() -> Frozen {
    Frozen::new(
        "tool jira { op search(project: string, max: int) op attach(file: path) }
         tool dice(min: int)
         rule all: allow anyone to file.*, fs.*, shell.inline, pytest.*, proc.*, http.*, git.*, ast.*, inference.*, \
         artifact.*, validate.*, metrics.*, jira.*, dice
         rule complex: allow anyone to shell.exec where complex
         rule plain: allow anyone to shell.exec where not complex",
    )
}

/// Judges each of these; how many are permitted.
fn permitted(requests: impl Iterator<Item = Vec<u8>>) -> usize {
    let policy = open_policy();
    let table = policy.table();
    let bound = Policy::new(&table).unwrap();
    let layers = [Layer { policy: &bound, roles: &[] }];
    let session = Session {
        root: Root::new(b"/workspace").unwrap(),
        working_directory: b"",
        scope: Scope::Everything,
        layers: &layers,
        approval: Approval::Missing,
    };
    let mut buffer = vec![0; 1 << 20];
    let mut obligations = [None; 64];
    let mut permits = 0;
    for bytes in requests {
        let mut verdicts = Vec::new();
        let outcome = judge(&bytes, |_| Some(session), &mut buffer, &mut obligations, &mut |judged| {
            verdicts.push(judged.decision.verdict());
        });
        if let Outcome::Permit(offer) = outcome {
            let (obligations, permit) = offer.accept();
            assert!(obligations.rules().count() > 0);
            permits += 1;
            // Nothing invalid is permitted, and nothing that was not allowed, target by target.
            assert_eq!(Request::read(&bytes).as_ref(), Ok(permit.request()));
            enforce_core::validate::validate(permit.request(), &mut |violation| panic!("{violation:?} {bytes:02x?}"));
            assert!(!verdicts.is_empty() && verdicts.iter().all(|verdict| *verdict == Verdict::Allow));
        }
    }
    permits
}

#[test]
fn trust_flow_a_million_mutated_messages_are_judged_and_nothing_invalid_is_permitted() {
    const COUNT: usize = 1_000_000;
    let mut rng = Rng::with_seed(7);
    let mut bytes = Vec::new();
    let requests = (0..COUNT).map(|round| {
        if round % 3 == 0 || bytes.len() > 4_096 {
            bytes = testing::valid_request(&mut rng).encode_to_vec();
            bytes.truncate(4_096);
        } else {
            mutate(&mut rng, &mut bytes);
        }
        bytes.clone()
    });
    let permits = permitted(requests);
    assert!(permits > COUNT / 20, "only {permits} of {COUNT} were permitted");
}

#[test]
fn every_case_of_the_corpus_is_judged_wherever_it_can_stand() {
    let files = [include_str!("../../corpus/attacks.jsonl"), include_str!("../../corpus/additions.jsonl")];
    let cases: Vec<Value> =
        files.iter().flat_map(|file| file.lines()).map(|line| serde_json::from_str(line).unwrap()).collect();
    let texts: Vec<String> = cases.iter().filter_map(|case| case["input"].as_str().map(str::to_owned)).collect();
    assert!(texts.len() > 800, "only {} cases", texts.len());
    let git = |operation: &str, text: &str| {
        let (operation, args) = (operation.to_owned(), vec![text.to_owned(), "main".to_owned()]);
        Tool::GitOp(GitOperation { operation, args, cwd: String::new() })
    };
    let requests = texts.iter().flat_map(|text| {
        let text = text.as_str();
        [
            Tool::FileRead(FileRead { path: text.to_owned(), offset: 0, limit: 0 }),
            Tool::FsMove(FsMove { src: "a".to_owned(), dst: text.to_owned(), overwrite: false }),
            Tool::ShellExec(ShellExec { command: text.to_owned(), ..ShellExec::default() }),
            Tool::HttpRequest(HttpRequest { method: "GET".to_owned(), url: text.to_owned(), ..HttpRequest::default() }),
            git("PUSH", text),
            git("ADD", text),
            git("CLONE", text),
            git("LOG", text),
        ]
        .map(encoded)
    });
    let permits = permitted(requests);
    assert!(permits > texts.len(), "only {permits} were permitted");
}

#[test]
fn a_request_of_a_hundred_megabytes_and_a_long_list_are_judged_in_time_linear_to_them() {
    let time = |entries: usize| {
        let env = vec![format!("A={}", "x".repeat(32_766)); entries];
        let bytes = encoded(Tool::ShellExec(ShellExec { command: "ls".to_owned(), env, ..ShellExec::default() }));
        let start = Instant::now();
        assert_eq!(permitted(std::iter::once(bytes)), 1);
        start.elapsed()
    };
    // Opening the table is part of both, so this only catches what is far from linear.
    let (half, whole) = (time(500).max(Duration::from_millis(5)), time(1_000));
    assert!(whole < half * 8, "{half:?} for half of it, {whole:?} for all");
}
