//! Choices -> a policy and requests: the reference, the table and Cedar give the same answers.

use tests::{Campaign, Dice, Report, generate, seats};
use verify::cases::Premise;

/// All judges agree, on a policy and requests that these bytes choose.
///
/// # Panics
/// When two do not: with the smallest case, as a test of its own.
pub fn judges_agree(bytes: &[u8]) -> Premise {
    let mut dice = Dice::of_bytes(bytes);
    let policy = generate::policy(&mut dice);
    let checked = policy.check();
    let Some(model) = &checked.model else {
        return Premise::Missed;
    };
    let campaign = Campaign { seed: 0, policies: 1, requests_each: REQUESTS };
    let agreed = campaign.judge(0, &policy, model, &seats(), &mut dice, &mut Report::default());
    assert!(agreed.is_ok(), "{}", agreed.err().map(|found| found.to_string()).unwrap_or_default());
    Premise::Met
}

/// Making the judges takes as long as this many requests.
const REQUESTS: usize = 50;
