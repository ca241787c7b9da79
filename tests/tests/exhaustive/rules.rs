//! Every policy of up to three rules over a few subjects, conditions and limits, and every request over
//! a few paths, numbers, flags and roles.

use policy_model::{Model, Request, Rule};
use policy_syntax::Effect;
use tests::{Answer, Facts, World, check_text, seats, table};

#[test]
fn every_policy_of_two_rules_is_decided_as_the_reference_says() {
    let paths = paths(3);
    assert_eq!(paths.len(), 16);
    let facts = all_facts(&paths, &[&[], &["reader"], &["coder"], &["reader", "coder"]]);
    judge(&Subject::ALL, &Asked::ALL, &facts, 2);
}

/// More rules, so fewer of everything else: what three rules add to two is their order.
#[test]
fn every_policy_of_three_rules_is_decided_as_the_reference_says() {
    let asked = [Asked::Nothing, Asked::Below, Asked::NotBelow, Asked::Ends, Asked::Flag, Asked::LargeAndNotFlag];
    let facts = all_facts(&paths(2), &[&[], &["reader"], &["coder"]]);
    judge(&[Subject::Reader, Subject::Coder], &asked, &facts, 3);
}

/// Every policy of one rule, and of one more before or after it, as tables decide them. A deny more makes no verdict
/// weaker and an allow more none stronger; neither an allow nor an ask overrules a denial or a question with more than
/// a question.
#[test]
fn one_more_rule_moves_verdicts_only_as_its_effect_may() {
    let facts = all_facts(&paths(2), &[&[], &["reader"], &["coder"]]);
    let variants = variants(&Subject::ALL, &Asked::ALL);
    let mut model = model(&variants);
    let placed = placed(&model, 2);
    let requests: Vec<Request> = facts.iter().map(|facts| facts.request(&model).unwrap()).collect();
    let seats = [table()];
    let mut world = World::new(&seats, (variants.len() + 1) * variants.len(), &requests);
    let mut verdicts = |chosen: &[usize]| {
        model.rules = chosen.iter().zip(&placed).map(|(variant, rules)| rules[*variant].clone()).collect();
        let mut verdicts = Vec::new();
        let text = || text(&chosen.iter().map(|variant| variants[*variant]).collect::<Vec<_>>());
        let judged = world.judge(&model, text, |_, answer| verdicts.push(answer.verdict));
        judged.unwrap_or_else(|found| panic!("{found}"));
        assert_eq!(verdicts.len(), facts.len(), "every request has a verdict");
        verdicts
    };
    let alone: Vec<Vec<Effect>> = (0..variants.len()).map(|variant| verdicts(&[variant])).collect();
    let mut moved = 0;
    for (first, second) in (0..variants.len()).flat_map(|first| (0..variants.len()).map(move |second| (first, second)))
    {
        let both = verdicts(&[first, second]);
        for (before, added) in [(&alone[first], variants[second]), (&alone[second], variants[first])] {
            for ((before, after), facts) in before.iter().zip(&both).zip(&facts) {
                let rules = || text(&[variants[first], variants[second]]);
                assert!(
                    may_move(added.effect, *before, *after),
                    "{added:?}: {before:?} to {after:?}\n{}{facts}",
                    rules()
                );
                moved += usize::from(before != after);
            }
        }
    }
    println!("{} variants of a rule, with one more: {world}, {moved} verdicts moved", variants.len());
    assert!(world.refused.is_empty() && moved > 0, "{:?}", world.refused);
}

/// Whether one more rule of that effect may turn one verdict into another.
fn may_move(added: Effect, before: Effect, after: Effect) -> bool {
    match (added, before, after) {
        (_, before, after) if before == after => true,
        (Effect::Deny, _, after) => after == Effect::Deny,
        // It permits what nobody else speaks of, and answers no question.
        (Effect::Allow, before, after) => before == Effect::Deny && after == Effect::Allow,
        // It asks about what was allowed or nobody's, and denies beyond its limit.
        (Effect::Ask, _, after) => after != Effect::Allow,
    }
}

