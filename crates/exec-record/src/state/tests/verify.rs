//! Every way to tamper with a ledger, and the fault that names it.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};

use super::support::{House, finish, fresh, keyed, keyless, refused};
use crate::ledger::{DecodeError, Digest, Event, Fault, Head, Interrupted, Place, Reached, Record, Row, Verdict};
use crate::state::{Ledger, State as _};

/// A copy of a ledger that anything can be done to: two sessions that take turns, and checkpoints between.
struct Copy {
    ledger: Ledger,
    pin: Digest,
}

impl Copy {
    async fn new() -> Self {
        let house = House::with_checkpoints(7);
        let (one, two) = (house.session().await, house.session().await);
        for round in 0..4 {
            let key = round.to_string();
            fresh(house.begin(keyed(one, &key, "write")).await).finish(finish("done")).await.unwrap();
            house.begin(keyed(one, &key, "write")).await;
            house.state.refuse(Some(two), refused("no")).await.unwrap();
            house.state.refuse(None, refused("who")).await.unwrap();
        }
        drop(fresh(house.begin(keyless(two, "lost")).await));
        let pin = house.state.checkpoint().await.unwrap();
        house.state.refuse(Some(two), refused("no")).await.unwrap();
        let running = fresh(house.begin(keyless(two, "long")).await);
        house.state.refuse(Some(two), refused("no")).await.unwrap();
        let connection = Connection::open_in_memory().unwrap();
        let file = house.path().join(crate::state::DATABASE);
        connection.execute("ATTACH ?1 AS disk", [file.to_str().unwrap()]).unwrap();
        let copy =
            "CREATE TABLE ledger AS SELECT * FROM disk.ledger; CREATE TABLE sessions AS SELECT * FROM disk.sessions;
            CREATE TABLE running AS SELECT * FROM disk.running; CREATE TABLE before_running AS SELECT * FROM running;
            CREATE TABLE before AS SELECT * FROM ledger; CREATE TABLE before_sessions AS SELECT * FROM sessions;
            CREATE TABLE ending AS SELECT * FROM disk.ending; CREATE TABLE before_ending AS SELECT * FROM ending;";
        connection.execute_batch(copy).unwrap();
        connection.execute_batch("DETACH disk").unwrap();
        drop(running);
        Self { ledger: Ledger { connection }, pin }
    }

    fn verdict(&self) -> Verdict {
        self.ledger.verify(Some(&self.pin)).unwrap()
    }

    fn faults(&self) -> Vec<Fault> {
        match self.verdict() {
            Verdict::Broken(faults) => faults,
            Verdict::Whole(verified) => panic!("not found: {verified:?}"),
        }
    }

    fn change(&self, sql: &str) {
        assert!(self.ledger.connection.execute(sql, []).unwrap() > 0, "{sql}");
    }

    /// Cuts the records off from this one on, and the acts alike.
    fn cut(&self, number: i64) {
        self.change(&format!("DELETE FROM ledger WHERE number >= {number}"));
        self.ledger.connection.execute("DELETE FROM running WHERE act >= ?1", [number]).unwrap();
    }

    /// Lets what is stored as the end be what the ledger ends with.
    fn end_here(&self) {
        let sql =
            "DELETE FROM ending; INSERT INTO ending SELECT 1, number, hash FROM ledger ORDER BY number DESC LIMIT 1";
        self.ledger.connection.execute_batch(sql).unwrap();
    }

    fn restore(&self) {
        let sql = "DELETE FROM ledger; INSERT INTO ledger SELECT * FROM before;
            DELETE FROM sessions; INSERT INTO sessions SELECT * FROM before_sessions;
            DELETE FROM running; INSERT INTO running SELECT * FROM before_running;
            DELETE FROM ending; INSERT INTO ending SELECT * FROM before_ending;";
        self.ledger.connection.execute_batch(sql).unwrap();
    }

    fn rows(&self) -> Vec<Row> {
        let mut rows = Vec::new();
        let query = "SELECT number, chain, sequence, hash, record FROM ledger ORDER BY number";
        self.ledger
            .rows(query, [], |row| {
                rows.push(row.clone());
                Ok(())
            })
            .unwrap();
        rows
    }

