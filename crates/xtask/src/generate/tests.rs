//! Generated policies: the same bytes as ever, which the digests pin, within the limits of the language.

use super::*;

fn lines(files: &[(String, String)]) -> impl Iterator<Item = &str> {
    files.iter().flat_map(|(_, text)| text.lines())
}

/// FNV-1a over names and texts: enough to see that a byte changed.
fn digest(files: &[(String, String)]) -> u64 {
    let bytes = files.iter().flat_map(|(name, text)| name.bytes().chain(text.bytes()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[test]
fn the_bytes_of_a_seed_are_those_of_yesterday() {
    assert_eq!(digest(&policy(5_000, 42)), 6_084_244_497_832_242_239);
    assert_eq!(digest(&policy_of(Mix::Harder, 5_000, 42)), 17_671_318_504_068_115_055);
}

#[test]
fn a_small_policy_reads_as_expected() {
    let files = policy(4, 1);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["main.policy", "part-0000.policy"]);
    assert_eq!(files[0].1, SMALL_MAIN);
    assert_eq!(files[1].1, SMALL_PART);
}

#[test]
fn rules_are_as_many_as_asked_for_and_each_has_its_test() {
    for rules in [0, 1, 9, 10, 11, 999, 1_000, 1_001, 2_001] {
        let files = policy(rules, 3);
        assert_eq!(lines(&files).filter(|line| line.starts_with("rule ")).count(), rules);
        assert_eq!(lines(&files).filter(|line| line.starts_with("test ")).count(), rules);
        assert_eq!(files.len(), 1 + rules.div_ceil(PART_RULES_MAX));
    }
}

/// Too large a file would be refused by the language.
#[test]
fn every_file_stays_well_below_the_limits_of_the_language() {
    let both = [Mix::Default, Mix::Harder].map(|mix| policy_of(mix, 20_000, u64::MAX));
    for (name, text) in both.iter().flatten() {
        assert!(text.len() < 512 << 10, "{name}: {} bytes", text.len());
        assert!(text.lines().all(|line| line.len() <= LINE_CHARS_MAX), "{name}");
    }
}

#[test]
fn sets_are_declared_only_when_used() {
    for rules in 0..80 {
        let mix = if rules % 2 == 0 { Mix::Default } else { Mix::Harder };
        let files = policy_of(mix, rules / 2, 9);
        for set in ["generated-files", "safe-methods"] {
            let declared = files[0].1.contains(&format!("{set} = "));
            let used = files.iter().skip(1).any(|(_, text)| text.contains(&format!(" in {set}\n")));
            assert_eq!(declared, used, "{set} with {} rules", rules / 2);
        }
    }
}

const SMALL_MAIN: &str = r#"policy generated language 1

use "./part-0000.policy"

role reader
role coder includes reader
role releaser includes coder

paths generated-files = "**/generated/**"
names safe-methods = "GET", "HEAD"
"#;

const SMALL_PART: &str = r#"policy part-0000 language 1

rule keep-flint-00000:
  deny anyone to file.*, fs.*
  where path in "**/flint-00000"
  code SECRET_PATH
  because "Kept from every model."

test keep-flint-00000-holds: coder file.read path "docs/flint-00000" => deny by keep-flint-00000

rule fetch-delta-00001:
  allow coder to http.request
  where host in "*.delta-00001.example.org" and scheme == "https" and method in safe-methods
  limit redirects <= 3, body <= 5 MiB, timeout <= 15 s

test fetch-delta-00001-holds:
  coder http.request host "api.delta-00001.example.org" scheme "https" method "GET"
  => allow by fetch-delta-00001

rule keep-ember-00002:
  deny anyone to file.*, fs.*
  where path in "**/*.ember-00002"
  code SECRET_PATH
  because "Kept from every model."

test keep-ember-00002-holds: coder file.read path "docs/a.ember-00002" => deny by keep-ember-00002

rule read-grove-00003:
  allow reader to file.read
  where path in "crates/grove-00003/docs/**" and not path in generated-files
  limit bytes <= 24 MiB

test read-grove-00003-holds:
  reader file.read path "crates/grove-00003/docs/lib.rs"
  => allow by read-grove-00003
"#;
