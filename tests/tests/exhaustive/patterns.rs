//! Every small pattern of each kind and every short value; every comparison with a number at its edge.

use std::sync::Arc;

use policy_model::{Condition, LocatedPattern, Model, NUMBER_MAX, Pattern, PatternSet, Regex, Request, Rule};
use policy_syntax::{Effect, Operator, SetKind};
use tests::{Answer, Facts, World, check_text, seats};

#[test]
fn every_small_glob_matches_what_the_reference_says() {
    let globs = joined(&["a", "b", "*", "a*", "*b", "**"], 4, "/");
    let paths = strings("ab/", 5);
    assert_eq!((globs.len(), paths.len()), (1_554, 364));
    let matched = one_pattern("file.read", "path", SetKind::Paths, &globs, &paths, |glob, path| {
        let segments: Vec<&str> = if path.is_empty() { Vec::new() } else { path.split('/').collect() };
        glob_matches(&glob.split('/').collect::<Vec<_>>(), &segments)
    });
    assert!(matched > 20_000, "{matched}");
}

#[test]
fn every_small_word_matches_what_the_reference_says() {
    let globs: Vec<String> = strings("ab*", 4).into_iter().filter(|glob| !glob.is_empty()).collect();
    let words = strings("ab/", 5);
    let matched = one_pattern("proc.list", "filter", SetKind::Names, &globs, &words, |glob, word| {
        word_matches(glob.as_bytes(), word.as_bytes())
    });
    assert!(matched > 5_000, "{matched}");
}

#[test]
fn every_small_host_matches_what_the_reference_says() {
    let names = joined(&["a", "b", "ab"], 3, ".");
    let below = names.iter().map(|name| format!("*.{name}"));
    let patterns: Vec<String> = names.iter().cloned().chain(below).chain(["*".to_owned()]).collect();
    let hosts = strings("ab.", 6);
    let matched = one_pattern("http.request", "host", SetKind::Hosts, &patterns, &hosts, |pattern, host| match pattern
        .strip_prefix('*')
    {
        Some("") => true,
        Some(suffix) => host.len() > suffix.len() && host.ends_with(suffix),
        None => host == pattern,
    });
    assert!(matched > 1_000, "{matched}");
}

/// One glob permits, another denies: what counts is both together.
#[test]
fn every_pair_of_small_globs_is_decided_as_the_reference_says() {
    let globs = joined(&["a", "b", "*", "a*", "*b", "**"], 2, "/");
    let paths = strings("ab/", 5);
    let pattern = |glob: &String| Pattern::new(SetKind::Paths, glob).unwrap();
    let mut model = template("allow", "file.read", "path in \"a\"");
    model.rules.push(Rule { name: "deny".to_owned(), place: 1, effect: Effect::Deny, ..model.rules[0].clone() });
    let requests = requests(&model, "file.read", "path", &paths);
    let seats = seats();
    let mut world = World::new(&seats, globs.len() * globs.len(), &requests);
    for allowed in &globs {
        set_pattern(&mut model.rules[0], pattern(allowed));
        for denied in &globs {
            set_pattern(&mut model.rules[1], pattern(denied));
            let text = || {
                format!(
                    "{}rule deny: deny anyone to file.read where path in {denied:?}\n",
                    text("allow", "file.read", &format!("path in {allowed:?}"))
                )
            };
            let (one, other) = (pattern(allowed), pattern(denied));
            let see = |place: usize, answer: &Answer| {
                let expected = if other.matches(&paths[place]) {
                    (Effect::Deny, "deny")
                } else if one.matches(&paths[place]) {
                    (Effect::Allow, "only")
                } else {
                    (Effect::Deny, "default-deny")
                };
                assert_eq!((answer.verdict, &*answer.rule), expected, "{} on {:?}", text(), paths[place]);
            };
            judge(&mut world, &model, text, see);
        }
    }
    finish(&world);
}

/// What a regex means is for the regex crate to say; here all judges have to mean the same by it.
#[test]
fn every_small_regex_means_the_same_to_all_judges() {
    let regexes = joined(&["a", "b", ".", "[^a]", "(a|b)", "*", "?", "^", "$", "|", r"\b", "(?m)^", "$|"], 3, "");
    let values = strings("ab\n-", 4);
    let mut model = template("allow", "proc.list", "filter matches \"a\"");
    let requests = requests(&model, "proc.list", "filter", &values);
    let seats = seats();
    let mut world = World::new(&seats, regexes.len(), &requests);
    for written in &regexes {
        let Ok(parsed) = Regex::new(written) else {
            continue;
        };
        if let Some(Condition::Matches { regex, .. }) = &mut model.rules[0].condition {
            *regex = parsed;
        }
        judge(&mut world, &model, || text("allow", "proc.list", &format!("filter matches \"{written}\"")), |_, _| {});
    }
    assert!(world.policies > 1_000, "{world}");
    finish(&world);
}