    fn set(&self, number: i64, bytes: &[u8], hash: &[u8]) {
        let sql = "UPDATE ledger SET record = ?2, hash = ?3 WHERE number = ?1";
        assert_eq!(self.ledger.connection.execute(sql, params![number, bytes, hash]).unwrap(), 1);
    }
}

fn place(row: &Row) -> Place {
    (row.chain, row.sequence, row.number).into()
}

#[tokio::test]
async fn trust_audit_an_untouched_ledger_is_whole() {
    let copy = Copy::new().await;
    let Verdict::Whole(verified) = copy.verdict() else { panic!("{:?}", copy.faults()) };
    let rows = copy.rows();
    assert_eq!(usize::try_from(verified.records).unwrap(), rows.len());
    assert_eq!((verified.sessions, verified.after_checkpoint), (2, 3));
    assert!(verified.checkpoints >= 4, "{verified:?}");
    assert_eq!(verified.checkpoint, Some(copy.pin));
}

#[tokio::test]
async fn trust_audit_every_changed_byte_is_found_and_its_record_named() {
    let copy = Copy::new().await;
    let mut changes = 0;
    for row in copy.rows() {
        for at in 0..row.bytes.len() {
            let mut bytes = row.bytes.clone();
            bytes[at] ^= 1;
            copy.set(row.number, &bytes, &row.hash);
            assert_eq!(copy.faults()[0], Fault::Changed { at: place(&row) }, "byte {at}");
            changes += 1;
        }
        for at in [0, 31] {
            let mut hash = row.hash.clone();
            hash[at] ^= 1;
            copy.set(row.number, &row.bytes, &hash);
            // Only the hash beside it was changed, so only this record is named.
            assert_eq!(copy.faults(), [Fault::Changed { at: place(&row) }]);
        }
        copy.set(row.number, &row.bytes, &row.hash);
    }
    assert!(changes > 5_000, "{changes}");
    assert!(matches!(copy.verdict(), Verdict::Whole(_)));
}

#[tokio::test]
async fn trust_audit_a_record_that_was_made_anew_is_named_by_what_follows_it() {
    let copy = Copy::new().await;
    for row in copy.rows() {
        let mut record = Record::decode(&row.bytes).unwrap();
        record.at_ms += 1;
        let bytes = record.encode();
        copy.set(row.number, &bytes, Record::hash(&bytes).as_bytes());
        // The last record of all is bound by the end that is stored.
        let is_last = row.number == copy.rows().last().unwrap().number;
        let is_named = |fault: &Fault| match fault {
            Fault::Unlinked { at } => at.chain == row.chain && at.sequence == row.sequence + 1,
            Fault::OtherEnd { number, .. } => is_last && *number == row.number,
            Fault::HeadChanged { chain, sequence, .. } => (*chain, *sequence) == (row.chain, row.sequence),
            Fault::CheckpointMissing { digest } => *digest == copy.pin && row.hash == copy.pin.as_bytes(),
            _ => false,
        };
        let faults = copy.faults();
        assert!(faults.iter().all(is_named) && !faults.is_empty(), "{row:?}: {faults:?}");
        copy.restore();
    }
}

#[tokio::test]
async fn trust_audit_what_stands_beside_a_record_is_not_believed() {
    let copy = Copy::new().await;
    for row in copy.rows() {
        for (column, value) in
            [("chain", row.chain + 1), ("sequence", row.sequence + 1), ("number", row.number + 1_000)]
        {
            copy.change(&format!("UPDATE ledger SET {column} = {value} WHERE number = {}", row.number));
            let faults = copy.faults();
            let is_named = |fault: &Fault| matches!(fault, Fault::Misfiled { column: named, stored, .. } if *named == column && *stored == value);
            assert!(faults.iter().any(is_named), "{column}: {faults:?}");
            copy.restore();
        }
        copy.change(&format!("UPDATE ledger SET record = 'text', hash = 5 WHERE number = {}", row.number));
        assert!(copy.faults().contains(&Fault::Changed { at: place(&row) }));
        copy.restore();
    }
    copy.change("UPDATE ledger SET record = x'01' WHERE number = 3");
    let rows = copy.rows();
    assert!(copy.faults().contains(&Fault::Unreadable { at: place(&rows[2]), error: DecodeError::Short }));
}

