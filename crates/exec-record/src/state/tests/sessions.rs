//! Who is known, for how long, and what is kept of it.

use super::support::{House, granted, judged, keyless, refused};
use crate::ledger::{Digest, Environment, Event, RunContext, TARGETS_MAX, VARIABLES_MAX};
use crate::state::{Begin, NewSession, Scope, State as _, StateError, Token};
use crate::text::Text;

#[tokio::test]
async fn trust_session_a_token_finds_its_session_and_no_other() {
    let house = House::new();
    let (first, token) = house.state.create_session(granted()).await.unwrap();
    let (second, other) = house.state.create_session(granted()).await.unwrap();
    assert_ne!(first, second);
    for (token, id) in [(&token, first), (&other, second)] {
        let session = house.state.session(&token.reveal()).await.unwrap().unwrap();
        assert_eq!((session.id, &session.granted), (id, &granted()));
    }
}

#[tokio::test]
async fn trust_session_unknown_expired_and_ended_are_answered_alike() {
    let house = House::new();
    let (ended, ended_token) = house.state.create_session(granted()).await.unwrap();
    let (expired, token) = house.state.create_session(granted()).await.unwrap();
    house.state.end_session(ended).await.unwrap();
    let almost = granted().expires_at_ms - super::support::START_MS - 1;
    house.pass_ms(almost);
    assert!(house.state.session(&token.reveal()).await.unwrap().is_some());
    house.pass_ms(1);
    let digits = token.reveal();
    for text in
        [&digits, &ended_token.reveal(), &digits.to_uppercase(), digits.get(1..).unwrap(), "", "x", &"a".repeat(256)]
    {
        assert_eq!(house.state.session(text).await.unwrap(), None, "{text}");
    }
    for id in [ended, expired] {
        assert_eq!(house.state.begin(keyless(id, "x")).await.unwrap_err(), StateError::UnknownSession);
    }
    assert_eq!(house.state.end_session(ended).await, Err(StateError::UnknownSession));
}

