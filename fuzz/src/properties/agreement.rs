//! Choices -> a policy and requests: the reference, the table and Cedar give the same answers.

use tests::{Campaign, Dice, Report, check_text, generate, seats};
use verify::cases::Premise;

/// All judges agree, on a policy and requests that these bytes choose.
///
/// # Panics
/// When two do not, with the case.
pub fn judges_agree(bytes: &[u8]) -> Premise {
    let seed = bytes.iter().take(8).fold(0, |seed, byte| seed << 8 | u64::from(*byte));
    let chosen: Vec<u32> = bytes.iter().skip(8).copied().map(u32::from).collect();
    let (declared, rules) = chosen.split_at(chosen.len().min(DECLARED_MAX));
    let mut rules: Vec<Dice> = rules.chunks(RULE_MAX).take(RULES_MAX).map(Dice::new).collect();
    rules.push(Dice::seeded(seed));
    let policy = generate::policy(&mut Dice::new(declared), &mut rules);
    let checked = check_text(&policy);
    let Some(model) = &checked.model else {
        return Premise::Missed;
    };
    let campaign = Campaign { seed, policies: 1, requests_each: REQUESTS };
    let agreed = campaign.judge(&policy, model, &seats(), &mut Dice::seeded(seed), &mut Report::default());
    assert!(agreed.is_ok(), "{}", agreed.err().map(|found| found.to_string()).unwrap_or_default());
    Premise::Met
}

/// Choices for what a policy declares, and for each rule.
const DECLARED_MAX: usize = 64;
const RULE_MAX: usize = 48;
const RULES_MAX: usize = 20;
/// Making the judges takes as long as this many requests.
const REQUESTS: usize = 50;