#[tokio::test]
async fn trust_audit_every_removed_record_is_found_and_named() {
    let copy = Copy::new().await;
    let rows = copy.rows();
    for row in &rows {
        copy.change(&format!("DELETE FROM ledger WHERE number = {}", row.number));
        let (number, chain, sequence) = (row.number, row.chain, row.sequence);
        let Verdict::Broken(faults) = copy.verdict() else {
            assert_eq!(number, rows.last().unwrap().number, "only the last of all may go unseen");
            copy.restore();
            continue;
        };
        assert!(faults.contains(&Fault::NumbersRemoved { first: number, last: number }), "{faults:?}");
        let is_last = rows.iter().all(|other| other.chain != chain || other.sequence <= sequence);
        let removed = Fault::Removed { chain, first: sequence, last: sequence };
        assert!(faults.contains(&removed) || is_last, "{faults:?}");
        copy.restore();
    }
}

#[tokio::test]
async fn trust_audit_a_removed_session_is_found_and_named() {
    let copy = Copy::new().await;
    for chain in [1, 2] {
        copy.change(&format!("DELETE FROM ledger WHERE chain = {chain}"));
        let is_named = |fault: &Fault| matches!(fault, Fault::ChainRemoved { chain: named, .. } if *named == chain);
        assert!(copy.faults().iter().any(is_named));
        // With its row among the sessions, and the numbers closed up, the checkpoints still know it.
        copy.change(&format!("DELETE FROM sessions WHERE id = {chain}"));
        assert!(copy.faults().iter().any(is_named));
        copy.restore();
    }
}

#[tokio::test]
async fn trust_audit_swapped_records_are_found_and_named() {
    let copy = Copy::new().await;
    let rows = copy.rows();
    for (first, second) in rows.iter().zip(rows.iter().skip(1)) {
        copy.set(first.number, &second.bytes, &second.hash);
        copy.set(second.number, &first.bytes, &first.hash);
        let faults = copy.faults();
        for row in [first, second] {
            let is_named =
                |fault: &Fault| matches!(fault, Fault::Misfiled { at, column: "number", .. } if *at == place(row));
            assert!(faults.iter().any(is_named), "{faults:?}");
        }
        copy.restore();
        // The whole rows, with all that stands beside them.
        for (from, to) in [(first.number, -1), (second.number, first.number), (-1, second.number)] {
            copy.change(&format!("UPDATE ledger SET number = {to} WHERE number = {from}"));
        }
        let is_named = |fault: &Fault| matches!(fault, Fault::Misfiled { column: "number", .. });
        assert_eq!(copy.faults().iter().filter(|fault| is_named(fault)).count(), 2);
        copy.restore();
    }
}

#[tokio::test]
async fn trust_audit_inserted_records_are_found_and_named() {
    let copy = Copy::new().await;
    let rows = copy.rows();
    let last = rows.last().unwrap().number;
    for row in &rows {
        // A record again, at the end of the ledger.
        copy.change(&format!(
            "INSERT INTO ledger SELECT {last} + 1, chain, sequence, hash, record FROM ledger WHERE number = {}",
            row.number
        ));
        let at = (row.chain, row.sequence, last + 1).into();
        let is_named = |fault: &Fault| matches!(fault, Fault::OutOfPlace { at: named, .. } if *named == at);
        assert!(copy.faults().iter().any(is_named), "{:?}", copy.faults());
        copy.restore();
        // A record of one's own making in the middle, and the numbers behind it moved up.
        copy.change(&format!("UPDATE ledger SET number = -number WHERE number > {}", row.number));
        let moved =
            copy.ledger.connection.execute("UPDATE ledger SET number = 1 - number WHERE number < 0", []).unwrap();
        let number = u64::try_from(row.number).unwrap() + 1;
        let mut forged = Record::decode(&row.bytes).unwrap();
        (forged.number, forged.sequence) = (number, forged.sequence + 1);
        forged.previous = Record::hash(&row.bytes);
        let bytes = forged.encode();
        let hash = Record::hash(&bytes);
        let values = params![number, forged.chain, forged.sequence, hash.as_bytes(), bytes];
        copy.ledger.connection.execute("INSERT INTO ledger VALUES (?1, ?2, ?3, ?4, ?5)", values).unwrap();
        let faults = copy.faults();
        let is_moved = |fault: &Fault| matches!(fault, Fault::Misfiled { column: "number", .. });
        assert!(faults.iter().filter(|fault| is_moved(fault)).count() >= moved, "{faults:?}");
        copy.restore();
        if row.number == last - 1 {
            break;
        }
    }
}

