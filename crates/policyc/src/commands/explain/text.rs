//! An explanation -> styled text for people.

use enforce_core::DEFAULT_DENY;
use policy_judge::{Answer, Bound, Reading};
use policy_model::{Attribute, Budget, Failure, Measure, Miss, written};
use policy_syntax::{Effect, Label, Location, Sources, quote};

use super::explanation::{Explanation, Nearest};
use crate::render::{Passage, Tone, visible};

/// The verdict, what it binds to, the rules that match, and what came closest.
pub(super) fn render(explanation: &Explanation<'_>, sources: &Sources) -> String {
    let mut text = verdict(explanation, sources);
    text.push('\n');
    text.push_str(&matched(explanation, sources));
    let below = [otherwise(explanation), nearest(explanation, sources)];
    for part in below.into_iter().flatten() {
        text.push('\n');
        text.push_str(&part);
    }
    text
}

/// A denial that no rule is asked about.
pub(super) fn refused(answer: &Answer) -> String {
    let target = Some(&answer.target).filter(|target| !target.is_empty());
    let mut notes: Vec<_> = target.map(|target| ("target", quote(target))).into_iter().collect();
    notes.extend(answer.because.clone().map(|because| ("because", because)));
    notes.push(("note", "no rule is asked".to_owned()));
    let passage = Passage {
        tone: Tone::Verdict(Effect::Deny),
        title: format!("by {} ({})", quote(DEFAULT_DENY), answer.code),
        sources: &Sources::default(),
        stretch: None,
        marks: Vec::new(),
        context: Vec::new(),
        notes,
    };
    passage.render()
}

fn verdict(explanation: &Explanation<'_>, sources: &Sources) -> String {
    let said = &explanation.answer;
    let mut notes = Vec::new();
    if !said.target.is_empty() {
        notes.push(("target", quote(&said.target)));
    }
    if explanation.reading == Reading::FactsAlone {
        notes.push(("note", "no request can be built with these facts; they are judged alone".to_owned()));
    }
    let because = explanation.rule.and_then(|rule| rule.because.as_ref());
    notes.extend(because.map(|because| ("because", because.clone())));
    notes.extend(obligations(explanation));
    let name = explanation.rule.map(|rule| Label { at: rule.name_at, text: "this rule decides".to_owned() });
    let (marks, context) = match denying_limit(explanation) {
        Some(miss) => (failures(explanation, miss), name),
        None => (name.into_iter().collect(), None),
    };
    Passage {
        tone: Tone::Verdict(said.verdict),
        title: format!("by {} ({})", quote(&said.rule), said.code),
        sources,
        stretch: explanation.rule.map(|rule| rule.at),
        marks,
        context: context.into_iter().collect(),
        notes,
    }
    .render()
}

/// Returns the failures of the deciding rule, which are shown with the verdict.
fn denying_limit<'e, 'a>(explanation: &'e Explanation<'a>) -> Option<&'e Miss<'a>> {
    match (&explanation.nearest, explanation.rule) {
        (Nearest::Miss(miss), Some(rule)) if miss.rule.place == rule.place => Some(miss),
        (Nearest::Miss(_) | Nearest::NotNeeded | Nearest::NoRule { .. }, _) => None,
    }
}

/// Each failure at its place.
fn failures(explanation: &Explanation<'_>, miss: &Miss<'_>) -> Vec<Label> {
    let label = |failure: &Failure<'_>| Label {
        at: failure.at(miss.rule),
        text: failure.sentence(explanation.model, &explanation.request),
    };
    miss.failures.iter().map(label).collect()
}

/// Lists the obligations of a permitted act, each kind on a line.
fn obligations(explanation: &Explanation<'_>) -> Vec<(&'static str, String)> {
    let said = &explanation.answer.obligations;
    let mut notes = Vec::new();
    if !said.requirements.is_empty() {
        notes.push(("required before the act", said.requirements.join(", ")));
    }
    if !said.limits.is_empty() {
        let limits: Vec<String> = said.limits.iter().map(|bound| limit(explanation, bound)).collect();
        notes.push(("held during the act", limits.join(", ")));
    }
    let charged = explanation.model.budgets.iter().filter(|budget| said.budgets.contains(&budget.name));
    let budgets: Vec<String> = charged.map(budget).collect();
    if !budgets.is_empty() {
        notes.push(("charged to", budgets.join(", ")));
    }
    notes
}

