//! What makes a comparison fair: requests that hit and miss, alike for every number of rules, and
//! engines that all give the reference evaluator's answers.

use benches::{Name, SIXTY, Verdict, Workload};
use xtask::generate::Mix;

const REQUESTS: usize = 500;

fn workloads() -> Vec<Workload> {
    let sizes = [10, 100].into_iter().flat_map(|rules| [Mix::Default, Mix::Harder].map(|mix| (mix, rules)));
    sizes.map(|(mix, rules)| Workload::new(mix, rules, REQUESTS)).collect()
}

#[test]
fn every_engine_answers_as_the_reference_evaluator_does() {
    for workload in workloads() {
        for asked in [&workload.mixed, &workload.sixty] {
            for name in Name::BUILT {
                let mut engine = name.engine(&workload, &asked.asks);
                for (place, expected) in asked.expected.iter().enumerate() {
                    let expected = engine.says().expects(*expected);
                    assert_eq!(engine.judge(place), expected, "{}: {:?}", name.as_str(), asked.asks[place]);
                }
            }
        }
    }
}

#[test]
fn about_half_of_the_requests_are_decided_by_a_rule_and_all_verdicts_come() {
    for workload in workloads() {
        for asked in [&workload.mixed, &workload.sixty] {
            let part = asked.hits * 100 / asked.asks.len();
            assert!((40..70).contains(&part), "{part} % of {:?}, {} rules", workload.mix, workload.rules);
        }
        // Ten rules may be without one that asks.
        for verdict in Verdict::ALL.into_iter().filter(|verdict| workload.rules > 10 || *verdict != Verdict::Ask) {
            let count = workload.mixed.expected.iter().filter(|expected| **expected == verdict).count();
            assert!(count > REQUESTS / 100, "{count} times {verdict:?}");
        }
    }
}

#[test]
fn paths_of_sixty_bytes_have_sixty_bytes() {
    for workload in workloads() {
        assert_eq!(workload.sixty.asks.len(), REQUESTS);
        for ask in &workload.sixty.asks {
            assert_eq!(ask.string("path").map(str::len), Some(SIXTY), "{ask:?}");
        }
    }
}

#[test]
fn requests_for_few_and_for_many_rules_are_of_the_same_kinds_and_lengths() {
    for mix in [Mix::Default, Mix::Harder] {
        let [few, many] = [10, 1_000].map(|rules| Workload::new(mix, rules, REQUESTS).mixed.asks);
        let tools = |asks: &[benches::Ask]| -> Vec<Option<String>> {
            asks.iter().map(|ask| ask.operation.split('.').next().map(str::to_owned)).collect()
        };
        let about_files = |tool: &Option<String>| matches!(tool.as_deref(), Some("file" | "fs"));
        let same = tools(&few).iter().zip(&tools(&many)).filter(|(few, many)| few == many).count();
        let both = tools(&few).iter().zip(&tools(&many)).all(|(few, many)| about_files(few) == about_files(many));
        assert!(both && same > REQUESTS * 4 / 5, "{same} of {REQUESTS}");
        let bytes = |asks: &[benches::Ask]| asks.iter().map(|ask| ask.strings[0].1.len()).sum::<usize>();
        let (few, many) = (bytes(&few), bytes(&many));
        assert!(few.abs_diff(many) * 20 < few, "{few} bytes and {many}");
    }
}

#[test]
fn the_same_arguments_give_the_same_requests() {
    let [one, other] = [(); 2].map(|()| Workload::new(Mix::Harder, 100, 50));
    assert_eq!((one.mixed.asks, one.sixty.asks, one.table), (other.mixed.asks, other.sixty.asks, other.table));
}