#[tokio::test]
async fn trust_audit_a_tail_that_is_cut_off_changed_or_longer_is_found_by_the_end_that_is_stored() {
    let copy = Copy::new().await;
    let last = copy.rows().last().unwrap().number;
    let faults = || match copy.ledger.verify(None).unwrap() {
        Verdict::Broken(faults) => faults,
        Verdict::Whole(verified) => panic!("not found: {verified:?}"),
    };
    for row in copy.rows() {
        copy.cut(row.number);
        assert!(faults().contains(&Fault::NumbersRemoved { first: row.number, last }), "{:?}", faults());
        copy.restore();
    }
    let other = [Fault::OtherEnd { number: last, stored: last }];
    for change in ["hash = zeroblob(32)", "hash = 'text'"] {
        copy.change(&format!("UPDATE ending SET {change}"));
        assert_eq!(faults(), other);
        copy.restore();
    }
    copy.change("UPDATE ending SET number = number - 1");
    assert_eq!(faults(), [Fault::OtherEnd { number: last, stored: last - 1 }]);
    copy.change("DELETE FROM ending");
    assert_eq!(faults(), [Fault::OtherEnd { number: last, stored: 0 }]);
}

#[tokio::test]
async fn trust_audit_a_cut_tail_is_found_by_a_checkpoint_kept_elsewhere() {
    let copy = Copy::new().await;
    let rows = copy.rows();
    let pinned = rows.iter().find(|row| row.hash == copy.pin.as_bytes()).unwrap().number;
    for row in &rows {
        copy.cut(row.number);
        copy.end_here();
        match copy.verdict() {
            Verdict::Broken(faults) => {
                assert!(row.number <= pinned && faults.contains(&Fault::CheckpointMissing { digest: copy.pin }));
            }
            // What comes behind the checkpoint that was kept is not known to whoever kept it.
            Verdict::Whole(_) => assert!(row.number > pinned),
        }
        copy.restore();
    }
    // Without one, a ledger that was cut with its end looks like one that ended there.
    copy.cut(pinned);
    copy.end_here();
    assert!(matches!(copy.ledger.verify(None), Ok(Verdict::Whole(verified)) if verified.checkpoint != Some(copy.pin)));
}

/// What the documentation says cannot be found is not found, and a checkpoint that was kept finds it.
#[tokio::test]
async fn trust_audit_a_ledger_that_was_made_anew_is_found_by_a_checkpoint_kept_elsewhere() {
    let copy = Copy::new().await;
    let mut heads: BTreeMap<u64, Head> = BTreeMap::new();
    for row in copy.rows() {
        let mut record = Record::decode(&row.bytes).unwrap();
        record.at_ms += 1;
        record.previous = heads.get(&record.chain).map_or(Digest::ZERO, |head| head.hash);
        if let Event::Checkpoint(named) = &mut record.event {
            named.iter_mut().for_each(|head| *head = heads[&head.chain]);
        }
        let bytes = record.encode();
        let hash = Record::hash(&bytes);
        heads.insert(record.chain, Head { chain: record.chain, sequence: record.sequence, hash });
        copy.set(row.number, &bytes, hash.as_bytes());
    }
    copy.end_here();
    assert!(matches!(copy.ledger.verify(None), Ok(Verdict::Whole(_))));
    assert_eq!(copy.faults(), [Fault::CheckpointMissing { digest: copy.pin }]);
}

