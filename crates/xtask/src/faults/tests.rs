//! What the tests say is read as they say it; the campaigns are those of the tree.

use super::*;

#[test]
fn every_campaign_and_every_knob_is_one_of_the_tree() {
    let tree = Tree::locate().unwrap();
    let files = tree.files().unwrap();
    let sources: Vec<(&String, String)> = files
        .iter()
        .filter(|path| path.ends_with(".rs") && !path.starts_with("crates/xtask/"))
        .map(|path| (path, tree.read_text(path).unwrap()))
        .collect();
    for campaign in CAMPAIGNS {
        // The file of its module, and a function in it that starts so.
        let (module, start) = campaign.tests.rsplit_once("::").unwrap_or(("", campaign.tests));
        let file = module.rsplit("::").next().filter(|file| !file.is_empty()).or(campaign.target).unwrap();
        let is_there = |(path, text): &(&String, String)| {
            path.contains(campaign.crate_name)
                && path.ends_with(&format!("/{file}.rs"))
                && text.contains(&format!("fn {start}"))
        };
        assert!(sources.iter().any(is_there), "{campaign:?}");
        let knob = campaign.knob.map_or("", |(variable, _)| variable);
        assert!(sources.iter().any(|(_, text)| text.contains(knob)), "{campaign:?}");
    }
}

#[test]
fn a_knob_is_set_for_the_full_number_alone_whatever_is_set_outside() {
    let tree = Tree::locate().unwrap();
    let binary = Binary { crate_name: "tests".into(), target: Some("executor".into()), executable: "x".into() };
    let kills = CAMPAIGNS.first().unwrap();
    assert!(kills.is_in(&binary));
    let set = |effort| {
        let command = kills.command(&tree, &binary, "kills::ctr_a", effort);
        let knobs = command.get_envs().filter(|(name, _)| name.to_string_lossy().starts_with("INTERDICT_"));
        knobs.map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect::<Vec<_>>()
    };
    let none = |name: &str| (name.into(), None);
    let (flood, swap) = (none("INTERDICT_FLOOD_BYTES"), none("INTERDICT_SWAP_SECONDS"));
    let kill = |value: Option<&str>| ("INTERDICT_TEST_KILLS".into(), value.map(Into::into));
    assert_eq!(set(Effort::Full), [flood.clone(), swap.clone(), kill(Some("200"))]);
    assert_eq!(set(Effort::Quick), [flood, swap, kill(None)]);
    assert!(kills.title(Effort::Full).ends_with(": INTERDICT_TEST_KILLS=200"));
    assert_eq!(kills.title(Effort::Quick), kills.name);
}

#[test]
fn what_the_runner_says_is_not_shown_and_what_the_test_says_is() {
    let mut heard = Heard::default();
    let lines = ["", "running 1 test", "200 kills: fine", ".", "test result: ok. 1 passed; 0 failed; 0 ignored", ""];
    let shown: Vec<&str> = lines.iter().filter_map(|line| heard.line(Said::Plainly, line)).collect();
    assert_eq!(shown, ["200 kills: fine"]);
    assert_eq!(heard.verdict(Outcome::Fine), Verdict::Held);
    assert_eq!(heard.verdict(Outcome::Findings), Verdict::Failed);
    let panic = "thread 'a' panicked at b.rs:1:1:";
    assert_eq!((heard.line(Said::AsAnError, panic), heard.errors.as_slice()), (None, [panic.to_owned()].as_slice()));
    let not_tested = "NOT TESTED: nothing can be mounted here";
    assert_eq!(heard.line(Said::AsAnError, not_tested), Some(not_tested));
    assert_eq!(heard.verdict(Outcome::Fine), Verdict::NotTested);
    assert_eq!(heard.verdict(Outcome::Findings), Verdict::Failed);
}

#[test]
fn a_program_that_ran_no_test_has_failed() {
    let mut heard = Heard::default();
    heard.line(Said::Plainly, "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 356 filtered out");
    assert_eq!(heard.verdict(Outcome::Fine), Verdict::Failed);
}

#[test]
fn a_program_is_heard_on_both_streams_to_its_end() {
    let say = |text: &str| watch(Command::new("sh").args(["-c", text])).unwrap();
    assert_eq!(say("echo 'test result: ok. 1 passed'"), Verdict::Held);
    assert_eq!(say("echo 'test result: ok. 1 passed'; echo 'NOT TESTED: x' >&2"), Verdict::NotTested);
    assert_eq!(say("echo 'test result: ok. 1 passed'; exit 101"), Verdict::Failed);
    let error = watch(&mut Command::new("no-such-program-of-ours")).unwrap_err();
    assert!(matches!(error, TaskError::Start { .. }), "{error}");
}

#[test]
fn the_last_line_counts_and_a_failure_or_an_empty_campaign_is_a_finding() {
    let mut tally = Tally::default();
    assert_eq!(tally.outcome(), Outcome::Findings);
    tally.count(Verdict::Held, "a");
    tally.count(Verdict::NotTested, "b");
    assert_eq!(tally.outcome(), Outcome::Fine);
    tally.count(Verdict::Failed, "c");
    assert_eq!(tally.outcome(), Outcome::Findings);
    let last = format!(
        "NOT TESTED: b\nFAILED: c\nfaults: {} campaigns, 0 without tests; 1 tests ok, 1 failed, 1 not tested, in 1.5 s\n",
        CAMPAIGNS.len()
    );
    assert_eq!(tally.render(Duration::from_millis(1_500)), last);
    assert_eq!(Tally { empty: 1, held: 1, ..Tally::default() }.outcome(), Outcome::Findings);
}
