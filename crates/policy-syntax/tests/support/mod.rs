//! Policies made at random, as words with blanks and comments between them.

use proptest::prelude::*;
use proptest::sample::select;

/// A policy's text: a header and up to twelve statements, laid out at random.
pub(crate) fn policy() -> impl Strategy<Value = String> {
    let statements = prop::collection::vec(statement(), 0..12);
    (statements, prop::collection::vec(gap(), 64)).prop_map(|(statements, gaps)| {
        let header = ["policy", "generated", "language", "1"].map(str::to_owned).to_vec();
        let mut text = String::new();
        let mut gaps = gaps.iter().cycle();
        for words in std::iter::once(header).chain(statements) {
            for (index, word) in words.iter().enumerate() {
                let gap = gaps.next().map_or(" ", String::as_str);
                text.push_str(if index == 0 && text.is_empty() { " " } else { gap });
                text.push_str(word);
            }
            text.push('\n');
        }
        text
    })
}

const UNITS: [&str; 8] = ["B", "KiB", "MiB", "GiB", "ms", "s", "min", "h"];

fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just(" ".to_owned()),
        2 => select(vec!["\n", "\n\n\n", "\t", "  ", " \r\n "]).prop_map(str::to_owned),
        1 => "[ -~]{0,12}".prop_map(|comment| format!(" # {comment}\n")),
        1 => "[a-zü\"(]{0,12}".prop_map(|comment| format!("\n  # {comment}\n\n")),
    ]
}

fn statement() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![
        select(vec!["std.secrets", "\"./team.policy\""]).prop_map(|target| words(&["use", target])),
        Just(words(&["without", "std.protected-paths"])),
        (name(), prop::collection::vec(name(), 0..4)).prop_map(|(name, includes)| {
            let mut all = vec!["role".to_owned(), name];
            if !includes.is_empty() {
                all.push("includes".to_owned());
                all.extend(listed(includes));
            }
            all
        }),
        (select(vec!["paths", "hosts", "commands", "refs", "models", "names"]), name(), items())
            .prop_map(|(kind, name, items)| [words(&[kind]), vec![name], words(&["="]), items].concat()),
        tool(),
        rule(),
        (name(), subjects(), operations(), attribute(), quantity(), select(vec!["session", "day"])).prop_map(
            |(name, subjects, operations, attribute, quantity, period)| {
                let bound = [vec![attribute], words(&["<="]), quantity, words(&["per", period])].concat();
                [words(&["budget"]), vec![name], words(&[":"]), subjects, operations, bound].concat()
            }
        ),
        (name(), subjects(), operations(), prop::option::of(condition())).prop_map(
            |(name, who, operations, condition)| {
                let head =
                    [words(&["assert"]), vec![name], words(&[":", "never"]), who, words(&["to"]), operations].concat();
                [head, condition.map_or_else(Vec::new, |condition| [words(&["where"]), condition].concat())].concat()
            }
        ),
        (name(), subjects(), operation(), facts(), effect(), prop::option::of(name())).prop_map(
            |(name, who, operation, facts, effect, by)| {
                let head = [words(&["test"]), vec![name], words(&[":"]), who, vec![operation], facts].concat();
                let by = by.map_or_else(Vec::new, |by| vec!["by".to_owned(), by]);
                [head, vec!["=>".to_owned(), effect], by].concat()
            }
        ),
    ]
}

fn tool() -> impl Strategy<Value = Vec<String>> {
    let parameters = || {
        prop::collection::vec((attribute(), select(vec!["string", "int", "flag"])), 0..3).prop_map(|parameters| {
            let each = parameters.into_iter().map(|(name, kind)| vec![name, ":".to_owned(), kind.to_owned()]);
            [words(&["("]), comma_separated(&each.collect::<Vec<_>>()), words(&[")"])].concat()
        })
    };
    let operation = (name(), prop::option::of(parameters()))
        .prop_map(|(name, parameters)| [words(&["op"]), vec![name], parameters.unwrap_or_default()].concat());
    let body = prop_oneof![
        parameters(),
        Just(Vec::new()),
        prop::collection::vec(operation, 0..4).prop_map(|all| [words(&["{"]), all.concat(), words(&["}"])].concat()),
    ];
    (name(), body).prop_map(|(name, body)| [words(&["tool"]), vec![name], body].concat())
}

