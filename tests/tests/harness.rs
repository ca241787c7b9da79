//! The harness itself: what is compared, what is counted, and what is printed of a difference.

#![expect(clippy::unwrap_used, reason = "what goes wrong in a test has to end it")]

use policy_model::Request;
use tests::{
    Answer, Campaign, Facts, Gives, Judge, Prepared, Refusal, Seat, World, agreement, check_text, reference,
    wrong_seats,
};

const CAMPAIGN: Campaign = Campaign { seed: 7, policies: 50, requests_each: 50 };

/// A judge that answers less than it could.
struct Reticent<'m> {
    judge: Box<dyn Judge + 'm>,
    gives: Gives,
    knows_paths: bool,
}

/// A policy for such a judge.
struct ForReticent<'m> {
    policy: Box<dyn Prepared + 'm>,
    gives: Gives,
    knows_paths: bool,
}

impl Prepared for ForReticent<'_> {
    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(Reticent { judge: self.policy.judge(), gives: self.gives, knows_paths: self.knows_paths })
    }
}

impl Judge for Reticent<'_> {
    fn name(&self) -> &'static str {
        "reticent"
    }

    fn judge(&mut self, request: &Request) -> Answer {
        self.judge.judge(request)
    }

    fn gives(&self) -> Gives {
        self.gives
    }

    fn abstains(&self, request: &Request) -> bool {
        !self.knows_paths && request.strings.contains_key("path")
    }
}

fn wrong(name: &str) -> Seat {
    wrong_seats().into_iter().find(|seat| seat.name == name).unwrap()
}

fn reticent(name: &'static str, gives: Gives, knows_paths: bool) -> Seat {
    let seat = if name == "reference" { reference() } else { wrong(name) };
    Seat::new("reticent", move |model| {
        let policy = seat.prepare(model)?;
        Ok(Box::new(ForReticent { policy, gives, knows_paths }))
    })
}

#[test]
fn what_a_judge_does_not_give_is_not_compared() {
    let forgets = "a limit on an open number is forgotten";
    assert!(CAMPAIGN.run(&[reference(), reticent(forgets, Gives::Everything, true)]).is_err());
    assert!(CAMPAIGN.run(&[reference(), reticent(forgets, Gives::VerdictRuleAndCode, true)]).is_ok());
    assert!(CAMPAIGN.run(&[reticent(forgets, Gives::VerdictRuleAndCode, true), reference()]).is_ok());
}

#[test]
fn the_code_and_the_rule_are_compared_whoever_gives_them() {
    for name in ["a rule has no code of its own", "takes the last rule"] {
        assert!(CAMPAIGN.run(&[reference(), reticent(name, Gives::VerdictRuleAndCode, true)]).is_err(), "{name}");
    }
}

#[test]
fn a_request_without_an_answer_is_counted_and_not_compared() {
    let report = CAMPAIGN.run(&[reference(), reticent("reference", Gives::Everything, false)]).unwrap();
    assert_eq!(report.tally.answers, 2_500);
    let abstained = report.abstained["reticent"];
    assert!(abstained > 100 && abstained < 2_400, "{report}");
}

#[test]
fn a_policy_without_a_judge_is_counted() {
    let never = Seat::new("never", |_| Err(Refusal("too hard".to_owned())));
    let report = CAMPAIGN.run(&[reference(), never]).unwrap();
    assert_eq!(report.refused["never"], (report.accepted, "too hard".to_owned()));
}

#[test]
fn a_run_is_repeated_by_its_seed_alone() {
    let seats = [reference(), wrong("case does not count")];
    let found = CAMPAIGN.run(&seats).unwrap_err();
    assert_eq!(CAMPAIGN.run(&seats).unwrap_err(), found);
    let other = Campaign { seed: 8, ..CAMPAIGN };
    assert_ne!(other.run(&seats).unwrap_err(), found);
}

#[test]
fn a_small_world_shows_a_wrong_judge_too() {
    let text = "policy p language 1\nrole reader\nrule r: allow reader to file.read where path in \"a/b/**\", \"b\"\n";
    let model = check_text(text).model.unwrap();
    let request = |path: &str| Facts::of("file.read").role("reader").string("path", path).request(&model).unwrap();
    let requests = ["", "a", "b", "a/a", "a/b"].map(request);
    let seats = [reference(), wrong("a folder's subtree is without the folder")];
    let found = World::new(&seats, 1, &requests).judge(&model, || text.to_owned(), |_, _| {}).unwrap_err();
    assert_eq!(
        (found.policy.as_str(), found.facts),
        (text, Facts::of("file.read").role("reader").string("path", "a/b"))
    );
    let mut seen = 0;
    World::new(&[reference()], 1, &requests).judge(&model, || text.to_owned(), |_, _| seen += 1).unwrap();
    assert_eq!(seen, 5);
}

#[test]
fn a_difference_is_printed_with_its_policy_and_its_request() {
    let seats = [reference(), wrong("a folder's subtree is without the folder")];
    let found = CAMPAIGN.run(&seats).unwrap_err();
    let printed = found.to_string();
    assert!(printed.contains(&found.policy) && printed.contains(&found.facts.to_string()), "{printed}");
    assert!(agreement(&found.policy, &found.facts, &seats).unwrap_err().contains("the judges differ"));
    assert_eq!(agreement(&found.policy, &found.facts, &[reference()]), Ok(()));
}
