//! The harness can fail: it finds judges that are wrong on purpose.

use tests::{Campaign, reference, wrong_seats};

#[test]
fn every_mistake_is_found() {
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
    }
    assert_eq!(missed, Vec::<&str>::new());
}