fn judge(subjects: &[Subject], asked: &[Asked], facts: &[Facts], rules_most: usize) {
    let variants = variants(subjects, asked);
    let mut model = model(&variants);
    let placed = placed(&model, rules_most);
    let requests: Vec<Request> = facts.iter().map(|facts| facts.request(&model).unwrap()).collect();
    let table: Vec<Vec<bool>> =
        variants.iter().map(|variant| facts.iter().map(|facts| variant.applies(facts)).collect()).collect();
    let over: Vec<bool> =
        facts.iter().map(|facts| facts.numbers.get("bytes").is_some_and(|bytes| *bytes > 1)).collect();

    let seats = seats();
    let count = |rules: usize| variants.len().pow(u32::try_from(rules).unwrap());
    let mut world = World::new(&seats, (0..=rules_most).map(count).sum(), &requests);
    for rules in 0..=rules_most {
        for number in 0..count(rules) {
            let chosen: Vec<usize> = (0..rules)
                .scan(number, |rest, _| Some(std::mem::replace(rest, *rest / variants.len()) % variants.len()))
                .collect();
            model.rules.clear();
            model.rules.extend(chosen.iter().zip(&placed).map(|(variant, rules)| rules[*variant].clone()));
            let text = || text(&chosen.iter().map(|variant| variants[*variant]).collect::<Vec<_>>());
            let see = |request: usize, answer: &Answer| {
                let rules = chosen.iter().map(|variant| (variants[*variant], table[*variant][request]));
                let expected = decide(&rules, over[request]);
                assert_eq!((answer.verdict, &*answer.rule, &*answer.code), expected, "{}{}", text(), facts[request]);
            };
            if let Err(found) = world.judge(&model, text, see) {
                panic!("{found}");
            }
        }
    }
    println!("{} variants of a rule, up to {rules_most} of them: {world}", variants.len());
    assert!(world.refused.is_empty(), "{:?}", world.refused);
}

/// The six steps of the language reference, over what applies.
fn decide(
    rules: &(impl Iterator<Item = (Variant, bool)> + Clone),
    is_over: bool,
) -> (Effect, &'static str, &'static str) {
    const NAMES: [&str; 3] = ["r0", "r1", "r2"];
    let first = |effect: Effect, wants_within: bool| {
        let mut applying = rules.clone().zip(NAMES).filter(|((rule, applies), _)| rule.effect == effect && *applies);
        applying.find(|((rule, _), _)| !(wants_within && rule.is_limited && is_over)).map(|(_, name)| name)
    };
    if let Some(name) = first(Effect::Deny, false) {
        return (Effect::Deny, name, "FILE_READ_DENIED");
    }
    for (effect, code) in [(Effect::Ask, "APPROVAL_REQUIRED"), (Effect::Allow, "ALLOWED")] {
        if let Some(name) = first(effect, true) {
            return (effect, name, code);
        }
        if let Some(name) = first(effect, false) {
            return (Effect::Deny, name, "LIMIT_EXCEEDED");
        }
    }
    (Effect::Deny, "default-deny", "FILE_READ_DENIED")
}

/// What a rule is made of.
#[derive(Debug, Clone, Copy)]
struct Variant {
    effect: Effect,
    subject: Subject,
    asked: Asked,
    is_limited: bool,
}

#[derive(Debug, Clone, Copy)]
enum Subject {
    Reader,
    Coder,
    Anyone,
}

#[derive(Debug, Clone, Copy)]
enum Asked {
    Nothing,
    Below,
    NotBelow,
    Ends,
    Flag,
    Small,
    LargeAndNotFlag,
    ExactlyOrFlag,
    Listed,
    Starts,
}

impl Variant {
    /// What the words of the rule mean, without patterns, regexes or sets.
    fn applies(self, facts: &Facts) -> bool {
        let holds = |role: &str| facts.roles.contains(role);
        let concerned = match self.subject {
            Subject::Reader => holds("reader") || holds("coder"),
            Subject::Coder => holds("coder"),
            Subject::Anyone => true,
        };
        let path = facts.strings.get("path").map(String::as_str);
        let is_below = path.is_some_and(|path| path == "a" || path.starts_with("a/"));
        let flag = facts.flags.contains("append");
        let is_large = facts.numbers.get("bytes").is_none_or(|bytes| *bytes > 1);
        concerned
            && match self.asked {
                Asked::Nothing => true,
                Asked::Below => is_below,
                Asked::NotBelow => !is_below,
                Asked::Ends => path.is_some_and(|path| path == "b" || path.ends_with("/b")),
                Asked::Flag => flag,
                Asked::Small => !is_large,
                Asked::LargeAndNotFlag => is_large && !flag,
                Asked::ExactlyOrFlag => path == Some("a") || flag,
                Asked::Listed => path.is_some_and(|path| ["b", "a/b", "b/b"].contains(&path)),
                Asked::Starts => path.is_some_and(|path| path.starts_with('a')),
            }
    }
}

