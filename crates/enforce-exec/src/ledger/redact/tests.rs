//! Which texts hold a secret and what is left of them, and which hold none and stay as they are.

use super::*;

#[test]
fn trust_audit_secrets_are_not_stored() {
    let secrets: &[(&str, &str)] = &[
        ("aws s3 ls AKIAIOSFODNN7EXAMPLE", "aws s3 ls [redacted]"),
        ("id=ASIAY34FZKBOKMUTVV7A,", "id=[redacted],"),
        (
            "git clone https://ghp_0123456789abcdefghijklmnopqrstuvwxyz@github.com/a/b",
            "git clone https://[redacted]@github.com/a/b",
        ),
        ("echo ghp_0123456789abcdefghijklmnopqrstuvwxyz", "echo [redacted]"),
        ("github_pat_11ABCDEFG0123456789_abcdef", "[redacted]"),
        ("x-glpat-abcdefghij0123456789", "x-[redacted]"),
        ("xoxb-1234567890-abcdefghij", "[redacted]"),
        ("sk-ant-api03-abcdefghijklmnopqrstuvwxyz", "[redacted]"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "[redacted]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- after", "[redacted] after"),
        ("cat -----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz", "cat [redacted]"),
        ("password=hunter2", "password=[redacted]"),
        ("password = \"hunter 2\" user=bob", "password = \"[redacted]\" user=bob"),
        ("{\"password\": \"hunter2\", \"user\": \"bob\"}", "{\"password\": \"[redacted]\", \"user\": \"bob\"}"),
        ("{\\\"apiKey\\\":\\\"hunter2\\\"}", "{\\\"apiKey\\\":\\\"[redacted]\"}"),
        ("PGPASSWORD=hunter2 psql", "PGPASSWORD=[redacted] psql"),
        ("db_pass: hunter2", "db_pass: [redacted]"),
        ("mysql --password hunter2 -h db", "mysql --password [redacted] -h db"),
        ("mysql --password=hunter2", "mysql --password=[redacted]"),
        ("curl -u bob:hunter2 https://a.b", "curl -u [redacted] https://a.b"),
        ("API_KEY=abc", "API_KEY=[redacted]"),
        ("client-secret: abc", "client-secret: [redacted]"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY=[redacted]"),
        ("token=9f86d081884c7d659a2feaa0c55ad015", "token=[redacted]"),
        ("https://a.b/c?sig=Zm9vYmFyMTIzNDU2Nzg5MA==&x=1", "https://a.b/c?sig=[redacted]&x=1"),
        ("curl -H 'Authorization: Bearer abc def' x", "curl -H 'Authorization: [redacted]' x"),
        ("Authorization: Basic Ym9iOmh1bnRlcjI=\nHost: a", "Authorization: [redacted]\nHost: a"),
        ("Cookie: a=b; c=d", "Cookie: [redacted]"),
        ("with bearer 9f86d081884c7d659a2feaa0c55ad015.", "with bearer [redacted]"),
        ("https://bob:hunter2@a.b/c", "https://[redacted]@a.b/c"),
        ("postgres://bob:hun@ter2@db/x", "postgres://[redacted]@db/x"),
        (r#"{"password": "aa\"LEAK", "user": "bob"}"#, r#"{"password": "[redacted]", "user": "bob"}"#),
        (r#"{"password": "aa\\", "user": "bob"}"#, r#"{"password": "[redacted]", "user": "bob"}"#),
        (r#"{\"password\":\"aa\\\"LEAK\",\"user\":1}"#, r#"{\"password\":\"[redacted]",\"user\":1}"#),
        (r#"{\"password\":\"aa"LEAK\",\"user\":1}"#, r#"{\"password\":\"[redacted]",\"user\":1}"#),
        (r#"{"password": "aa\" LEAK", "user": "bob"}"#, r#"{"password": "[redacted]", "user": "bob"}"#),
        (r#"{\"password\":\"aa\\\" LEAK\",\"user\":1}"#, r#"{\"password\":\"[redacted]",\"user\":1}"#),
        (r#"{\"password\":\"aa\\\\\",\"user\":1}"#, r#"{\"password\":\"[redacted]",\"user\":1}"#),
        (r"{'password': 'aa\'LEAK', 'user': 1}", "{'password': '[redacted]', 'user': 1}"),
        (r"password='it'\''s LEAK' user=bob", "password='[redacted]' user=bob"),
        ("password=$'LEAK' user=bob", "password=$'[redacted]' user=bob"),
        (r"password=aa\ LEAK user=bob", "password=[redacted] user=bob"),
        ("password=it's user=bob", "password=[redacted] user=bob"),
        ("password=\"none\"LEAK user=bob", "password=\"[redacted] user=bob"),
        ("'password=aa' user=bob", "'password=[redacted]' user=bob"),
        (r#""a=\"password=aa\", b""#, r#""a=\"password=[redacted]", b""#),
    ];
    for (text, expected) in secrets {
        assert_eq!(Text::new(text).as_str(), *expected, "{text}");
    }
}

/// What a record says of a command line.
fn stored(line: &str) -> String {
    let mut secrets = Secrets::default();
    let taken_out = secrets.taken_out(line.as_bytes(), Written::Command).into_owned();
    secrets.stored(&storable(taken_out)).as_str().to_owned()
}

#[test]
fn trust_audit_in_a_command_a_secret_goes_as_far_as_its_word() {
    for (line, expected) in [
        ("mysql --password LEAK -h db", "mysql --password [redacted] -h db"),
        ("mysql --password 'LEAK and LEAK' -h db", "mysql --password [redacted] -h db"),
        ("mysql --password; LEAKs not", "mysql --password; LEAKs not"),
        ("curl -u 'user:LEAK or LEAK' http://a.b", "curl -u [redacted] http://a.b"),
        ("curl --user=user:LEAK http://a.b", "curl --user=[redacted] http://a.b"),
        ("echo \"password='LEAK with blanks'\" b", "echo password=[redacted] b"),
        (r"echo 'password='\''LEAK with blanks'\''' b", "echo password=[redacted] b"),
        ("echo password=\"it's LEAK\" b", "echo password=[redacted] b"),
        (r"echo 'password=it'\''s LEAK' b", "echo password=[redacted] b"),
        (r#"echo 'password="aa\"LEAK"' b"#, "echo password=[redacted] b"),
        (r"echo password=aa\ LEAK b", "echo password=[redacted] b"),
        ("echo password=$'LEAK' > b", "echo password=[redacted] > b"),
        (r"echo password=$'it\'s LEAK' > b", "echo password=[redacted] > b"),
        ("echo password=\"a\",'b LEAK' | b", "echo password=[redacted] | b"),
        ("docker run -e \"PASSWORD=LEAK LEAK\" b", "docker run -e PASSWORD=[redacted] b"),
        ("docker run --env='PASSWORD=LEAK LEAK' b", "docker run --env=PASSWORD=[redacted] b"),
        (r#"curl -d "{\"password\": \"a\\\"LEAK\"}" http://a.b"#, r#"curl -d '{"password": "[redacted]"}' http://a.b"#),
        ("curl -H \"X-Api-Key: it's LEAK\" b", "curl -H 'X-Api-Key: [redacted]' b"),
        ("echo password: LEAK b", "echo password: [redacted] b"),
        ("echo password = 'LEAK LEAK' b", "echo password = '[redacted]' b"),
        (
            "bash -lc \"PGPASSWORD='LEAK LEAK' psql -c 'select 1'\"",
            r"bash -lc 'PGPASSWORD=[redacted] psql -c '\''select 1'\'''",
        ),
        ("git -c \"password=a LEAK\" b", "git -c password=[redacted] b"),
        ("echo password=\"LEAK", "echo password=[redacted]"),
        ("echo password='LEAK ", "echo password=[redacted]"),
        (r"echo password=LEAK\", "echo password=[redacted]"),
        // What is no word of a command is text.
        ("# don't\npassword='a LEAK' b", "# don't\npassword=[redacted] b"),
        (
            "cat > b <<EOF\n{\"password\":\"a LEAK\",\"user\":\"it's\"}\nEOF",
            "cat > b <<EOF\n{\"password\":\"[redacted]\",\"user\":\"it's\"}\nEOF",
        ),
        ("cat <<< \"password=a LEAK\" b", "cat <<< password=[redacted] b"),
        ("PASSWORD='a LEAK' cat << EOF", "PASSWORD=[redacted] cat << EOF"),
        ("mysql --password \"$DB_PASSWORD\" 'a  b'", "mysql --password \"$DB_PASSWORD\" 'a  b'"),
        ("ls  -l 'a  b' \"c\"", "ls  -l 'a  b' \"c\""),
        ("API_KEY=LEAK cmd 'a  b'   >c", "API_KEY=[redacted] cmd 'a  b'   >c"),
    ] {
        assert_eq!(stored(line), expected, "{line}");
        assert_eq!(stored(expected), expected, "twice");
    }
}

/// Every value of up to three of these pieces, each piece quoted in every way that shells have.
#[test]
fn trust_audit_no_way_to_quote_a_secret_leaves_a_part_of_it() {
    let pieces = ["LEAK", "'", "\"", " ", "\\", ",", "$x"];
    let escaped = |piece: &str, which: &[char]| -> String {
        let is_one = |character| which.is_empty() || which.contains(&character);
        piece.chars().flat_map(|character| [is_one(character).then_some('\\'), Some(character)]).flatten().collect()
    };
    let quoted = |piece: &str| {
        let single = format!("'{}'", piece.replace('\'', r"'\''"));
        [single, format!("\"{}\"", escaped(piece, &['"', '\\', '$'])), escaped(piece, &[])]
    };
    let empty = ["''".to_owned(), "\"\"".to_owned()];
    let words: Vec<String> = pieces.iter().flat_map(|piece| quoted(piece)).chain(empty).collect();
    let mut values = vec![String::new()];
    let mut count = 0;
    for _ in 0..3 {
        values = values.iter().flat_map(|value| words.iter().map(move |word| format!("{value}{word}"))).collect();
        for value in values.iter().filter(|value| value.contains('L')) {
            for start in ["password=", "mysql --password=", "mysql --password ", "curl -u a:"] {
                let kept = stored(&format!("{start}{value}LEAK tail"));
                assert!(!kept.contains('L') && kept.ends_with("[redacted] tail"), "{start}{value}: {kept}");
                count += 1;
            }
        }
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn trust_audit_a_secret_of_one_text_is_in_no_other_of_the_request() {
    let mut secrets = Secrets::default();
    let mut taken_out = |text: &str, written| secrets.taken_out(text.as_bytes(), written).into_owned();
    let first = taken_out("echo LEAK7abc", Written::Command);
    assert_eq!(first, "echo LEAK7abc");
    assert_eq!(taken_out("mysql --password LEAK7abc", Written::Command), "mysql --password [redacted]");
    assert_eq!(taken_out("mysql --password 'a\"b\nLEAK8'", Written::Command), "mysql --password [redacted]");
    assert_eq!(taken_out("mysql --password so", Written::Command), "mysql --password [redacted]");
    assert_eq!(taken_out("LEAK7abc", Written::Word), "[redacted]");
    // A short one is in many words.
    assert_eq!(taken_out("so", Written::Word), "[redacted]");
    assert_eq!(taken_out("also", Written::Word), "also");
    assert_eq!(taken_out("password=aa LEAK9", Written::Word), "password=[redacted]");
    assert_eq!(secrets.stored(&first).as_str(), "echo [redacted]");
    assert_eq!(secrets.stored("x/LEAK7abc/y also").as_str(), "x/[redacted]/y also");
    secrets.taken_out(b"mysql --password \"it's \\\"LEAK\"", Written::Command);
    for facts in [r#"subcommand "it's \"LEAK""#, r#"subcommand "it'\\''s \"LEAK""#] {
        assert_eq!(secrets.stored(facts).as_str(), r#"subcommand "[redacted]""#);
    }
    assert_eq!(secrets.stored(r#"subcommand "a\"b\nLEAK8" line"#).as_str(), r#"subcommand "[redacted]" line"#);
}

#[test]
fn trust_audit_of_two_secrets_the_longer_one_is_taken_out_first() {
    let mut secrets = Secrets::default();
    for line in ["mysql --password hunter", "mysql --password hunter2LEAK", "mysql --password hunt"] {
        secrets.taken_out(line.as_bytes(), Written::Command);
    }
    assert_eq!(secrets.stored("a hunter2LEAK hunter hunt").as_str(), "a [redacted] [redacted] [redacted]");
}

#[test]
fn trust_audit_where_more_secrets_are_than_are_looked_for_nothing_is_stored() {
    let mut secrets = Secrets::default();
    for number in 0..64 {
        secrets.taken_out(format!("password={number}LEAK").as_bytes(), Written::Text);
    }
    assert_eq!(secrets.stored("plain 64:LEAK").as_str(), "plain 64:LEAK");
    secrets.taken_out(b"password=64:LEAK", Written::Text);
    assert_eq!(secrets.stored("plain 64:LEAK").as_str(), REDACTED);
}

#[test]
fn trust_audit_what_may_be_a_part_of_a_secret_is_not_kept_for_later() {
    let kept = storable("a ".repeat(1_000) + &"LEAK".repeat(100));
    assert!(kept.len() < 2_048 && !kept.contains("LEAK") && kept.ends_with("a\u{2026}"), "{kept}");
    assert_eq!(storable("LEAK".repeat(512)).len(), 2_048);
    assert_eq!(storable("LEAK".repeat(513)), "\u{2026}");
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for text in [
        "",
        "src/main.rs",
        "cargo test --workspace -- --test-threads=1",
        "git log --author=bob --pretty=format:%h",
        "git clone ssh://git@github.com/a/b",
        "git@github.com:a/b.git",
        "https://doc.rust-lang.org/std/?search=password",
        "max_tokens=100",
        "tokens: 2_000_000",
        "token = next_token()",
        "let key = map.keys().next();",
        "monkey=banana",
        "bypass=1",
        "PWD=/srv/app",
        "password=$DB_PASSWORD",
        "password: ${DB_PASSWORD}",
        "password: <password>",
        "password=***",
        "if password == other",
        "the password is checked",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "AKIA is how they begin",
        "task-list sk-1",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "basic usage of the tool",
        "token management in the parser",
        "tests/e2e/secret_santa.rs",
        "curl -u bob https://a.b",
        "\u{e9}\u{4e2d} password",
    ] {
        assert_eq!(Text::new(text).as_str(), text);
        assert_eq!(stored(text), text);
    }
}

#[test]
fn redacting_twice_changes_nothing() {
    for text in [
        "password=hunter2",
        "https://bob:x@a.b",
        "Authorization: Bearer abc",
        "--password x",
        "token: 9f86d081884c7d659a2f",
    ] {
        let once = Text::new(text);
        assert_eq!(Text::new(once.as_str()), once);
        assert!(once.as_str().contains(REDACTED), "{text}");
    }
}

#[test]
fn a_text_is_bounded_and_its_end_gives_nothing_away() {
    let most = "a".repeat(TEXT_BYTES_MAX);
    assert_eq!(Text::new(&most).as_str(), most);
    let long = Text::new(most + "b");
    assert_eq!(long.as_str().len(), TEXT_BYTES_MAX);
    assert!(long.as_str().ends_with('\u{2026}'));

    // Cut in its middle, a key would not be known for one; so a word that is cut is not stored at all.
    let key = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let block = format!("-----BEGIN PRIVATE KEY-----{}-----END PRIVATE KEY----- ", "A".repeat(READ_BYTES_MAX - 70));
    let text = Text::new(format!("{block}{key}"));
    assert_eq!(text.as_str(), "[redacted]\u{2026}");
    assert_eq!(Text::new("\u{e9}".repeat(TEXT_BYTES_MAX)).as_str().len(), TEXT_BYTES_MAX - 1);
}

#[test]
fn bytes_that_are_no_text_are_written_as_numbers() {
    assert_eq!(Text::new(b"a\xff\xfeb").as_str(), "a\\xff\\xfeb");
}

/// Every text of up to a few of these pieces: no end of a search lies inside a character or before its beginning.
#[test]
fn every_mix_of_marks_is_read_to_its_end() {
    let pieces = [
        "password",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "--",
        "-u",
        "Bearer",
        "://",
        "@",
        "http",
        "\u{e9}",
        "-----BEGIN",
        "PRIVATE KEY",
        "-----END",
        "-----",
        "ghp_",
        "a1b2c3d4e5f6a7b8",
        "\n",
        "$",
        "Cookie",
    ];
    let mut texts: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    for _ in 0..2 {
        texts = texts.iter().flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}"))).collect();
        for text in &texts {
            let mut end = 0;
            find::secrets(text, &mut |secret| {
                assert!(end <= secret.start && secret.start < secret.end, "{text:?}");
                assert!(text.get(secret.clone()).is_some(), "{text:?}");
                end = secret.end;
            });
            let kept = stored(text);
            assert!(kept == *text || kept.contains(REDACTED), "{text:?}");
        }
    }
}

/// Whoever writes names without end has no value read more than once: hostile texts cost as much as others.
#[test]
fn hostile_texts_are_read_in_a_time_that_grows_with_their_length() {
    let seconds = |piece: &str| {
        let text = piece.repeat(READ_BYTES_MAX / piece.len());
        let start = std::time::Instant::now();
        (0..4).for_each(|_| drop(Text::new(&text)));
        (0..4).for_each(|_| drop(stored(&text)));
        start.elapsed().as_secs_f64()
    };
    let usual = seconds("src/main.rs and ");
    for piece in [
        "key=",
        "-u=",
        "pwd=/",
        "token token ",
        "a://",
        "password=",
        "-----BEGIN",
        "_ghp",
        "eyJ.",
        "key='",
        "\"key\":",
        "password='",
        r"password=\'",
        r"'\''",
        "--password ",
        "sh -c ",
        "a=",
        "password='a' ",
    ] {
        assert!(seconds(piece) < 60.0 * usual + 0.05, "{piece}: {} against {usual}", seconds(piece));
    }
}