fn rule() -> impl Strategy<Value = Vec<String>> {
    let bounds = prop::collection::vec((attribute(), quantity()), 1..3).prop_map(|bounds| {
        let each = bounds.into_iter().map(|(name, quantity)| [vec![name], words(&["<="]), quantity].concat());
        [words(&["limit"]), comma_separated(&each.collect::<Vec<_>>())].concat()
    });
    let clauses = (
        prop::option::of(condition()),
        prop::option::of(bounds),
        prop::option::of(select(vec!["clean-tree", "test.required.changed"])),
        prop::option::of(select(vec!["SECRET_PATH", "X"])),
        prop::option::of(string()),
    );
    let head = (name(), effect(), subjects(), operations());
    (head, clauses).prop_map(|((name, effect, who, operations), (condition, limit, require, code, because))| {
        let mut all =
            [words(&["rule"]), vec![name], words(&[":"]), vec![effect], who, words(&["to"]), operations].concat();
        all.extend(condition.into_iter().flat_map(|condition| [words(&["where"]), condition].concat()));
        all.extend(limit.unwrap_or_default());
        all.extend(require.into_iter().flat_map(|require| words(&["require", require])));
        all.extend(code.into_iter().flat_map(|code| words(&["code", code])));
        all.extend(because.into_iter().flat_map(|because| vec!["because".to_owned(), because]));
        all
    })
}

fn condition() -> impl Strategy<Value = Vec<String>> {
    let leaf = prop_oneof![
        name().prop_map(|flag| vec![flag]),
        (attribute(), items()).prop_map(|(name, items)| [vec![name], words(&["in"]), items].concat()),
        (attribute(), string()).prop_map(|(name, regex)| vec![name, "matches".to_owned(), regex]),
        (attribute(), select(vec!["==", "!=", "<=", ">=", "<", ">"]), quantity())
            .prop_map(|(name, operator, quantity)| [vec![name, operator.to_owned()], quantity].concat()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), select(vec!["and", "or"]), inner.clone()).prop_map(|(left, join, right)| [
                left,
                words(&[join]),
                right
            ]
            .concat()),
            inner.clone().prop_map(|inner| [words(&["not", "("]), inner, words(&[")"])].concat()),
            inner.prop_map(|inner| [words(&["("]), inner, words(&[")"])].concat()),
        ]
    })
}

fn items() -> impl Strategy<Value = Vec<String>> {
    let item = prop_oneof![string().prop_map(|text| vec![text]), name().prop_map(|name| vec![name]), quantity()];
    prop::collection::vec(item, 0..5).prop_map(|all| comma_separated(&all))
}

fn facts() -> impl Strategy<Value = Vec<String>> {
    let fact = prop_oneof![
        name().prop_map(|flag| vec![flag]),
        (attribute(), string()).prop_map(|(name, value)| vec![name, value]),
        (attribute(), quantity()).prop_map(|(name, value)| [vec![name], value].concat()),
    ];
    prop::collection::vec(fact, 0..4).prop_map(|facts| facts.concat())
}

fn quantity() -> impl Strategy<Value = Vec<String>> {
    (0_u32..2_000_000, prop::option::of(select(UNITS.to_vec())))
        .prop_map(|(number, unit)| std::iter::once(number.to_string()).chain(unit.map(str::to_owned)).collect())
}

fn subjects() -> impl Strategy<Value = Vec<String>> {
    prop_oneof![Just(words(&["anyone"])), prop::collection::vec(name(), 1..3).prop_map(listed)]
}

fn operations() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(operation(), 1..4).prop_map(listed)
}

fn operation() -> impl Strategy<Value = String> {
    select(vec!["file.read", "file.*", "git.push", "search", "policy-x.test", "*.read"]).prop_map(str::to_owned)
}

fn effect() -> impl Strategy<Value = String> {
    select(vec!["allow", "ask", "deny"]).prop_map(str::to_owned)
}

/// Names that are no unit, because `10 s` is a quantity wherever it stands.
fn name() -> impl Strategy<Value = String> {
    select(vec!["reader", "a", "very-long-name-of-something-that-makes-lines-break", "to-do", "x_Y", "policy-2"])
        .prop_map(str::to_owned)
}

/// Attributes may be called like keywords and units.
fn attribute() -> impl Strategy<Value = String> {
    select(vec!["path", "language", "to", "min", "rule", "limit", "url-path", "s"]).prop_map(str::to_owned)
}

fn string() -> impl Strategy<Value = String> {
    select(vec![
        r#""""#,
        r#""src/**""#,
        r##""# no comment""##,
        r#""a \" quote and \\""#,
        r#""ünïcode, where and rule x:""#,
    ])
    .prop_map(str::to_owned)
}

fn words(all: &[&str]) -> Vec<String> {
    all.iter().map(|word| (*word).to_owned()).collect()
}

fn listed(names: Vec<String>) -> Vec<String> {
    comma_separated(&names.into_iter().map(|name| vec![name]).collect::<Vec<_>>())
}

fn comma_separated(all: &[Vec<String>]) -> Vec<String> {
    all.join(&",".to_owned())
}
