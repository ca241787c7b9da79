//! URLs against a second reader, the crate `url`: whatever our reader accepts, the other one accepts and reads alike.
//! And how hosts match the patterns of a policy.

#![cfg(test)]

#[path = "readers/cases.rs"]
mod cases;
#[path = "readers/gate.rs"]
mod gate;

use cases::cases;
use enforce_core::Verdict;
use fastrand::Rng;
use gate::Gate;
use verify::oracles::URLS;
use verify::oracles::urls::{Second, compare};

const SEED: u64 = 0x0421;

/// Starts that are read, so that what follows them is what is tried.
const STARTS: &str = "https:// http:// https://trusted.com https://trusted.com/ https://a.b:443/ http://a:80 ftp://a/ \
    ws://a/ wss://a: foo://a/ foo://A file:// file://a/ HTTPS://A/ https://127.0.0.1 https://xn--";

/// What readers disagree about, and enough of the ordinary to get past it.
const PIECES: &str = "https http HTTPS ftp ws file foo x-y.z javascript : :// :// / / // \\ @ a b.c trusted.com evil.io \
    TRUSTED.com localhost xn--bcher-kva xn--a XN-- a_b - -- . .. ... %2e %2E .%2e %2f %5c %00 %25 %41 % %4 %zz \
    127.0.0.1 127.1 0x7f 0x 0 017 1.2.3.4 256 4294967295 [::1] [ ] :80 :443 :21 :0 :65535 :65536 :080 ? ?a=b # #a ; & \
    = + , ! $ ' ( ) * ~ ^ ` { } | < > \" \t \n \r \0 \u{7f} \u{a0} \u{e9} \u{3002} \u{ff0e} \u{ff0f} \u{17f} \
    \u{200b} \u{2025} C: C| x/y /a/b index.html";

#[test]
fn what_is_accepted_is_read_alike_by_a_second_reader() {
    let (starts, pieces) = (split(STARTS), split(PIECES));
    let mut dice = Rng::with_seed(SEED);
    let (mut alike, mut names) = (0, 0);
    for _ in 0..URLS {
        match compare(&made(&mut dice, &starts, &pieces)) {
            Some(Second::Alike) => alike += 1,
            Some(Second::RefusesName) => names += 1,
            None => {}
        }
    }
    println!(
        "{alike} of {URLS} that were made are read alike, {names} have a name that only the second reader refuses"
    );
    assert!(alike > URLS / 8, "only {alike} of {URLS} say anything");
    assert!(names < alike / 20, "{names} names are not compared");
}

#[test]
fn the_urls_of_the_corpus_are_read_alike() {
    let cases = cases();
    let urls = cases.iter().filter(|case| case["kind"] == "url");
    let alike = urls.filter(|case| compare(case["input"].as_str().unwrap().as_bytes()) == Some(Second::Alike)).count();
    assert!(alike >= 70, "only {alike}");
}

/// A reader that refuses everything would pass the other tests.
#[test]
fn ordinary_urls_are_accepted_and_read_alike() {
    let hosts = [
        "docs.rs",
        "doc.rust-lang.org",
        "EXAMPLE.com",
        "a_b.example",
        "xn--bcher-kva.example",
        "localhost",
        "10.0.0.1",
    ];
    let paths =
        ["", "/", "/a/b.html", "/a%20b/", "/~user/x;y=z", "/a//b", "/@types/node", "/...", "/[id]", "/a:b,c+d!e*f'(g)"];
    let queries = ["", "?", "?q=a+b&c[]=d", "?next=https://evil.io/../x", "?a@b", "?%zz|{}"];
    for scheme in ["https", "http", "HTTP", "wss", "ftp", "git+ssh"] {
        for port in ["", ":443", ":8080", ":1", ":65535"] {
            for host in hosts {
                for path in paths {
                    for query in queries {
                        let text = format!("{scheme}://{host}{port}{path}{query}");
                        assert_eq!(compare(text.as_bytes()), Some(Second::Alike), "{text}");
                    }
                }
            }
        }
    }
}

