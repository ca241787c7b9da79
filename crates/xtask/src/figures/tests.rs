//! Goals at both sides of their bounds, and the tables as they are printed.

use super::*;

fn figures(example_ms: u64, bounded_ms: u64, bounded_bytes: Option<u64>) -> Figures {
    let size = |rules, ms, peak_bytes| Size { rules, time: Duration::from_millis(ms), peak_bytes };
    Figures {
        example: vec![Duration::from_millis(1), Duration::from_millis(example_ms), Duration::from_secs(1)],
        sizes: vec![
            size(1_000, 10, Some(5_000_000)),
            size(10_000, bounded_ms, bounded_bytes),
            size(100_000, 1_200, None),
        ],
    }
}

fn verdicts(figures: &Figures) -> Vec<Verdict> {
    figures.goals().iter().map(Goal::verdict).collect()
}

#[test]
fn good_figures_meet_every_goal() {
    assert_eq!(verdicts(&figures(9, 120, Some(299_000_000))), [Verdict::Met; 5]);
}

#[test]
fn each_goal_is_missed_at_its_bound() {
    use Verdict::{Met, Missed, NotMeasured};
    assert_eq!(verdicts(&figures(10, 120, Some(1))), [Missed, Met, Met, Met, Met]);
    assert_eq!(verdicts(&figures(9, 1_000, Some(1))), [Met, Missed, Met, Missed, Met]);
    assert_eq!(verdicts(&figures(9, 120, Some(300_000_000))), [Met, Met, Missed, Met, Met]);
    assert_eq!(verdicts(&figures(9, 131, Some(1))), [Met, Met, Met, Missed, Met]);
    assert_eq!(verdicts(&figures(9, 120, None)), [Met, Met, NotMeasured, Met, Met]);
}

#[test]
fn growth_is_against_the_cheapest_smaller_size() {
    let figures = figures(9, 50, None);
    let largest = figures.sizes.last().unwrap();
    let close = |ratio: Option<f64>, expected: f64| (ratio.unwrap() - expected).abs() < 1e-9;
    assert!(close(figures.relative(largest), 1.2));
    assert!(close(figures.growth(largest), 2.4));
    assert_eq!(figures.growth(&figures.sizes[0]), None);
}

#[test]
fn a_size_that_is_missing_is_not_measured() {
    let mut figures = figures(9, 120, None);
    figures.sizes.clear();
    assert_eq!(verdicts(&figures), [Verdict::Met, Verdict::NotMeasured, Verdict::NotMeasured]);
}

#[test]
fn tables_are_printed_in_columns() {
    let figures = figures(9, 140, Some(60_000_000));
    let expected = "\
policies/examples/coding-agent.policy: median 9.00 ms, least 1.00 ms of 3 runs, best of 5 rounds

   rules         time       memory   time/rule      growth
    1000      10.0 ms       5.0 MB      1.00 x           -
   10000     140.0 ms      60.0 MB      1.40 x      1.40 x
  100000    1200.0 ms            -      1.20 x      1.20 x
";
    assert_eq!(figures.render(), expected);
    let expected = "\
checking the example, median        9.00 ms  under     10 ms  pass
checking 10000 rules              140.00 ms  under   1000 ms  pass
memory for 10000 rules             60.00 MB  under    300 MB  pass
growth at 10000 rules               1.40 x   under    1.3 x   FAIL
growth at 100000 rules              1.20 x   under    1.3 x   pass
";
    assert_eq!(render(&figures.goals()), expected);
}

#[test]
fn executables_are_read_from_what_cargo_writes() {
    let json =
        r#"{"reason":"compiler-artifact","target":{"kind":["bin"],"name":"policyc"},"executable":"out/policyc"}"#;
    let artifact: Artifact = serde_json::from_str(json).unwrap();
    assert_eq!((artifact.target.name.as_str(), artifact.executable.as_deref()), ("policyc", Some("out/policyc")));
    assert!(serde_json::from_str::<Artifact>(r#"{"reason":"build-finished","success":true}"#).is_err());
}