#[tokio::test]
async fn trust_session_one_that_was_over_stays_over_when_the_clock_is_put_back() {
    let house = House::new();
    let (id, token) = house.state.create_session(granted()).await.unwrap();
    let (other, _) = house.state.create_session(granted()).await.unwrap();
    house.pass_ms(3_600_000);
    assert_eq!(house.state.session(&token.reveal()).await.unwrap(), None);
    house.now_ms.store(super::support::START_MS, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(house.state.session(&token.reveal()).await.unwrap(), None);
    for session in [id, other] {
        assert_eq!(house.state.begin(keyless(session, "x")).await.unwrap_err(), StateError::UnknownSession);
    }
    // It is on the record, so that the next start knows it too.
    let house = house.again().await;
    assert_eq!(house.state.session(&token.reveal()).await.unwrap(), None);
    for session in [id, other] {
        assert_eq!(house.kinds(session.get()), ["session-created", "session-ended"]);
    }
    // What is granted for the time after it is active.
    let later = NewSession { expires_at_ms: granted().expires_at_ms + 1, ..granted() };
    let (_, token) = house.state.create_session(later).await.unwrap();
    assert!(house.state.session(&token.reveal()).await.unwrap().is_some());
}

#[tokio::test]
async fn trust_session_one_that_is_over_is_put_on_record_when_it_is_asked_for() {
    let house = House::new();
    let (id, token) = house.state.create_session(granted()).await.unwrap();
    house.pass_ms(3_600_000);
    assert_eq!(house.state.session(&token.reveal()).await.unwrap(), None);
    house.state.checkpoint().await.unwrap();
    assert_eq!(house.kinds(id.get()), ["session-created", "session-ended"]);
    assert_eq!(house.state.end_session(id).await, Err(StateError::UnknownSession));
}

#[tokio::test]
async fn trust_session_a_token_is_stored_nowhere() {
    let house = House::new();
    let (id, token) = house.state.create_session(granted()).await.unwrap();
    house.state.refuse(Some(id), refused("x")).await.unwrap();
    let digits = token.reveal();
    assert_eq!(digits.len(), 64);
    assert!(digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')));
    assert_eq!(format!("{token:?}"), "Token(..)");
    let raw = *digits.parse::<Digest>().unwrap().as_bytes();
    let contains = |bytes: &[u8], wanted: &[u8]| bytes.windows(wanted.len()).any(|window| window == wanted);
    let (mut files, mut hashes) = (0, 0);
    for entry in std::fs::read_dir(house.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!contains(&bytes, digits.as_bytes()) && !contains(&bytes, &raw));
        files += 1;
        hashes += usize::from(contains(&bytes, token.hash().as_bytes()));
    }
    // The search would find it: what is stored of it is found.
    assert!(files >= 3 && hashes >= 1, "{files} {hashes}");
}

#[test]
fn trust_session_tokens_are_random_and_hashed_apart() {
    let tokens: std::collections::BTreeSet<String> = (0..1_000).map(|_| Token::random().unwrap().reveal()).collect();
    assert_eq!(tokens.len(), 1_000);
    // Every digit of 1000 tokens takes every value: no bit is fixed.
    for place in 0..64 {
        let digits: std::collections::BTreeSet<u8> = tokens.iter().map(|token| token.as_bytes()[place]).collect();
        assert_eq!(digits.len(), 16, "{place}");
    }
    let token = Token::random().unwrap();
    assert_ne!(token.hash().as_bytes(), blake3::hash(token.reveal().as_bytes()).as_bytes());
}

#[tokio::test]
async fn trust_lease_a_session_is_the_same_after_a_start() {
    let house = House::new();
    let lease = NewSession { scope: Scope::Everything, working_directory: "src".to_owned(), ..granted() };
    let (id, token) = house.state.create_session(lease.clone()).await.unwrap();
    let (short, short_token) = house
        .state
        .create_session(NewSession { expires_at_ms: super::support::START_MS + 5, ..granted() })
        .await
        .unwrap();
    house.pass_ms(5);
    let house = house.again().await;
    let session = house.state.session(&token.reveal()).await.unwrap().unwrap();
    assert_eq!((session.id, &session.granted), (id, &lease));
    assert_eq!(house.state.session(&short_token.reveal()).await.unwrap(), None);
    assert_eq!(house.kinds(short.get()), ["session-created", "session-ended"]);
    // Its chain goes on where it ended.
    house.state.refuse(Some(id), refused("x")).await.unwrap();
    assert_eq!(house.kinds(id.get()), ["session-created", "refused"]);
}

#[tokio::test]
async fn trust_audit_requests_without_a_session_are_on_the_record() {
    let house = House::new();
    house.state.refuse(None, refused("who")).await.unwrap();
    let records = house.records();
    let last = records.last().unwrap();
    assert_eq!((last.chain, &last.event), (0, &Event::Refused(refused("who"))));
}

#[tokio::test]
async fn what_is_too_large_is_refused_before_it_is_stored() {
    let house = House::new();
    let many = vec!["r".to_owned(); 257];
    let long = "r".repeat(4_097);
    for session in [
        NewSession { roles: many.clone(), ..granted() },
        NewSession { scope: Scope::Only(many), ..granted() },
        NewSession { roles: vec!["r".repeat(257)], ..granted() },
        NewSession { root: long.clone(), ..granted() },
        NewSession { working_directory: long, ..granted() },
        NewSession { tables: vec![Digest::ZERO; 17], ..granted() },
    ] {
        let error = house.state.create_session(session).await.unwrap_err();
        assert!(matches!(error, StateError::TooLarge { .. }), "{error}");
    }
    let id = house.session().await;
    let mut many_targets = judged("x");
    many_targets.targets = vec![Text::new("t"); TARGETS_MAX + 1];
    let begin = Begin { judged: many_targets.clone(), ..keyless(id, "x") };
    assert!(matches!(house.state.begin(begin).await, Err(StateError::TooLarge { .. })));
    let key = Begin { key: Some("k".repeat(1_025)), ..keyless(id, "x") };
    assert!(matches!(house.state.begin(key).await, Err(StateError::TooLarge { .. })));
    let names = vec![Text::new("LANG"); VARIABLES_MAX + 1];
    let environment = Environment { names, digest: Digest::ZERO };
    let setting = RunContext {
        working_directory: Text::new(""),
        line: None,
        script: None,
        stdin: None,
        environment: Some(environment),
    };
    let variables = Begin { setting: Some(setting), ..keyless(id, "x") };
    assert!(matches!(house.state.begin(variables).await, Err(StateError::TooLarge { .. })));
    let refusal = crate::ledger::Refused { judged: many_targets, ..refused("x") };
    assert!(matches!(house.state.refuse(Some(id), refusal).await, Err(StateError::TooLarge { .. })));
    assert_eq!(house.kinds(id.get()), ["session-created"]);
}

/// What a session of this number of others would find: as if they had been created one by one.
fn crowd(house: &House, sql: &str) {
    let other = rusqlite::Connection::open(house.path().join(crate::state::DATABASE)).unwrap();
    other.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    other.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn there_are_only_so_many_sessions_until_some_are_over() {
    let house = House::new();
    house.session().await;
    house.state.close().await.unwrap();
    crowd(
        &house,
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
         INSERT INTO sessions (token_hash, granted, expires_at_ms) SELECT randomblob(32), granted, expires_at_ms FROM sessions, n",
    );
    let state = super::support::open(&house.path(), &house.now_ms, 1_000);
    state.create_session(granted()).await.unwrap();
    let error = state.create_session(granted()).await.unwrap_err();
    assert_eq!(error, StateError::TooManySessions { most: crate::state::SESSIONS_MAX });
    house.pass_ms(3_600_000);
    let later = NewSession { expires_at_ms: u64::MAX, ..granted() };
    state.create_session(later).await.unwrap();
}

#[tokio::test]
async fn ctr_0003_a_session_has_only_so_many_keys_and_none_is_forgotten() {
    let house = House::new();
    let id = house.session().await;
    house.state.close().await.unwrap();
    crowd(
        &house,
        "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO keys (act, session, key, sequence, request, status) SELECT 100000 + i, 1, randomblob(32), i, zeroblob(32), 2 FROM n",
    );
    let state = super::support::open(&house.path(), &house.now_ms, 1_000);
    let keyed = |key| super::support::keyed(id, key, "write");
    super::support::fresh(state.begin(keyed("last")).await.unwrap())
        .finish(super::support::finish("done"))
        .await
        .unwrap();
    let error = state.begin(keyed("more")).await.unwrap_err();
    assert_eq!(error, StateError::TooManyKeys { most: crate::state::KEYS_PER_SESSION_MAX });
    assert!(matches!(state.begin(keyed("last")).await.unwrap(), crate::state::Begun::Repeat(_)));
    drop(state.begin(keyless(id, "without")).await.unwrap());
}