/// Blanks are between the pieces, so one more piece is a blank.
fn split(pieces: &'static str) -> Vec<&'static str> {
    pieces.split(' ').filter(|piece| !piece.is_empty()).chain([" "]).collect()
}

fn made(dice: &mut Rng, starts: &[&str], pieces: &[&str]) -> Vec<u8> {
    let mut text = Vec::new();
    if dice.u8(..8) > 0 {
        text.extend_from_slice(starts[dice.usize(..starts.len())].as_bytes());
    }
    for _ in 0..dice.usize(..6) {
        match dice.u8(..12) {
            0 => text.push(dice.u8(..)),
            1 => text.push(dice.u8(b'!'..=b'~')),
            _ => text.extend_from_slice(pieces[dice.usize(..pieces.len())].as_bytes()),
        }
    }
    text
}

#[test]
fn hosts_match_patterns_as_the_language_says() {
    for (pattern, host, verdict) in [
        ("docs.rs", "docs.rs", Verdict::Allow),
        ("docs.rs", "DOCS.rs", Verdict::Allow),
        ("Docs.RS", "docs.rs", Verdict::Allow),
        ("docs.rs", "www.docs.rs", Verdict::Deny),
        ("docs.rs", "evildocs.rs", Verdict::Deny),
        ("docs.rs", "docs.rs.evil.io", Verdict::Deny),
        ("docs.rs", "docsxrs", Verdict::Deny),
        ("*.docs.rs", "a.docs.rs", Verdict::Allow),
        ("*.docs.rs", "a.b.docs.rs", Verdict::Allow),
        ("*.docs.rs", "A.DOCS.RS", Verdict::Allow),
        ("*.Docs.RS", "a.docs.rs", Verdict::Allow),
        ("*.docs.rs", "docs.rs", Verdict::Deny),
        ("*.docs.rs", "evildocs.rs", Verdict::Deny),
        ("*.docs.rs", "a.evildocs.rs", Verdict::Deny),
        ("*.docs.rs", "a.docs.rs.evil.io", Verdict::Deny),
        ("*.docs.rs", ".docs.rs", Verdict::Deny),
        ("*.docs.rs", "a.docs.rs.", Verdict::Deny),
        ("*", "example.com", Verdict::Allow),
        ("*", "localhost", Verdict::Allow),
        ("*", "127.0.0.1", Verdict::Allow),
        ("*", "127.1", Verdict::Deny),
        ("*", "", Verdict::Deny),
    ] {
        let gate = Gate::new(&format!("host in {pattern:?}"));
        assert_eq!(gate.judge(format!("https://{host}/").as_bytes()), verdict, "{pattern} {host}");
    }
}

/// Every host of up to four of these labels, against words that say what a pattern means.
#[test]
fn a_star_stands_for_one_label_or_more_of_every_small_host() {
    let labels = ["a", "b", "ab", "A"];
    let below = Gate::new(r#"host in "*.a.b""#);
    let exactly = Gate::new(r#"host in "a.b""#);
    let mut hosts: Vec<String> = labels.map(str::to_owned).to_vec();
    for _ in 1..4 {
        hosts.extend(hosts.clone().iter().flat_map(|host| labels.map(|label| format!("{label}.{host}"))));
    }
    hosts.sort();
    hosts.dedup();
    assert_eq!(hosts.len(), 4 + 16 + 64 + 256);
    for host in hosts {
        let url = format!("https://{host}");
        let said = |gate: &Gate| gate.judge(url.as_bytes()) == Verdict::Allow;
        let folded = host.to_ascii_lowercase();
        assert_eq!(said(&below), folded.ends_with(".a.b"), "{host}");
        assert_eq!(said(&exactly), folded == "a.b", "{host}");
    }
}
