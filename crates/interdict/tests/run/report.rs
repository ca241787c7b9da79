//! Evidence that is the same whenever it is asked for.

use serde_json::Value;

use crate::support::report;

#[test]
fn invoke_report_is_the_same_twice_and_has_every_part() {
    let (first, code) = report("human");
    let (second, _) = report("human");
    assert_eq!(first, second);
    for part in [
        "## Files written or read\n",
        "## Schema\n",
        "## Containment\n",
        "## Output cap\n",
        "at most 65536 bytes",
        "## Behaviour\n",
        "## Commands and what they said\n",
        "$ interdict run --policy evidence.policy",
        "| `timestamp_utc` | ISO 8601, UTC | 22 of 22 | holds |",
        "| `effects.files[].size_bytes` | int | 5 of 5 | holds |",
        "| `effects.files[].sha256` | str of 64 digits | 5 of 5 | holds |",
        // The line that asks says what is to be in the file, and anybody can hash that.
        "| what is read is what was written | 38 bytes, sha256 c09c5e7c8c20b263b59e6a8bd98345874aa1546b003a5c56a467ca2bdad98419 |",
        "| writing by a link to a folder | PolicyDenied | PolicyDenied | holds |",
        "| no root | GovernanceUnavailable, exit code 2, 0 answers | GovernanceUnavailable, exit code 2, 0 answers | holds |",
        "the ledger is whole",
    ] {
        assert!(first.contains(part), "{part}: {first}");
    }
    assert_eq!(code, Some(0), "`cargo xtask test` installs pytest where there is none: {first}");
    assert!(!first.contains("DOES NOT HOLD"), "{first}");
}

#[test]
fn invoke_report_says_the_same_to_programs() {
    let (text, code) = report("json");
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["output_bytes_max"], 65_536);
    assert_eq!(report["commands"].as_array().unwrap().len(), 6);
    let mut all = ["checks", "schema"].iter().flat_map(|part| report[part].as_array().unwrap());
    let holds = all.all(|row| row["holds"].as_bool().unwrap());
    assert_eq!(report["holds"].as_bool(), Some(holds));
    assert_eq!(code, Some(if holds { 0 } else { 1 }));
}
