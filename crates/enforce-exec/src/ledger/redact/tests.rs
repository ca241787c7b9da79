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
    ];
    for (text, expected) in secrets {
        assert_eq!(Text::new(text).as_str(), *expected, "{text}");
    }
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
        start.elapsed().as_secs_f64()
    };
    let usual = seconds("src/main.rs and ");
    for piece in
        ["key=", "-u=", "pwd=/", "token token ", "a://", "password=", "-----BEGIN", "_ghp", "eyJ.", "key='", "\"key\":"]
    {
        assert!(seconds(piece) < 60.0 * usual + 0.05, "{piece}: {} against {usual}", seconds(piece));
    }
}