impl Subject {
    const ALL: [Self; 3] = [Self::Reader, Self::Coder, Self::Anyone];

    fn text(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Coder => "coder",
            Self::Anyone => "anyone",
        }
    }
}

impl Asked {
    const ALL: [Self; 10] = [
        Self::Nothing,
        Self::Below,
        Self::NotBelow,
        Self::Ends,
        Self::Flag,
        Self::Small,
        Self::LargeAndNotFlag,
        Self::ExactlyOrFlag,
        Self::Listed,
        Self::Starts,
    ];

    fn text(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Below => "where path in \"a/**\"",
            Self::NotBelow => "where not path in \"a/**\"",
            Self::Ends => "where path in \"**/b\"",
            Self::Flag => "where append",
            Self::Small => "where bytes <= 1 B",
            Self::LargeAndNotFlag => "where bytes > 1 B and not append",
            Self::ExactlyOrFlag => "where path == \"a\" or append",
            Self::Listed => "where path in \"*/b\", \"b\"",
            Self::Starts => "where path matches \"^a\"",
        }
    }
}

fn variants(subjects: &[Subject], asked: &[Asked]) -> Vec<Variant> {
    let mut all = Vec::new();
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
        for subject in subjects {
            for asked in asked {
                let limits: &[bool] = if effect == Effect::Deny { &[false] } else { &[false, true] };
                let with =
                    |is_limited: &bool| Variant { effect, subject: *subject, asked: *asked, is_limited: *is_limited };
                all.extend(limits.iter().map(with));
            }
        }
    }
    all
}

/// A rule for each variant at each place: only names and places differ, so nothing is parsed twice.
fn placed(model: &Model, rules_most: usize) -> Vec<Vec<Rule>> {
    let at =
        |place: usize| model.rules.iter().map(move |rule| Rule { name: format!("r{place}"), place, ..rule.clone() });
    (0..rules_most).map(|place| at(place).collect()).collect()
}

fn model(variants: &[Variant]) -> Model {
    check_text(&text(variants)).model.unwrap()
}

fn text(variants: &[Variant]) -> String {
    let mut text =
        "policy small language 1\nwithout std.protected-paths\nrole reader\nrole coder includes reader\n".to_owned();
    for (place, variant) in variants.iter().enumerate() {
        let (effect, who, asked) = (variant.effect.as_str(), variant.subject.text(), variant.asked.text());
        let limit = if variant.is_limited { "limit bytes <= 1 B" } else { "" };
        text.push_str(&format!("rule r{place}: {effect} {who} to file.read {asked} {limit}\n"));
    }
    text
}

/// Every path of at most so many segments, the workspace itself, and none.
fn paths(segments_most: usize) -> Vec<Option<String>> {
    let mut all = vec![None, Some(String::new())];
    let mut last = vec![String::new()];
    for _ in 0..segments_most {
        let longer = last.iter().flat_map(|path| ["a", "b"].map(|segment| format!("{path}/{segment}")));
        last = longer.map(|path| path.trim_start_matches('/').to_owned()).collect();
        all.extend(last.iter().cloned().map(Some));
    }
    all
}

fn all_facts(paths: &[Option<String>], roles: &[&[&str]]) -> Vec<Facts> {
    let mut all = Vec::new();
    for path in paths {
        for bytes in [Some(0), Some(1), Some(2), None] {
            for flag in [false, true] {
                for held in roles {
                    let mut facts = Facts::of("file.read");
                    facts.strings.extend(path.iter().map(|path| ("path".to_owned(), path.clone())));
                    facts.numbers.extend(bytes.map(|bytes| ("bytes".to_owned(), bytes)));
                    facts.flags.extend(flag.then(|| "append".to_owned()));
                    facts.roles.extend(held.iter().map(|role| (*role).to_owned()));
                    all.push(facts);
                }
            }
        }
    }
    all
}