/// What is stored as under way is ended at the next start, on the record: it has to be what the records say.
#[tokio::test]
async fn trust_audit_an_act_that_is_forged_or_forgotten_is_found_and_named() {
    let copy = Copy::new().await;
    let rows = copy.rows();
    let intents: Vec<&Row> = rows.iter().filter(|row| row.bytes[1] == 3).collect();
    let running = intents.last().unwrap();
    for row in rows.iter().filter(|row| row.number != running.number) {
        let Row { number, chain, sequence, .. } = row;
        copy.change(&format!("INSERT INTO running VALUES ({number}, {chain}, {sequence})"));
        assert_eq!(copy.faults(), [Fault::ActForged { at: place(row) }]);
        copy.restore();
    }
    for change in ["INSERT INTO running VALUES (999, 999, 2)", "INSERT INTO running VALUES ('a', NULL, x'00')"] {
        copy.change(change);
        assert!(matches!(copy.faults().as_slice(), [Fault::ActForged { .. }]), "{change}");
        copy.restore();
    }
    copy.change("DELETE FROM running");
    assert_eq!(copy.faults(), [Fault::ActForgotten { at: place(running) }]);
    copy.restore();
    for column in ["act", "session", "sequence"] {
        copy.change(&format!("UPDATE running SET {column} = {column} + 1"));
        assert!(copy.faults().contains(&Fault::ActForgotten { at: place(running) }), "{column}");
        copy.restore();
    }
}

/// As a program does that believes what is stored as under way.
#[tokio::test]
async fn trust_audit_an_end_of_an_act_that_was_not_under_way_is_found_and_named() {
    let copy = Copy::new().await;
    let rows = copy.rows();
    let (last, of_chain) =
        (rows.last().unwrap(), |chain| rows.iter().rev().find(move |row| row.chain == chain).unwrap());
    let intent = rows.iter().find(|row| row.bytes[1] == 3).unwrap();
    let head = of_chain(intent.chain);
    for named in [intent.sequence, 1, 999] {
        let intent_of = u64::try_from(named).unwrap();
        for event in [
            Event::Interrupted(Interrupted { intent: intent_of }),
            Event::Reached(Reached { intent: intent_of, paths: Vec::new(), more: 0 }),
        ] {
            let number = |number: i64| u64::try_from(number).unwrap();
            let (chain, sequence) = (number(head.chain), number(head.sequence + 1));
            let previous = Record::hash(&head.bytes);
            let record = Record { chain, sequence, number: number(last.number + 1), at_ms: 1, previous, event };
            let bytes = record.encode();
            let hash = Record::hash(&bytes);
            let values = params![record.number, chain, sequence, hash.as_bytes(), bytes];
            copy.ledger.connection.execute("INSERT INTO ledger VALUES (?1, ?2, ?3, ?4, ?5)", values).unwrap();
            copy.end_here();
            let at = (head.chain, head.sequence + 1, last.number + 1).into();
            assert_eq!(copy.faults(), [Fault::NotUnderWay { at, intent: intent_of }]);
            copy.restore();
        }
    }
}

#[test]
fn faults_say_which_record_on_one_line() {
    let at = Place { chain: 3, sequence: 4, number: 9 };
    for (fault, expected) in [
        (Fault::Changed { at }, "session 3, record 4 (number 9): its bytes or its hash were changed"),
        (Fault::Removed { chain: 0, first: 2, last: 3 }, "the ledger's own chain: records 2 to 3 are missing"),
        (Fault::NotUnderWay { at, intent: 2 }, "session 3, record 4 (number 9): the act of record 2 was not running"),
        (Fault::ChainRemoved { chain: 5, last: 6 }, "session 5: all its records are missing, at least 6"),
    ] {
        assert_eq!(fault.to_string(), expected);
    }
}

/// Who may do what, and for how long, is believed from the records alone.
#[tokio::test]
async fn a_session_that_was_given_more_or_more_time_or_is_gone_is_found() {
    let copy = Copy::new().await;
    for change in [
        "UPDATE sessions SET granted = replace(granted, '\"roles\":[', '\"roles\":[\"admin\",') WHERE id = 1",
        "UPDATE sessions SET granted = '{}' WHERE id = 1",
        "UPDATE sessions SET expires_at_ms = expires_at_ms + 1 WHERE id = 1",
        "UPDATE sessions SET is_over = 1 - is_over WHERE id = 1",
    ] {
        copy.change(change);
        assert_eq!(copy.faults(), [Fault::SessionChanged { chain: 1 }], "{change}");
        copy.restore();
    }
    copy.change("DELETE FROM sessions");
    assert_eq!(copy.faults(), [1, 2].map(|chain| Fault::SessionRemoved { chain }));
    copy.restore();
    assert!(matches!(copy.verdict(), Verdict::Whole(_)));
}
