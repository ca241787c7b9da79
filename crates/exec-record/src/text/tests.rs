//! The texts of one request -> their record: without secrets, with the names of what was acted on.

use super::*;

#[test]
fn trust_audit_a_secret_of_one_command_is_in_no_other_of_the_request() {
    let mut secrets = Secrets::default();
    let mut target = |line: String| secrets.target(line.as_bytes(), Written::Command);
    let lines = [
        format!("echo {GENERATED}"),
        format!("mysql --password {GENERATED}"),
        format!("echo x:{GENERATED}:y"),
        // One may be a part of another.
        format!("mysql --password {GENERATED}a7B"),
        format!("echo {GENERATED}a7B {GENERATED}"),
    ];
    let drafts = lines.map(&mut target);
    let stored = drafts.map(|draft| secrets.stored(&draft).as_str().to_owned());
    assert_eq!(
        stored,
        [
            "echo [redacted]",
            "mysql --password [redacted]",
            "echo x:[redacted]:y",
            "mysql --password [redacted]",
            "echo [redacted] [redacted]",
        ]
    );
    // What stays whatever others show is not looked through.
    let fact = format!("command {GENERATED:?}");
    let draft = PendingText::new(format!("{fact} {GENERATED}"), Fixed::First(fact.len()), Written::Command);
    assert_eq!(secrets.stored(&draft).as_str(), format!("{fact} [redacted]"));
}

/// The words of a command are facts too, without what stands before them.
#[test]
fn trust_audit_a_secret_of_a_command_is_in_no_fact_of_it() {
    for (line, secret) in [
        ("mysql --password LEAK7abc", "LEAK7abc"),
        ("mysql --password so", "so"),
        ("mysql --password 'a\"b\nLEAK8'", "a\"b\nLEAK8"),
        ("mysql --password \"it's \\\"LEAK\"", "it's \"LEAK"),
        ("sshpass -p LEAK9 ssh host", "LEAK9"),
    ] {
        let mut secrets = Secrets::default();
        secrets.target(line.as_bytes(), Written::Command);
        assert_eq!(secrets.fact(secret.as_bytes(), Written::Word), REDACTED, "{line}");
        for value in ["aa LEAK9", "it's LEAK", "a\"b LEAK"] {
            let word = format!("password={value}");
            assert_eq!(secrets.fact(word.as_bytes(), Written::Word), "password=[redacted]");
        }
        // Of the next command it is none.
        secrets.target(b"ls", Written::Command);
        assert_eq!(secrets.fact(secret.as_bytes(), Written::Word), secret, "{line}");
    }
    for (script, expected) in [
        ("mysql -ps3cr3tPw", "mysql -p[redacted]"),
        ("docker login -p s3cr3tPw", "docker login -p [redacted]"),
        ("PGPASSWORD='s3cr3tPw x' psql", "PGPASSWORD=[redacted]"),
        ("rm -r data", "rm -r data"),
    ] {
        let mut secrets = Secrets::default();
        secrets.target(format!("sh -c {script:?}").as_bytes(), Written::Command);
        assert_eq!(secrets.fact(script.as_bytes(), Written::Word), expected, "{script}");
    }
}

/// Whoever names a file as a password somewhere else does not take it off the record.
#[test]
fn trust_audit_what_was_acted_on_stays_though_it_is_said_to_be_a_secret() {
    for name in ["vault/key", "release2", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "MyProject2024Backup", "rm"] {
        let mut secrets = Secrets::default();
        let first = secrets.target(format!("true --password={name}").as_bytes(), Written::Command);
        let second = secrets.target(format!("cat {name}").as_bytes(), Written::Command);
        assert_eq!(secrets.fact(name.as_bytes(), Written::Word), name);
        assert_eq!(secrets.stored(&first).as_str(), "true --password=[redacted]");
        assert_eq!(secrets.stored(&second).as_str(), format!("cat {name}"));
        // In the same command the word that stands by itself is the one that is meant.
        let same = secrets.target(format!("grep -e password={name} {name}").as_bytes(), Written::Command);
        assert_eq!(secrets.fact(name.as_bytes(), Written::Word), name);
        assert_eq!(secrets.stored(&same).as_str(), format!("grep -e password=[redacted] {name}"));
    }
    for path in ["password=vault/key", "token=9f86d081884c7d659a2feaa0c55ad015", GENERATED] {
        let mut secrets = Secrets::default();
        let target = secrets.target(path.as_bytes(), Written::Name);
        assert_eq!(secrets.fact(path.as_bytes(), Written::Name), path);
        assert_eq!(secrets.stored(&target).as_str(), path);
        assert_eq!(Text::of_name(path.as_bytes()).as_str(), path);
    }
    let key = "keys/ghp_0123456789abcdefghijklmnopqrstuvwxyz/x";
    assert_eq!(Text::of_name(key.as_bytes()).as_str(), "keys/[redacted]/x");
}