#[test]
fn every_comparison_at_the_edge_of_a_number_is_decided_as_the_reference_says() {
    let edges = [0, 1, 2, NUMBER_MAX - 1, NUMBER_MAX];
    let around = [
        0,
        1,
        2,
        3,
        NUMBER_MAX - 2,
        NUMBER_MAX - 1,
        NUMBER_MAX,
        NUMBER_MAX + 1,
        NUMBER_MAX + 2,
        u64::MAX - 1,
        u64::MAX,
    ];
    let mut model = template("allow", "http.request", "port == 1");
    let values: Vec<Option<u64>> = around.into_iter().map(Some).chain([None]).collect();
    let request = |value: &Option<u64>| {
        let facts = Facts {
            numbers: value.map(|value| ("port".to_owned(), value)).into_iter().collect(),
            ..Facts::of("http.request")
        };
        facts.request(&model).unwrap()
    };
    let requests: Vec<Request> = values.iter().map(request).collect();
    let seats = seats();
    let mut world = World::new(&seats, Operator::ALL.len() * edges.len(), &requests);
    for written in Operator::ALL {
        for edge in edges {
            if let Some(Condition::Number { operator, value, .. }) = &mut model.rules[0].condition {
                (*operator, *value) = (written, edge);
            }
            let text = || text("allow", "http.request", &format!("port {} {edge}", written.as_str()));
            let see = |place: usize, answer: &Answer| {
                // An open number is greater than every number of the language, and so is the largest of all.
                let (number, edge) = (u128::from(values[place].unwrap_or(u64::MAX)), u128::from(edge));
                let holds = match written {
                    Operator::Equal => number == edge,
                    Operator::NotEqual => number != edge,
                    Operator::AtMost => number <= edge,
                    Operator::AtLeast => number >= edge,
                    Operator::Below => number < edge,
                    Operator::Above => number > edge,
                };
                assert_eq!(answer.verdict == Effect::Allow, holds, "{} on {:?}", text(), values[place]);
            };
            judge(&mut world, &model, text, see);
        }
    }
    finish(&world);
}

/// Judges each pattern alone as the condition of one rule to allow; says how often one matched.
fn one_pattern(
    operation: &str,
    attribute: &str,
    kind: SetKind,
    patterns: &[String],
    values: &[String],
    is_match: impl Fn(&str, &str) -> bool,
) -> usize {
    let mut model = template("allow", operation, &format!("{attribute} in \"a\""));
    let requests = requests(&model, operation, attribute, values);
    let seats = seats();
    let mut world = World::new(&seats, patterns.len(), &requests);
    let mut matched = 0;
    for written in patterns {
        set_pattern(&mut model.rules[0], Pattern::new(kind, written).unwrap());
        let see = |place: usize, answer: &Answer| {
            let is_match = is_match(written, &values[place]);
            matched += usize::from(is_match);
            assert_eq!(answer.verdict == Effect::Allow, is_match, "{written:?} on {:?}", values[place]);
        };
        judge(&mut world, &model, || text("allow", operation, &format!("{attribute} in {written:?}")), see);
    }
    finish(&world);
    matched
}

fn judge(world: &mut World<'_>, model: &Model, text: impl Fn() -> String, see: impl FnMut(usize, &Answer)) {
    if let Err(found) = world.judge(model, text, see) {
        panic!("{found}");
    }
}

fn finish(world: &World<'_>) {
    println!("{world}");
    assert!(world.refused.is_empty(), "{:?}", world.refused);
}

fn text(effect: &str, operation: &str, condition: &str) -> String {
    format!(
        "policy small language 1\nwithout std.protected-paths\nrule only: {effect} anyone to {operation} where {condition}\n"
    )
}

fn template(effect: &str, operation: &str, condition: &str) -> Model {
    check_text(&text(effect, operation, condition)).model.unwrap()
}

fn requests(model: &Model, operation: &str, attribute: &str, values: &[String]) -> Vec<Request> {
    values.iter().map(|value| Facts::of(operation).string(attribute, value).request(model).unwrap()).collect()
}

fn set_pattern(rule: &mut Rule, pattern: Pattern) {
    if let Some(Condition::In { sets, at, .. }) = &mut rule.condition {
        let list = Arc::from([LocatedPattern { pattern, at: *at }]);
        *sets = vec![Arc::new(PatternSet { name: None, lists: vec![list] })];
    }
}

/// What the table of patterns in the language reference says, by trying everything.
fn glob_matches(glob: &[&str], segments: &[&str]) -> bool {
    match (glob, segments) {
        ([], []) => true,
        (["**", rest @ ..], _) => (0..=segments.len()).any(|taken| glob_matches(rest, &segments[taken..])),
        ([one, rest @ ..], [first, others @ ..]) => {
            word_matches(one.as_bytes(), first.as_bytes()) && glob_matches(rest, others)
        }
        ([_, ..], []) | ([], [_, ..]) => false,
    }
}

fn word_matches(glob: &[u8], word: &[u8]) -> bool {
    match (glob, word) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => (0..=word.len()).any(|taken| word_matches(rest, &word[taken..])),
        ([one, rest @ ..], [first, others @ ..]) => one == first && word_matches(rest, others),
        ([_, ..], []) | ([], [_, ..]) => false,
    }
}

/// Every list of one to so many of the parts, joined.
fn joined(parts: &[&str], most: usize, by: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut last: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    for _ in 0..most {
        all.extend(last.iter().cloned());
        last = last.iter().flat_map(|text| parts.iter().map(move |part| format!("{text}{by}{part}"))).collect();
    }
    all
}

/// Every string of at most so many of the characters.
fn strings(alphabet: &str, most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last.iter().flat_map(|text| alphabet.chars().map(move |c| format!("{text}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}
