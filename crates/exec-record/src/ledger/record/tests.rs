//! Records and their bytes: each is read as it was written, and nothing else is read.

use super::*;
use crate::ledger::Digest;

fn judged() -> Judged {
    Judged {
        request: Digest::of(b"request"),
        operation: Text::new("file.read"),
        targets: vec![Text::new("src/main.rs"), Text::new("\u{e9}")],
        verdict: Verdict::Ask,
        rule: Text::new("read-sources"),
        code: Text::new("ALLOWED"),
        tables: vec![Digest::of(b"table")],
        facts: vec![Text::new("path \"src/main.rs\" bytes 5 append"), Text::new("path \"\u{e9}\"")],
    }
}

fn setting() -> RunContext {
    let names = vec![Text::new("LANG"), Text::new("TZ")];
    RunContext {
        working_directory: Text::new("src"),
        line: Some(Text::new("make all")),
        script: Some(Digest::of(b"script")),
        stdin: None,
        environment: Some(Environment { names, digest: Digest::of(b"LANG=C\0TZ=UTC\0") }),
    }
}

/// One of each kind.
fn records() -> Vec<Record> {
    let charged = || vec![Charged { budget: Text::new("0/calls"), period: Period::Minute, amount: 3 }];
    let created = Created {
        roles: vec![Text::new("coder")],
        scope: vec![Text::new("*")],
        working_directory: Text::new(""),
        root: Text::new("/srv/project"),
        expires_at_ms: 9,
        tables: Vec::new(),
        budgets: vec![Leased {
            name: Text::new("reads"),
            operation: Text::new("file.read"),
            attribute: Text::new("bytes"),
            most: 10,
        }],
    };
    let outcome = Outcome {
        intent: 3,
        response: Digest::of(b"response"),
        ending: Ending::Failed,
        code: Text::new("E_FILE_IO"),
        duration_ms: 4,
        files: 5,
        bytes: 6,
        settled: charged(),
        exit: Some(Exit::Signal(9)),
    };
    let repeated = Repeated { request: Digest::of(b"request"), intent: 3, response: Digest::of(b"response") };
    let events = vec![
        Event::Created(created),
        Event::Refused(Refused { judged: judged(), response: Digest::of(b"denied") }),
        Event::Intent(Intent { judged: judged(), charges: charged(), setting: Some(setting()) }),
        Event::Result(outcome),
        Event::Interrupted(Interrupted { intent: 3 }),
        Event::Repeated(repeated),
        Event::Checkpoint(vec![Head { chain: 1, sequence: 2, hash: Digest::of(b"head") }]),
        Event::Ended(Ended { why: EndReason::Expired }),
        Event::Reached(Reached { intent: 3, paths: vec![Text::new("src/b.rs")], more: 7 }),
        Event::TurnedAway(TurnedAway { requests: 8 }),
    ];
    let record = |(sequence, event)| Record { chain: 1, sequence, number: 2, at_ms: 3, previous: Digest::ZERO, event };
    (1..).zip(events).map(record).collect()
}

#[test]
fn trust_audit_every_kind_of_record_is_read_as_it_was_written() {
    for record in records() {
        assert_eq!(Record::decode(&record.encode()), Ok(record));
    }
}

#[test]
fn trust_audit_no_bytes_but_its_own_are_read_as_a_record() {
    for record in records() {
        let bytes = record.encode();
        for length in 0..bytes.len() {
            assert_eq!(Record::decode(&bytes[..length]), Err(DecodeError::Short), "{length} of {record:?}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert_eq!(Record::decode(&longer), Err(DecodeError::Long { bytes: 1 }));
        // Whatever else is read of changed bytes is written as the same changed bytes.
        for place in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[place] ^= flip;
                if let Ok(other) = Record::decode(&changed) {
                    assert_ne!(other, record);
                    assert_eq!(other.encode(), changed);
                }
            }
        }
    }
}

#[test]
fn other_versions_kinds_and_choices_are_refused_by_name() {
    let bytes = records()[7].encode();
    let with = |place: usize, byte| {
        let mut changed = bytes.clone();
        changed[place] = byte;
        Record::decode(&changed)
    };
    for found in [0, 2, 255] {
        let error = with(0, found).unwrap_err();
        assert_eq!(error, DecodeError::Version { found, known: 1 });
        assert_eq!(error.to_string(), format!("the record has version {found}; this program reads version 1"));
    }
    assert_eq!(with(1, 11), Err(DecodeError::Choice(11)));
    assert_eq!(with(1, 0), Err(DecodeError::Choice(0)));
    assert_eq!(with(66, 2), Err(DecodeError::Choice(2)));
    // A length that is not true takes no room.
    let mut heads = records()[6].encode();
    heads[66..70].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(Record::decode(&heads), Err(DecodeError::Short));
}

/// The drawing in the module's documentation is true.
#[test]
fn the_fields_stand_where_the_drawing_has_them() {
    let previous = Digest::of(b"previous");
    let event = Event::Ended(Ended { why: EndReason::Asked });
    let record = Record { chain: 11, sequence: 12, number: 13, at_ms: 14, previous, event };
    let bytes = record.encode();
    assert_eq!((bytes[0], bytes[1], bytes.len()), (1, 8, 67));
    for (place, number) in [(2, 11_u64), (10, 12), (18, 13), (26, 14)] {
        assert_eq!(bytes[place..place + 8], number.to_le_bytes());
    }
    assert_eq!(&bytes[34..66], previous.as_bytes());
    let kinds: Vec<u8> = records().iter().map(|record| record.encode()[1]).collect();
    assert_eq!(kinds, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

/// Another digest here needs another version.
#[test]
fn the_bytes_of_a_version_do_not_change() {
    let bytes: Vec<u8> = records().iter().flat_map(Record::encode).collect();
    assert_eq!(Record::hash(&bytes).to_string(), GOLDEN);
    assert_ne!(Record::hash(&bytes), Digest::of(&bytes), "hashes of records are apart from all others");
}

#[test]
fn trust_audit_every_exit_is_read_as_it_was_written() {
    let broken = [Errno::PERM, Errno::from_raw_os_error(4_095)].map(|error| Exit::Broken { command: 2, error });
    for exit in
        [Exit::Code(0), Exit::Code(255), Exit::Signal(11), Exit::TimedOut, Exit::Cancelled].into_iter().chain(broken)
    {
        let mut bytes = Vec::new();
        exit.write(&mut bytes);
        assert_eq!(whole::<Exit>(&bytes), Ok(exit));
    }
    assert_eq!(whole::<Exit>(&[5]), Err(DecodeError::Choice(5)));
    for number in [i32::MIN, -1, 0, 4_096, i32::MAX] {
        let mut bytes = vec![4, 2, 0, 0, 0];
        number.write(&mut bytes);
        assert_eq!(whole::<Exit>(&bytes), Err(DecodeError::Error(number)));
    }
    assert_eq!(whole::<Option<Exit>>(&[2]), Err(DecodeError::Choice(2)));
}

const GOLDEN: &str = "1d0209d525b81d003d59d14dd2dccd93afa1768873d31678604951e3a1203bac";