#[test]
fn trust_audit_both_ends_of_a_padded_command_are_on_the_record() {
    let stored = |line: &str| {
        let mut secrets = Secrets::default();
        let draft = secrets.target(line.as_bytes(), Written::Command);
        assert!(draft.is_cut());
        secrets.stored(&draft).as_str().to_owned()
    };
    for (line, start, end) in [
        (format!("rm {}important", "./".repeat(1_100)), "rm ././", "/./important"),
        (format!("rm -f {}important", "x ".repeat(600)), "rm -f x x ", " x x important"),
        (format!("echo {}\u{e9}", "\u{1f600}".repeat(600)), "echo \u{1f600}", "\u{1f600}\u{e9}"),
    ] {
        let kept = stored(&line);
        assert!(kept.starts_with(start) && kept.ends_with(end) && kept.len() <= TEXT_BYTES_MAX, "{kept}");
        let (head, rest) = kept.split_once("\u{2026}(").unwrap();
        let (left_out, tail) = rest.split_once(" bytes left out)\u{2026}").unwrap();
        assert_eq!(head.len() + left_out.parse::<usize>().unwrap() + tail.len(), line.len());
    }
    // Of what is not even looked at the number is said. A word that is cut there is not stored at all: it may be a key.
    let kept = stored(&format!("rm {}", "./".repeat(SCAN_BYTES_MAX)));
    assert_eq!(kept, format!("rm\u{2026}({} bytes left out)", 2 * SCAN_BYTES_MAX + 1));
    // No part of a secret of another command is left where a text is cut.
    let mut secrets = Secrets::default();
    secrets.target(format!("mysql --password {GENERATED}").as_bytes(), Written::Command);
    for before in 480..520 {
        let line = format!("{} {GENERATED}{}", "x".repeat(before), " y".repeat(600));
        let draft = secrets.target(line.as_bytes(), Written::Command);
        assert!(!secrets.stored(&draft).as_str().contains("LEAK"), "{before}");
    }
}

/// Padding is part of a path: the whole path is what was acted on.
#[test]
fn trust_audit_nothing_is_left_out_of_a_path_that_a_request_can_name() {
    for name in ["a", "\u{1f600}", "\u{1b}", "\u{e0001}"] {
        let path = name.repeat(MAX_PATH_LEN);
        assert_eq!(Text::of_name(path.as_bytes()).as_str(), path);
        let mut secrets = Secrets::default();
        let target = secrets.target(path.as_bytes(), Written::Name);
        assert!(!target.is_cut());
        assert_eq!(secrets.stored(&target).as_str(), path);
        let fact = format!("path {path:?} name \"a\"");
        let draft = PendingText::new(fact.clone(), Fixed::All, Written::Name);
        assert_eq!(secrets.stored(&draft).as_str(), fact);
    }
}

#[test]
fn trust_audit_a_line_as_a_whole_has_all_of_it_but_its_secrets() {
    let (before, after) = ("rm ".to_owned() + &"x ".repeat(20_000), " y".repeat(20_000));
    let mut secrets = Secrets::default();
    secrets.target(format!("true --password={GENERATED}").as_bytes(), Written::Command);
    let line = format!("{before}{GENERATED} important; mysql -phunter2; true --password={GENERATED};{after}");
    let whole = secrets.whole(line.as_bytes(), Written::Command).unwrap();
    let middle = whole.as_str().strip_prefix(&before).and_then(|rest| rest.strip_suffix(&after));
    assert_eq!(middle, Some("[redacted] important; mysql -p[redacted]; true --password=[redacted];"));
    let longest = "a".repeat(LINE_BYTES_MAX);
    assert!(secrets.whole(longest.as_bytes(), Written::Name).is_some());
    assert_eq!(secrets.whole((longest + "a").as_bytes(), Written::Name), None);
}

#[test]
fn the_words_of_a_process_are_written_as_a_shell_reads_them() {
    let words = b"mysql\0--password\0it's secret\0PASSWORD=a b\0-e\0select 1\0\xff\0";
    assert_eq!(
        Text::of_words(&words[..words.len() - 1]).as_str(),
        r"mysql --password '[redacted]' 'PASSWORD=[redacted]' -e 'select 1' '\xff'"
    );
}

const GENERATED: &str = "S3crEt9LEAK7abQ2xZ";
