//! Requests of every kind: done once, answered once, on the record.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use exec_record::{ContentStore, Digest, Event, Ledger, NewSession, SqliteState, State as _};
use prost::Message as _;
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;
use tool_proto::{ArtifactPublish, FilePatch, HttpRequest, ShellExec, ToolCall};
use tool_proto::{ToolRequest, testing};

use crate::mutations::mutate;
use crate::support::{ALL, Running, append, code, kinds, message, now_ms, read, run};

/// What is held is the folder that was opened at the start: who can replace it gives commands nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn trust_proc_commands_get_no_other_folder_that_has_taken_the_roots_path() {
    let running = Running::new(ALL).await;
    let (root, moved) = (running.root(), running.folder.path().join("moved"));
    assert_eq!(code(&running.ask(&running.request("a", run("touch made"))).await), "DONE");
    fs::rename(&root, &moved).unwrap();
    for other in ["a link to all around it", "a folder"] {
        match other {
            "a folder" => fs::create_dir(&root).unwrap(),
            _ => std::os::unix::fs::symlink(running.folder.path(), &root).unwrap(),
        }
        let response = running.ask(&running.request(other, run("touch out"))).await;
        assert_eq!(
            (code(&response), message(&response)),
            ("COMMAND_FAILED", "the root is not where it was"),
            "{other}"
        );
        fs::remove_file(&root).or_else(|_| fs::remove_dir(&root)).unwrap();
    }
    assert!(moved.join("made").exists() && !moved.join("out").exists());
    assert!(!running.folder.path().join("out").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0003_a_repeat_under_its_key_is_answered_and_not_done_again() {
    let running = Running::new(ALL).await;
    let first = running.ask(&running.request("k", append("a", "x"))).await;
    let again = ToolRequest { request_id: "other".to_owned(), ..running.request("k", append("a", "x")) };
    let second = running.ask(&again).await;
    assert_eq!((first.result.clone(), second.request_id.as_str()), (second.result, "other"));
    assert_eq!(fs::read_to_string(running.root().join("a")).unwrap(), "x");
    let different = running.ask(&running.request("k", append("a", "y"))).await;
    assert_eq!(code(&different), "DEDUPE_KEY_REUSED");
    assert_eq!(fs::read_to_string(running.root().join("a")).unwrap(), "x");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0003_concurrent_duplicates_are_done_once_and_all_answered() {
    let running = Arc::new(Running::new(ALL).await);
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let running = Arc::clone(&running);
            tokio::spawn(async move { running.ask(&running.request("k", append("a", "x"))).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(code(&task.await.unwrap()), "DONE");
    }
    assert_eq!(fs::read_to_string(running.root().join("a")).unwrap(), "x");
}

/// What comes in may be no request at all, one that was cut or goes on, or one of any tool that is almost right.
#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_ten_thousand_requests_of_garbage_have_ten_thousand_responses() {
    let running = Running::new(ALL).await;
    let mut rng = fastrand::Rng::with_seed(22);
    let mut codes: BTreeMap<&str, BTreeMap<String, u32>> = BTreeMap::new();
    let mut answers = Vec::new();
    for number in 0..10_000 {
        let (kind, bytes) = garbage(&mut rng, number, &running.token);
        let executor = running.executor.clone();
        answers.push((kind, tokio::spawn(async move { executor.handle(bytes).await })));
        if answers.len() == 200 {
            for (kind, answer) in answers.drain(..) {
                let response = answer.await.unwrap().into_message();
                *codes.entry(kind).or_default().entry(code(&response).to_owned()).or_default() += 1;
            }
        }
    }
    assert!(answers.is_empty());
    let count = |kind: &str| codes[kind].values().sum::<u32>();
    println!("{codes:#?}");
    assert_eq!([count("noise"), count("length"), count("change")], [3_334, 3_333, 3_333]);
    // Noise, a part and a whole with something behind it are never requests.
    for kind in ["noise", "length"] {
        assert_eq!(codes[kind].keys().collect::<Vec<_>>(), ["VALIDATION_FAILED"], "{kind}");
    }
    // Of what was changed some still is one: of no session, denied, done, or failing at it.
    for code in ["VALIDATION_FAILED", "SESSION_UNKNOWN", "AST_QUERY_DENIED", "PATH_ESCAPE", "DONE", "NOT_FOUND"] {
        assert!(codes["change"].contains_key(code), "nothing came to {code}: {codes:#?}");
    }
    assert!(codes["change"].len() > 20, "{codes:#?}");
    // A session and its checkpoints beside them; what was permitted has two.
    assert!(running.verify().await.len() > 10_000);
}

/// In turn: bytes without a meaning, a valid request that is shorter or longer, and one that was changed.
fn garbage(rng: &mut fastrand::Rng, number: usize, token: &str) -> (&'static str, Vec<u8>) {
    // Without a key: what was answered before would be answered again.
    let valid =
        ToolRequest { session_token: token.to_owned(), dedupe_key: String::new(), ..testing::valid_request(rng) };
    let mut bytes = valid.encode_to_vec();
    match number % 3 {
        0 => ("noise", (0..rng.usize(0..=4 << 10)).map(|_| rng.u8(..)).collect()),
        1 => {
            match rng.bool() {
                true => bytes.truncate(rng.usize(0..bytes.len())),
                false => bytes.extend((0..rng.usize(1..64)).map(|_| rng.u8(..))),
            }
            ("length", bytes)
        }
        _ => {
            for _ in 0..rng.usize(1..4) {
                mutate(rng, &mut bytes);
            }
            ("change", bytes)
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_session_unknown_expired_and_malformed_tokens_are_refused_alike() {
    let running = Running::with(ALL, |session| NewSession { expires_at_ms: now_ms() + 1, ..session }).await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let expired = running.ask(&running.request("", read("a"))).await;
    let unknown = ToolRequest { session_token: "0".repeat(64), ..running.request("", read("a")) };
    let odd = ToolRequest { session_token: "x".to_owned(), ..running.request("", read("a")) };
    assert_eq!(code(&expired), "SESSION_UNKNOWN");
    assert_eq!([running.ask(&unknown).await, running.ask(&odd).await], [expired.clone(), expired]);
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_audit_every_request_and_its_response_is_on_the_record() {
    let running = Running::new("rule read: allow coder to file.read where path in \"a\"").await;
    fs::write(running.root().join("a"), "x").unwrap();
    assert_eq!(code(&running.ask(&running.request("", read("a"))).await), "DONE");
    assert_eq!(code(&running.ask(&running.request("", read("b"))).await), "FILE_READ_DENIED");
    assert_eq!(code(&running.ask(&running.request("", append("a", "y"))).await), "FILE_WRITE_DENIED");
    let kinds: Vec<_> = running.verify().await.into_iter().filter(|kind| *kind != "checkpoint").collect();
    assert_eq!(kinds, ["session-created", "intent", "result", "refused", "refused"]);
    let mut seen = Vec::new();
    let ledger = Ledger::open(&running.folder.path().join("state")).unwrap();
    ledger
        .each(|record, _| {
            if let Event::Refused(refused) = record.event {
                let judged = refused.judged;
                seen.push((judged.operation, judged.targets, judged.facts, judged.code));
            }
        })
        .unwrap();
    let text = |word: &str| exec_record::Text::new(word);
    assert_eq!(
        seen,
        [
            (
                text("file.read"),
                vec![text("b")],
                vec![text("path \"b\" name \"b\" offset 0")],
                text("FILE_READ_DENIED")
            ),
            (
                text("file.write"),
                vec![text("a")],
                vec![text("path \"a\" name \"a\" bytes 1 append")],
                text("FILE_WRITE_DENIED"),
            ),
        ]
    );
}

/// Not where a request says it, not where a policy sees it, and not in a file beside the records.
#[tokio::test(flavor = "multi_thread")]
async fn trust_audit_secrets_of_commands_are_nowhere_on_the_record() {
    let running = Running::new("rule cat: allow anyone to shell.exec where command in \"cat\"").await;
    let lines = [
        "mysql --password LEAK7abc",
        "curl -u user:LEAK10 http://a.b",
        "cat S3crEt9LEAK7abQ2xZ; mysql --password S3crEt9LEAK7abQ2xZ",
        "mysql --password aB3dE6gH9LEAK2mN5p | cat aB3dE6gH9LEAK2mN5p",
        "mysql -pLEAK13",
        "vault login LEAK14",
        "echo \"password='LEAK3 with LEAK blanks'\"",
        "echo password=\"it's LEAK6\"",
        r#"echo 'password="aa\"LEAK5"'"#,
        r"echo password=aa\ LEAK43",
        "echo password=$'LEAK34'",
        "echo 'password=a LEAK' > b",
        r#"echo '{"password": "a\"LEAK"}'"#,
        r#"echo "{\"password\": \"a\\\"LEAK\"}" $x"#,
        "PASSWORD='a LEAK' psql",
    ];
    for line in lines {
        let exec = ShellExec { command: line.to_owned(), ..ShellExec::default() };
        let response = running.ask(&running.request("", Tool::ShellExec(exec))).await;
        assert!(matches!(code(&response), "SHELL_EXEC_DENIED" | "SHELL_COMPLEX"), "{line}");
    }
    running.verify().await;
    let state = running.folder.path().join("state");
    let (mut seen, mut refused) = (Vec::new(), 0);
    let ledger = Ledger::open(&state).unwrap();
    ledger
        .each(|record, _| {
            if let Event::Refused(act) = record.event {
                refused += 1;
                seen.extend(act.judged.targets.into_iter().chain(act.judged.facts));
            }
        })
        .unwrap();
    assert_eq!(refused, lines.len());
    assert!(seen.iter().all(|text| !text.as_str().contains("LEAK")), "{seen:#?}");
    let text = |word: &str| exec_record::Text::new(word);
    let facts = r#"command "mysql" subcommand "[redacted]" line "mysql --password [redacted]""#;
    assert_eq!(seen[..2], [text("mysql --password [redacted]"), text(facts)]);
    for entry in fs::read_dir(&state).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        assert!(!bytes.windows(4).any(|window| window == b"LEAK"), "{path:?}");
    }
}

/// However many secrets somebody makes up: redaction denies nothing, and the record says what was run and no secret.
#[tokio::test(flavor = "multi_thread")]
async fn trust_audit_commands_with_many_secrets_are_recorded_without_them() {
    let running = Running::new("rule all: allow anyone to shell.exec where command in \"true\", \"rm\"").await;
    let secret = |number: u32| format!(" --password=aB3dE6gH9jK2m{number:03}");
    let command = format!("rm -f o; true{}", (0..1_000).map(secret).collect::<String>());
    let exec = ShellExec { command, ..ShellExec::default() };
    let response = running.ask(&running.request("", Tool::ShellExec(exec))).await;
    assert_ne!(code(&response), "VALIDATION_FAILED", "{response:?}");
    running.verify().await;
    let mut texts = Vec::new();
    let ledger = Ledger::open(&running.folder.path().join("state")).unwrap();
    ledger
        .each(|record, _| match record.event {
            Event::Refused(act) => texts.extend(act.judged.facts.into_iter().chain(act.judged.targets)),
            Event::Intent(act) => {
                texts.extend(act.judged.facts.into_iter().chain(act.judged.targets));
                texts.extend(act.setting.and_then(|setting| setting.line));
            }
            _ => {}
        })
        .unwrap();
    assert_eq!(texts[0], exec_record::Text::new(r#"command "rm" subcommand "o" line "rm -f o""#));
    assert!(texts.iter().all(|text| !text.as_str().contains("aB3dE6")), "{texts:?}");
}

/// What a request does not name, and is reached all the same.
#[tokio::test(flavor = "multi_thread")]
async fn trust_audit_where_links_lead_and_what_a_diff_changes_is_on_the_record() {
    let running = Running::new(ALL).await;
    fs::write(running.root().join("a"), "x\n").unwrap();
    fs::write(running.root().join("b"), "x\n").unwrap();
    std::os::unix::fs::symlink("b", running.root().join("link")).unwrap();
    assert_eq!(code(&running.ask(&running.request("", read("link"))).await), "DONE");
    let diff = |name| format!("--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-x\n+y\n");
    let patch = FilePatch { path: "a".to_owned(), unified_diff: diff("a") + &diff("b") };
    assert_eq!(code(&running.ask(&running.request("", Tool::FilePatch(patch))).await), "DONE");
    running.verify().await;
    let mut reached = Vec::new();
    let ledger = Ledger::open(&running.folder.path().join("state")).unwrap();
    ledger
        .each(|record, _| {
            if let Event::Reached(act) = record.event {
                reached.push((act.intent, act.paths, act.more));
            }
        })
        .unwrap();
    let text = |word: &str| exec_record::Text::new(word);
    assert_eq!(reached, [(2, vec![text("b")], 0), (5, vec![text("b")], 0)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_artifact_publish_ctr_0020_ctr_0021_what_is_in_the_store_is_published_once_and_for_good() {
    let rules = "rule publish: allow coder to artifact.publish where category in \"report\" limit bytes <= 10 B";
    let running = Running::new(rules).await;
    let store = ContentStore::local(&running.folder.path().join("state")).unwrap();
    let small = store.put(b"0123456789".to_vec()).await.unwrap();
    let large = store.put(b"0123456789a".to_vec()).await.unwrap();
    let absent = Digest::of(b"nowhere");
    let publish = |id: &str, category: &str, content: Digest, metadata: &[&str]| {
        Tool::ArtifactPublish(ArtifactPublish {
            artifact_id: id.to_owned(),
            content_hash: content.as_bytes().to_vec(),
            category: category.to_owned(),
            metadata: metadata.iter().map(|pair| (*pair).to_owned()).collect(),
        })
    };
    let mut codes = Vec::new();
    for tool in [
        publish("one", "report", absent, &[]),
        publish("one", "secret", small, &[]),
        publish("one", "report", large, &[]),
        publish("one", "report", small, &["by=me"]),
        publish("one", "report", small, &["by=me"]),
        publish("one", "report", small, &["by=you"]),
        publish("two", "report", small, &[]),
    ] {
        codes.push(code(&running.ask(&running.request("", tool)).await).to_owned());
    }
    let expected = ["NOT_FOUND", "ARTIFACT_PUBLISH_DENIED", "TOO_LARGE", "DONE", "DONE", "EXISTS", "DONE"];
    assert_eq!(codes, expected);
    // Somebody changed what is in the store: it is not what the name says any more.
    let digits = small.to_string();
    let (folder, name) = digits.split_at(2);
    fs::write(running.folder.path().join("state/objects").join(folder).join(name), "changed").unwrap();
    let changed = running.ask(&running.request("", publish("three", "report", small, &[]))).await;
    assert_eq!(code(&changed), "STORE_UNAVAILABLE");
    running.executor.close().await.unwrap();
    let (state, _) = SqliteState::open(&running.folder.path().join("state")).unwrap();
    let kept = state.artifact("one").await.unwrap().unwrap();
    assert_eq!((kept.category.as_str(), kept.content.hash(), kept.metadata.as_str()), ("report", small, "[\"by=me\"]"));
    assert_eq!(state.artifact("three").await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_flow_nothing_denied_or_unknown_is_executed() {
    let running = Running::new(ALL).await;
    let url = HttpRequest { method: "GET".to_owned(), url: "https://docs.rs/".to_owned(), ..HttpRequest::default() };
    assert_eq!(code(&running.ask(&running.request("", Tool::HttpRequest(url))).await), "UNSUPPORTED");
    let call = ToolCall { tool: "jira".to_owned(), operation: "search".to_owned(), arguments: Vec::new() };
    assert_eq!(code(&running.ask(&running.request("", Tool::ToolCall(call))).await), "OPERATION_NOT_ALLOWED");
    let outside = running.ask(&running.request("", append("/etc/x", "y"))).await;
    assert_eq!(code(&outside), "PATH_ESCAPE");
    assert!(!Path::new("/etc/x").exists());
}

/// Rules that only forbid list nothing; one that lets anything run does, whoever it is for and whatever it asks for.
#[tokio::test(flavor = "multi_thread")]
async fn sec_allow_empty_is_said_where_no_rule_lets_a_command_run_and_nowhere_else() {
    let names = (0..40).map(|number| format!("\"tool-{number}\"")).collect::<Vec<_>>().join(", ");
    let others = format!("where command in {names}");
    for (condition, is_asked) in [
        ("where command in \"rm\"".to_owned(), false),
        ("where command in \"ls\" and network".to_owned(), false),
        ("where command in \"ls\" and subcommand in \"x\"".to_owned(), false),
        ("where line matches \"^rm .*$\"".to_owned(), false),
        ("where timeout > 5 s and timeout < 9 s".to_owned(), false),
        (others, false),
        ("where command in \"ls\"".to_owned(), true),
    ] {
        let said = async |effect: &str| {
            let running = Running::new(&format!("role other\nrule mine: {effect} to shell.exec {condition}")).await;
            let response = running.ask(&running.request("", run("ls"))).await;
            assert_eq!(code(&response), "SHELL_EXEC_DENIED", "{condition}");
            message(&response) == NO_ALLOWLIST
        };
        // A rule that denies it speaks for itself.
        assert_eq!(said("deny coder").await, !is_asked, "{condition}");
        for effect in ["allow other", "ask other"] {
            assert!(!said(effect).await, "{effect} {condition}");
        }
    }
    let none = Running::new("rule read: allow coder to file.read").await;
    let response = none.ask(&none.request("", run("ls"))).await;
    assert_eq!(message(&response), NO_ALLOWLIST);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_what_runs_when_it_ends_is_stopped_answered_and_on_the_record() {
    let running = Arc::new(Running::new(ALL).await);
    let exec = ShellExec { command: "sleep 60".to_owned(), ..ShellExec::default() };
    let sleeping = {
        let running = Arc::clone(&running);
        tokio::spawn(async move { running.ask(&running.request("", Tool::ShellExec(exec))).await })
    };
    // The intent is on record before the command is started.
    let ledger = || Ledger::open(&running.folder.path().join("state")).unwrap();
    let has_begun = || {
        let mut begun = false;
        ledger().each(|record, _| begun |= record.event.kind() == "intent").unwrap();
        begun
    };
    while !has_begun() {
        tokio::task::yield_now().await;
    }
    running.executor.close().await.unwrap();
    assert_eq!(code(&sleeping.await.unwrap()), "CANCELLED");
    let after = running.ask(&running.request("", read("a"))).await;
    let Some(Answer::Error(error)) = after.result else { panic!("{after:?}") };
    assert_eq!((error.error_code.as_str(), error.retryable, error.retry_after_ms > 0), ("SHUTTING_DOWN", true, true));
    assert!(kinds(&running.folder.path().join("state")).contains(&"result"));
}

/// In the words of the tools' contract, and no others.
const NO_ALLOWLIST: &str =
    "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config.";
