//! The request lines of `policyc eval`: each line has one answer, whatever is in it and beside it.

use serde_json::Value;
use verify::cases::Premise;

use super::OPEN_TABLE;

/// Every line that is not blank has one answer on a line of its own: a verdict, or an error with the line's number.
pub fn every_line_has_one_answer(bytes: &[u8]) -> Premise {
    let answers = answers(bytes);
    let lines = bytes.split(|byte| *byte == b'\n').zip(1_u64..).filter(|(line, _)| !line.trim_ascii().is_empty());
    let numbers: Vec<u64> = lines.map(|(_, number)| number).collect();
    assert_eq!(answers.len(), numbers.len(), "{answers:?}");
    let mut is_any_judged = false;
    for (answer, number) in answers.iter().zip(numbers) {
        let is_judged = answer.get("verdict").is_some_and(Value::is_string);
        let is_wrong = answer.get("error").is_some_and(Value::is_string) && answer["line"] == number;
        assert!(is_judged != is_wrong, "{answer}");
        is_any_judged |= is_judged;
    }
    Premise::of(is_any_judged)
}

/// What a line is answered does not depend on the lines before it.
pub fn answers_do_not_depend_on_neighbours(bytes: &[u8]) -> Premise {
    let Some((before, last)) = bytes.iter().rposition(|byte| *byte == b'\n').map(|place| bytes.split_at(place)) else {
        return Premise::Missed;
    };
    // Without the line break, and otherwise as it is: errors name columns.
    let (all, alone) = (answers(bytes), answers(last.get(1..).unwrap_or_default()));
    let [alone] = alone.as_slice() else {
        return Premise::Missed;
    };
    let is_same = |name: &str| all.last().is_some_and(|answer| answer.get(name) == alone.get(name));
    assert!(["id", "verdict", "rule", "code", "error"].into_iter().all(is_same), "{all:?} but {alone}");
    Premise::of(!before.is_empty())
}

#[expect(clippy::expect_used, reason = "without a table there is nothing to ask")]
fn answers(lines: &[u8]) -> Vec<Value> {
    let answers = policyc::answer_lines(OPEN_TABLE, "/workspace", lines).expect("the committed table opens");
    let read = |line| serde_json::from_slice(line).expect("an answer is JSON");
    answers.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(read).collect()
}
