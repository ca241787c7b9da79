//! Which texts hold a secret and what is left of them, and which hold none and stay as they are.

use super::*;

/// As anybody writes them: in commands, files, headers and logs.
#[test]
fn trust_audit_secrets_are_not_stored() {
    for (text, expected) in [
        ("aws s3 ls AKIAIOSFODNN7EXAMPLE", "aws s3 ls [redacted]"),
        ("id=ASIAY34FZKBOKMUTVV7A,", "id=[redacted],"),
        ("git clone https://ghp_0123456789abcdefghijklmnopqrstuvwxyz@a.b/c", "git clone https://[redacted]@a.b/c"),
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
        ("{\\\"apiKey\\\":\\\"hunter2\\\"}", "{\\\"apiKey\\\":\\\"[redacted]\\\"}"),
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
        (r#"{\"password\":\"aa\\\" LEAK\",\"user\":1}"#, r#"{\"password\":\"[redacted]\",\"user\":1}"#),
        (r"password=aa\ LEAK user=bob", "password=[redacted] user=bob"),
        ("password=it's user=bob", "password=[redacted] user=bob"),
        ("'password=aa' user=bob", "'password=[redacted]' user=bob"),
        // A secret goes as far as its shell word, and another command is no part of it.
        ("mysql --password 'LEAK and LEAK' -h db", "mysql --password '[redacted]' -h db"),
        ("mysql --password; LEAKs not", "mysql --password; LEAKs not"),
        ("curl --user=user:LEAK http://a.b", "curl --user=[redacted] http://a.b"),
        ("echo \"password='LEAK with blanks'\" b", "echo \"password='[redacted]'\" b"),
        (r"echo 'password='\''LEAK with blanks'\''' b", "echo 'password=[redacted] b"),
        ("echo password=\"it's LEAK\" b", "echo password=\"[redacted]\" b"),
        (r"echo 'password=it'\''s LEAK' b", "echo 'password=[redacted]' b"),
        ("echo password=$'LEAK' > b", "echo password=$'[redacted]' > b"),
        ("echo password=\"a\",'b LEAK' | b", "echo password=[redacted] | b"),
        ("docker run --env='PASSWORD=LEAK LEAK' b", "docker run --env='PASSWORD=[redacted]' b"),
        (r#"curl -d "{\"password\": \"a\\\"LEAK\"}" x"#, r#"curl -d "{\"password\": \"[redacted]\"}" x"#),
        ("curl -H \"X-Api-Key: it's LEAK\" b", "curl -H \"X-Api-Key: [redacted]\" b"),
        ("bash -lc \"PGPASSWORD='LEAK LEAK' psql -c 1\"", "bash -lc \"PGPASSWORD='[redacted]' psql -c 1\""),
        ("sh -c 'PASSWORD=LEAK psql; rm o'", "sh -c 'PASSWORD=[redacted] psql; rm o'"),
        ("true --password=LEAK;rm src/o", "true --password=[redacted];rm src/o"),
        ("true --password LEAK|rm src/o", "true --password [redacted]|rm src/o"),
        ("(PASSWORD=LEAK);rm src/o", "(PASSWORD=[redacted]);rm src/o"),
        ("sh -c 'password=LEAK'; rm 'src/o'", "sh -c 'password=[redacted]'; rm 'src/o'"),
        ("cat <<EOF\n{\"password\":\"a LEAK\",\"user\":\"it's\"}\nEOF", {
            "cat <<EOF\n{\"password\":\"[redacted]\",\"user\":\"it's\"}\nEOF"
        }),
        ("NPM_TOKEN=abcdefghijklmnopXYZqrs npm ci", "NPM_TOKEN=[redacted] npm ci"),
        ("export TOKEN=S3cr27", "export TOKEN=[redacted]"),
        ("APP_KEY=base64:9xQz2LEAK4mV7bK0tR5wN8yHcJ3fD6gS1aPuE=", "APP_KEY=[redacted]"),
        (
            "curl https://hooks.slack.com/services/T0/B0/xyz -d a",
            "curl https://hooks.slack.com/services/[redacted] -d a",
        ),
        ("smbclient -U user%LEAK //h/s", "smbclient -U [redacted] //h/s"),
    ] {
        assert_eq!(redact(text), expected, "{text}");
        assert_eq!(redact(expected), expected, "twice");
    }
}

/// Secrets that nothing but a program, an option or a name before them shows.
#[test]
fn trust_audit_secrets_are_known_by_what_takes_them() {
    for form in [
        "mysql -p@ db",
        "mysql -h db -u root -p@ db",
        "/usr/bin/mysqldump -p@ db",
        "sudo -u bob mysql -p@ db",
        "docker exec -it db mysql -p@ x",
        "if mysql -p@; then x; fi",
        "echo \"$(mysql -p@ db)\" b",
        "find . -exec mysql -p@ ;",
        "bash -c 'mysql -p@ db'",
        "ssh h 'sh -c \"vault login @\"'",
        "sshpass -p @ ssh host",
        "sshpass -p@ ssh -p 22 host",
        "docker login -u me -p @ r.io",
        "redis-cli -a @ ping",
        "unzip -P @ a.zip",
        "7z x -p@ a.7z",
        "ldapsearch -w @ -x",
        "ssh-keygen -P @ -N @ -f k",
        "curl -uadmin:@ https://a.b",
        "curl -sSu admin:@ https://a.b",
        "vault login @",
        "cargo +nightly login @",
        "keytool -list -storepass @ -keypass @",
        "twine upload -p@ d",
        "htpasswd -bB -C 10 f u @",
        "useradd -p @ u",
        "openssl enc -aes-256-cbc -k @",
        "gh secret set X --body=@",
        "tool --api-key-old=@",
        "SECRET_KEY_BASE=@ run",
        "SESSION_COOKIE=@ run",
        "PASSWORD2=@ run",
        "DB-PASSWORD-STAGING-2=@",
        "x 'passwords: @'",
        "x '{\"passwords\":[\"@\"]}'",
        "x '{\"password_prod\": \"@\"}'",
    ] {
        for secret in ["hunter2", "9xQz2LEAK4mV7bK0tR5wN8yHcJ3fD6gS1aPuE"] {
            let line = form.replace('@', secret);
            let kept = redact(&line);
            assert!(!kept.contains(secret) && kept.contains(REDACTED), "{line}: {kept}");
            assert_eq!(redact(&kept), kept, "twice");
        }
    }
    // Of what else is said about a secret, and of names that may hold other things, only what looks generated is one.
    for form in [
        "x password_of_bob=@",
        "x API_KEY_ID=@",
        "x --secret-for-ci @",
        "x --auth @",
        "aws configure set aws_secret_access_key @",
        "npm config set //r/:_authToken @",
    ] {
        assert_eq!(redact(&form.replace('@', "S3crEt9LEAK7abQ2xZ")), form.replace('@', REDACTED));
        assert_eq!(redact(&form.replace('@', "src/main2.rs")), form.replace('@', "src/main2.rs"));
    }
}

/// Every value of up to three of these pieces, each piece quoted in every way that shells have.
#[test]
fn trust_audit_no_way_to_quote_a_secret_leaves_a_part_of_it() {
    let escaped = |piece: &str, which: &[char]| -> String {
        let is_one = |character| which.is_empty() || which.contains(&character);
        piece.chars().flat_map(|character| [is_one(character).then_some('\\'), Some(character)]).flatten().collect()
    };
    let quoted = |piece: &str| {
        let single = format!("'{}'", piece.replace('\'', r"'\''"));
        [single, format!("\"{}\"", escaped(piece, &['"', '\\', '$'])), escaped(piece, &[])]
    };
    let pieces = ["LEAK", "'", "\"", " ", "\\", ",", "$x"];
    let words: Vec<String> = pieces.into_iter().flat_map(quoted).chain(["''".to_owned(), "\"\"".to_owned()]).collect();
    let (mut values, mut count) = (vec![String::new()], 0);
    for _ in 0..3 {
        values = values.iter().flat_map(|value| words.iter().map(move |word| format!("{value}{word}"))).collect();
        for value in values.iter().filter(|value| value.contains('L')) {
            for start in ["password=", "mysql --password=", "mysql --password ", "curl -u a:"] {
                let line = format!("{start}{value}LEAK tail");
                let kept = redact(&line);
                assert!(!kept.contains('L') && kept.ends_with(" tail"), "{line}: {kept}");
                count += 1;
            }
        }
    }
    assert!(count > 10_000, "{count}");
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for text in STAYS.lines() {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn every_pattern_compiles_and_has_a_keyword() {
    assert!(RULES.keywords.is_some() && WORD.is_some() && RULES.rules.len() > 230);
    for rule in &RULES.rules {
        assert!(rule.regex().is_some(), "{}", rule.pattern);
    }
    assert!(RULES.owners.len() > 300);
    assert_eq!(entropy("aabbccdd"), 2.0);
}

/// Every text of up to three of these pieces: no secret begins or ends inside a character, or within another.
#[test]
fn every_mix_of_marks_is_read_to_its_end() {
    let pieces =
        "password|=|: | |\"|'|\\|--|-u|Bearer|://|@|http|\u{e9}|-----BEGIN|PRIVATE KEY-----|ghp_|a1b2C3d4E5f6a7b8|\n|$";
    let pieces: Vec<&str> = pieces.split('|').collect();
    let mut texts = vec![String::new()];
    for _ in 0..3 {
        texts = texts.iter().flat_map(|text| pieces.iter().map(move |piece| format!("{text}{piece}"))).collect();
        for text in &texts {
            let mut end = 0;
            for secret in find_secrets(text) {
                assert!(end <= secret.start && secret.start < secret.end, "{text:?}");
                assert!(text.get(secret.clone()).is_some(), "{text:?}");
                end = secret.end;
            }
        }
    }
}

/// Hostile texts cost as much as others, but for a factor.
#[test]
fn hostile_texts_are_read_in_a_time_that_grows_with_their_length() {
    let seconds = |piece: &str, length: usize| {
        let text = piece.repeat(length / piece.len());
        // The fastest of several runs, because other tests run beside this one.
        let runs = (0..4).map(|_| {
            let start = std::time::Instant::now();
            redact(&text);
            start.elapsed().as_secs_f64()
        });
        runs.fold(f64::MAX, f64::min)
    };
    let keywords: Vec<&str> = GITLEAKS.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    for piece in
        ["key=", "password='", "--password ", "mysql -pa ", "a://", "-----BEGIN", "'a b' ", "eyJ.", &keywords.join(" ")]
    {
        redact(piece);
        let (short, long) = (seconds(piece, 8_000), seconds(piece, 64_000));
        assert!(long < 40.0 * short + 0.5, "{piece}: {short} and {long}");
    }
}

const STAYS: &str = r#"src/main.rs
cargo test --workspace -- --test-threads=1
git log --author=bob --pretty=format:%h
git clone ssh://git@github.com/a/b
git@github.com:a/b.git
https://doc.rust-lang.org/std/?search=password
max_tokens=100
tokens: 2_000_000
token = next_token()
let key = map.keys().next();
monkey=banana
bypass=1
PWD=/srv/app
password=$DB_PASSWORD
password: ${DB_PASSWORD}
password: <password>
password=***
if password == other
the password is checked
-----BEGIN CERTIFICATE-----
AKIA is how they begin
task-list sk-1
commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b
basic usage of the tool
token management in the parser
tests/e2e/secret_santa.rs
é中 password
git commit -p
git add -p src/a.rs
git log -p mysql
mkdir -p a/b
ssh -p 22 host
docker run -p 127.0.0.1:80:80 -u 1000 nginx
docker compose -p proj up
grep -w word file
ps -p 17
mysql -p db
mysql -P 3306 -u root
unzip -p a.zip
7z x -p a.7z
curl -U bob -X POST https://a.b
ldapsearch -W -x
redis-cli -h host ping
ssh-keygen -N '' -f k
vault login -method=github
smbclient -U user //h/s
cat password src/o
rm -f secret Release2024Backup1
curl --key client/keys/2024/key1.pem https://a.b
cargo test --session my-session-2024-01
tool --token next
MAX_TOKEN=4096 run
the TOKEN: see below
mysql -p$DB_PASSWORD
mysql --password "$DB_PASSWORD" 'a  b'
vault login $VAULT_TOKEN
cargo test login handler
gh issue create --title a --body text
htpasswd -c file bob
openssl x509 -key k.pem -in a
password_file=/run/secrets/db1-password
password_policy=strict
SSH_KEY_PATH=/srv/bob/.ssh/id_ed25519_2024
secret_name=database-primary-2
key1=value
git commit -m 'use mysql -p to be asked'
ssh host 'ls -l /srv && mkdir -p /srv/a'"#;
