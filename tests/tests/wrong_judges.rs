//! The harness can fail: it finds judges that are wrong on purpose, and says so in a few lines.

use tests::{Campaign, reference, wrong_seats};

#[test]
fn every_mistake_is_found_and_made_small() {
    let mut missed = Vec::new();
    for wrong in wrong_seats() {
        let name = wrong.name;
        let campaign = Campaign { seed: 1, policies: 1_000, requests_each: 100 };
        let Err(found) = campaign.run(&[reference(), wrong]) else {
            missed.push(name);
            continue;
        };
        println!("{name}: {found}");
        assert_eq!(found.difference.second.0, name);
        assert!(found.policy.lines().filter(|line| line.starts_with("rule ")).count() <= 4, "{found}");
    }
    assert_eq!(missed, Vec::<&str>::new());
}