fn limit(explanation: &Explanation<'_>, bound: &Bound) -> String {
    let operation = explanation.model.operations.get(explanation.request.operation.0);
    let attribute = operation.and_then(|operation| operation.attribute(&bound.attribute));
    let most = attribute.map_or_else(|| bound.most.to_string(), |attribute| most(attribute, bound.most));
    format!("{} <= {most}", bound.attribute)
}

fn budget(budget: &Budget) -> String {
    let (what, most) = match &budget.measure {
        Measure::Calls => ("calls", budget.most.to_string()),
        Measure::Sum(attribute) => (&*attribute.name, most(attribute, budget.most)),
    };
    format!("{} ({what} <= {most} per {})", quote(&budget.name), budget.period.as_str())
}

fn most(attribute: &Attribute, most: u64) -> String {
    written(most, attribute.kind)
}

/// Every rule that matches, one a line.
fn matched(explanation: &Explanation<'_>, sources: &Sources) -> String {
    if explanation.matched.is_empty() {
        return "no rule matches this request\n".to_owned();
    }
    let rows: Vec<[String; 4]> = explanation
        .matched
        .iter()
        .map(|one| {
            let why = match (one.decides, &one.why) {
                (true, None) => "decides".to_owned(),
                (true, Some(why)) => format!("decides: {why}"),
                (false, why) => why.clone().unwrap_or_default(),
            };
            let effect = one.rule.effect.as_str().to_owned();
            [one.rule.name.clone(), effect, place(one.rule.name_at, sources), why]
        })
        .collect();
    let mut widths = [0; 4];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let [name, effect, at, _] = widths;
    let line = |[rule, verb, place, why]: &[String; 4]| {
        format!("  {rule:name$}  {verb:effect$}  {:at$}  {}\n", visible(place), visible(why))
    };
    let lines: String = rows.iter().map(line).collect();
    format!("rules that match, the strongest first:\n{lines}")
}

fn place(at: Location, sources: &Sources) -> String {
    sources
        .get(at.file)
        .map_or_else(String::new, |source| format!("{}:{}", source.name(), source.line_of(at.span.start)))
}

/// Says the policy's answer without its rules to deny.
fn otherwise(explanation: &Explanation<'_>) -> Option<String> {
    let otherwise = explanation.otherwise.as_ref()?;
    Some(match otherwise.verdict {
        Effect::Deny => "without its rules to deny the policy would not permit it either\n".to_owned(),
        verdict => {
            let rule = quote(&otherwise.rule);
            format!("without its rules to deny the policy would say: {} by {rule}\n", verdict.as_str())
        }
    })
}

fn nearest(explanation: &Explanation<'_>, sources: &Sources) -> Option<String> {
    match &explanation.nearest {
        Nearest::NotNeeded => None,
        Nearest::Miss(_) if denying_limit(explanation).is_some() => None,
        Nearest::Miss(miss) => Some(closest(explanation, miss, sources)),
        Nearest::NoRule { tool, others } => {
            let operation = explanation.model.operations.get(explanation.request.operation.0);
            let operation = operation.map_or("", |operation| &operation.name);
            let others: Vec<String> = others.iter().map(|name| quote(name)).collect();
            let of_tool = match others.as_slice() {
                [] => format!("nor any other operation of {}", quote(tool)),
                others => format!("of {} these are permitted to someone: {}", quote(tool), others.join(", ")),
            };
            Some(format!("no rule permits {} to anyone; {of_tool}\n", quote(operation)))
        }
    }
}

/// The rule that came closest, with what failed underlined.
fn closest(explanation: &Explanation<'_>, miss: &Miss<'_>, sources: &Sources) -> String {
    let rule = miss.rule;
    let marks = failures(explanation, miss);
    let would = match rule.effect {
        Effect::Allow | Effect::Deny => "would allow it",
        Effect::Ask => "would ask a person",
    };
    let but = match marks.as_slice() {
        [only] => only.text.clone(),
        several => format!("{} things fail", several.len()),
    };
    let title = format!("{} {would}, but {but}", quote(&rule.name));
    let is_named = marks.iter().any(|label| label.at == rule.name_at);
    let name = (!is_named).then(|| Label { at: rule.name_at, text: "this rule comes closest".to_owned() });
    Passage {
        tone: Tone::Remark("nearest"),
        title,
        sources,
        stretch: Some(rule.at),
        marks,
        context: name.into_iter().collect(),
        notes: Vec::new(),
    }
    .render()
}
