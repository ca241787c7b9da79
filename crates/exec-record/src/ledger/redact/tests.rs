//! Which texts hold a secret and what is left of them, and which hold none and stay as they are.

mod forms;
mod padded;

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
    let draft = secrets.target(line.as_bytes(), Written::Command);
    secrets.stored(&draft).as_str().to_owned()
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
        // Another command is no part of it.
        ("true --password=LEAK;rm src/o", "true --password=[redacted];rm src/o"),
        ("true --password LEAK|rm src/o", "true --password [redacted]|rm src/o"),
        ("(PASSWORD=LEAK);rm src/o", "(PASSWORD=[redacted]);rm src/o"),
        ("echo '--password=[redacted];LEAK'", "echo --password=[redacted]"),
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

/// Secrets that no name before them shows: what a program takes by a letter, or behind a word.
#[test]
fn trust_audit_secrets_are_known_by_the_program_that_takes_them() {
    for form in [
        "curl -uadmin:@ https://a.b",
        "curl -sSu admin:@ https://a.b",
        "mysql -p@ db",
        "mysql -h db -u root -p@ db",
        "/usr/bin/mysqldump -p@ db",
        "sudo -u bob mysql -p@ db",
        "docker exec -it db mysql -p@ x",
        "HOME=/a mysql -p@ x",
        "sshpass -p @ ssh host",
        "sshpass -p@ ssh -p 22 host",
        "docker login -u me -p @ r.io",
        "docker login -p@",
        "redis-cli -a @ ping",
        "unzip -P @ a.zip",
        "7z x -p@ a.7z",
        "ldapsearch -w @ -x",
        "smbclient -U user%@ //h/s",
        "ssh-keygen -t ed25519 -N @ -f k",
        "aws configure set aws_secret_access_key @",
        "npm config set //r/:_authToken @",
        "vault login @",
        "gh auth login --with-token @",
        "tool -token @",
        "tool --auth @ x",
        "SECRET_KEY_BASE=@ run",
        "JWT=@ run",
        "BEARER=@ run",
        "SESSION_COOKIE=@ run",
        "APP_KEY=base64:@= run",
        "NPM_TOKEN=@ run",
        "export TOKEN=@",
        "curl https://hooks.slack.com/services/T0/B0/@",
        "bash -c 'mysql -p@ db'",
    ] {
        for value in ["9xQz2LEAK4mV7bK0tR5wN8yHcJ3fD6gS1aPuE", "9f86d081884c7d659a2feaa0c55ad015a3bfLEAK"] {
            let line = form.replace('@', value);
            let kept = stored(&line);
            assert!(!kept.contains("LEAK") && kept.contains(REDACTED), "{line}: {kept}");
            assert_eq!(stored(&kept), kept, "twice");
            let words = Text::of_words(line.replace('\'', "").replace(' ', "\0").as_bytes());
            assert!(form.starts_with("bash") || !words.as_str().contains("LEAK"), "{line}: {words:?}");
        }
    }
    for (line, expected) in [
        ("mysql -pLEAK db", "mysql -p[redacted] db"),
        ("sshpass -pLEAK ssh -p 22 host", "sshpass -p[redacted] ssh -p 22 host"),
        ("docker login -u me -p LEAK r.io", "docker login -u me -p [redacted] r.io"),
        ("NPM_TOKEN=abcdefghijklmnopXYZqrs npm ci", "NPM_TOKEN=[redacted] npm ci"),
        ("export TOKEN=S3cr27", "export TOKEN=[redacted]"),
        ("APP_KEY=base64:9xQz2LEAK4mV7bK0tR5wN8yHcJ3fD6gS1aPuE=", "APP_KEY=[redacted]"),
        ("curl https://hooks.slack.com/services/T0/B0/xyz -d a", {
            "curl https://hooks.slack.com/services/[redacted] -d a"
        }),
        ("smbclient -U user%LEAK //h/s", "smbclient -U [redacted] //h/s"),
    ] {
        assert_eq!(stored(line), expected, "{line}");
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
fn trust_audit_a_secret_of_one_command_is_in_no_other_of_the_request() {
    let mut secrets = Secrets::default();
    let first = secrets.target(format!("echo {GENERATED}").as_bytes(), Written::Command);
    let second = secrets.target(format!("mysql --password {GENERATED}").as_bytes(), Written::Command);
    let third = secrets.target(format!("echo x:{GENERATED}:y").as_bytes(), Written::Command);
    assert_eq!(secrets.stored(&first).as_str(), "echo [redacted]");
    assert_eq!(secrets.stored(&second).as_str(), "mysql --password [redacted]");
    assert_eq!(secrets.stored(&third).as_str(), "echo x:[redacted]:y");
    // What stays whatever others show is not looked through.
    let fact = format!("command {GENERATED:?}");
    let draft = Draft::new(format!("{fact} {GENERATED}"), Fixed::First(fact.len()), Written::Command);
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
        assert_eq!(secrets.fact(b"also", Written::Word), "also");
        assert_eq!(secrets.fact(b"password=aa LEAK9", Written::Word), "password=[redacted]");
        // Of the next command it is none.
        secrets.target(b"ls", Written::Command);
        assert_eq!(secrets.fact(secret.as_bytes(), Written::Word), secret, "{line}");
    }
}

/// A script is one word of its command, and a line of its own.
#[test]
fn trust_audit_a_secret_of_a_script_is_in_no_fact_of_its_command() {
    for (script, expected) in [
        ("mysql -ps3cr3tPw", "mysql -p[redacted]"),
        ("redis-cli -a s3cr3tPw", "redis-cli -a [redacted]"),
        ("sshpass -p s3cr3tPw ssh h", "sshpass -p [redacted] ssh h"),
        ("vault login s3cr3tPw", "vault login [redacted]"),
        ("docker login -p s3cr3tPw", "docker login -p [redacted]"),
        ("curl -u me:s3cr3tPw h", "curl -u [redacted] h"),
        ("PGPASSWORD='s3cr3tPw x' psql", "PGPASSWORD=[redacted]"),
        ("vault login s3cr3tPw; echo s3cr3tPw", "vault login [redacted]; echo [redacted]"),
        ("rm -r data", "rm -r data"),
    ] {
        let mut secrets = Secrets::default();
        secrets.target(format!("sh -c {script:?}").as_bytes(), Written::Command);
        assert_eq!(secrets.fact(script.as_bytes(), Written::Word), expected, "{script}");
    }
    // The target says what can be said; nobody looks for thousands of secrets in each word.
    let script: String = (0..=SECRETS_MAX).map(|number| format!("mysql -p{number:04};")).collect();
    let mut secrets = Secrets::default();
    secrets.target(format!("sh -c {script:?}").as_bytes(), Written::Command);
    assert_eq!(secrets.fact(script.as_bytes(), Written::Word), REDACTED);
}

/// Whoever names a file as a password somewhere else does not take it off the record.
#[test]
fn trust_audit_what_was_acted_on_stays_though_it_is_said_to_be_a_secret() {
    let names =
        ["vault/key", "Makefile", "release2", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "MyProject2024Backup", "rm"];
    for name in names {
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
fn what_looks_generated_is_no_name_of_anything() {
    for value in [GENERATED, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzAX4mPL3Ke", "aB3dE6gH9jK2mN5p", "q7Rz-V2mX_9kLw4T+bY8="] {
        assert!(find::is_generated(value.as_bytes()), "{value}");
    }
    for value in [
        "",
        "hunter2",
        "aB3dE6gH9jK2mN5",
        "src/Main2/TestCase",
        "vault/Keys/2024/K1/Alpha2/Beta3x",
        "TestParserV2Regression",
        "MyProject2024Backup",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "RELEASE-2024-01-FINAL-3",
        "src/a.rs:17:Main2aB3dE6gH9jK2mN5",
    ] {
        assert!(!find::is_generated(value.as_bytes()), "{value}");
    }
}

#[test]
fn trust_audit_of_two_secrets_the_longer_one_is_taken_out_first() {
    let mut secrets = Secrets::default();
    for more in ["", "a7B", "a"] {
        secrets.target(format!("mysql --password {GENERATED}{more}").as_bytes(), Written::Command);
    }
    let all = secrets.target(format!("a {GENERATED}a7B {GENERATED} {GENERATED}a").as_bytes(), Written::Command);
    assert_eq!(secrets.stored(&all).as_str(), "a [redacted] [redacted] [redacted]");
}

/// However many secrets somebody makes up, the record says what was run, and no secret.
#[test]
fn trust_audit_where_more_secrets_are_than_are_looked_for_names_stay_and_no_secret_does() {
    let mut secrets = Secrets::default();
    let remove = secrets.target(b"rm -f src/o --password=hunter2", Written::Command);
    let leak = format!("echo {GENERATED}/x {GENERATED}LEAK");
    let leak = secrets.target(leak.as_bytes(), Written::Command);
    for number in 0..SECRETS_MAX {
        secrets.target(format!("true --password={number:03}hunter --password=aB3dE6gH9jK2m{number:03}").as_bytes(), {
            Written::Command
        });
    }
    assert!(!secrets.has_more());
    let last = secrets.target(format!("true --password={GENERATED}").as_bytes(), Written::Command);
    assert!(secrets.has_more());
    assert_eq!(secrets.stored(&remove).as_str(), "rm -f src/o --password=[redacted]");
    assert_eq!(secrets.stored(&last).as_str(), "true --password=[redacted]");
    assert_eq!(secrets.stored(&leak).as_str(), "echo [redacted] [redacted]");
}

const GENERATED: &str = "S3crEt9LEAK7abQ2xZ";

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
        "git commit -p",
        "git add -p src/a.rs",
        "git log -p mysql",
        "mkdir -p a/b",
        "cp -p a b",
        "ssh -p 22 host",
        "docker run -p 80:80 nginx",
        "docker run -p 127.0.0.1:80:80 -u 1000 nginx",
        "docker compose -p proj up",
        "grep -w word file",
        "grep -a x file",
        "make -w all",
        "find mysql -path '*.rs' -print",
        "ps -p 17",
        "mysql -p db",
        "mysql -P 3306 -u root",
        "unzip -p a.zip",
        "7z x -p a.7z",
        "curl -u bob https://a.b",
        "curl -U bob -X POST https://a.b",
        "ldapsearch -W -x",
        "redis-cli -h host ping",
        "ssh-keygen -N '' -f k",
        "vault login -method=github",
        "smbclient -U user //h/s",
        "cat password src/o",
        "rm -f secret notes.txt",
        "rm -f secret Release2024Backup1",
        "curl --key client/keys/2024/key1.pem https://a.b",
        "cargo test --session my-session-2024-01",
        "tool --token next",
        "MAX_TOKEN=4096 run",
        "the TOKEN: see below",
        "mysql -p$DB_PASSWORD",
        "vault login $VAULT_TOKEN",
        "cargo test login handler",
        "cargo build -p interdict",
        "gh issue create --title a --body text",
        "find mysql -path '*.rs' -exec wc -l",
        "htpasswd -c file bob",
        "htpasswd -nB bob",
        "openssl x509 -key k.pem -in a",
        "password_file=/run/secrets/db1-password",
        "PASSWORD_FILE=/run/secrets/db1",
        "password_policy=strict",
        "SSH_KEY_PATH=/srv/bob/.ssh/id_ed25519_2024",
        "secret_name=database-primary-2",
        "key1=value",
        "git commit -m 'use mysql -p to be asked'",
        "ssh host 'ls -l /srv && mkdir -p /srv/a'",
        "echo `date` -p x",
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
        "mysql -pa ",
        "docker login -p ",
        "TOKEN=a;",
        "secret a1B2c3D4e5F6g7H8 ",
        "true --password=a1B2c3D4e5F6g7H8;",
        "'a b' ",
        "'a \"b 'c d",
        "`a ",
        "password_a_1_",
        "password_1",
        "find -exec ",
        "htpasswd -b a ",
        "if ! ",
    ] {
        assert!(seconds(piece) < 60.0 * usual + 0.05, "{piece}: {} against {usual}", seconds(piece));
    }
}
