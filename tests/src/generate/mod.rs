//! Choices -> the text of a policy. Together the policies have every construct of the language that can change an
//! answer; each is small, and its rules speak of few things, so that they meet.

mod conditions;
mod patterns;
mod regexes;
mod rules;
mod scope;
mod vocabulary;

use policy_model::catalogue::set_kind;
use policy_model::{PACKS, PROTECTED_PATHS};
use policy_syntax::SetKind;

use crate::dice::Dice;
use scope::Scope;
use vocabulary::{Vocabulary, quoted};

/// A policy the checker accepts, but for one in some hundreds: what it declares by the first choices, and a rule by each
/// of the others, so that whoever drops choices drops rules.
#[must_use]
pub fn policy(declared: &mut Dice, rules: &mut [Dice]) -> String {
    let words = Vocabulary::new(declared);
    let (tools, operations) = scope::tools(declared);
    let mut scope = Scope::new(declared, words, operations);
    let pack = if declared.chance(4) { declared.pick(PACKS) } else { None };
    let mut statements = Vec::new();
    // To use the pack and to do without it is a contradiction.
    if !declared.chance(8) && pack.is_none_or(|pack| pack.name != PROTECTED_PATHS) {
        statements.push(format!("without {PROTECTED_PATHS}"));
    }
    // The role a pack has for others to include, as its text says.
    let of_pack = pack.and_then(|pack| pack.text.lines().find_map(|line| line.strip_prefix("role ")));
    statements.extend(roles(declared, &mut scope, of_pack));
    statements.extend(tools);
    statements.extend(sets(declared, &mut scope));
    let mut spoken: Vec<String> =
        rules.iter_mut().enumerate().map(|(place, dice)| rules::rule(dice, &scope, place)).collect();
    spoken.extend(rules::budgets(declared, &scope));
    spoken.extend(rules::assertion(declared, &scope));
    // The rules of a pack stand where it is used.
    if let Some(pack) = pack {
        spoken.insert(declared.below(spoken.len().saturating_add(1)), format!("use {}", pack.name));
    }
    statements.extend(spoken);
    // Names may be used above their declaration.
    if declared.chance(10) {
        declared.shuffle(&mut statements);
    }
    format!("policy agreement language 1\n{}\n", statements.join("\n"))
}

/// One to four roles, some of which include earlier ones and the role of a pack.
fn roles(dice: &mut Dice, scope: &mut Scope, of_pack: Option<&str>) -> Vec<String> {
    let count = dice.weighted([(20, 1), (40, 2), (25, 3), (15, 4)]);
    let mut roles = Vec::new();
    for (place, name) in ["reader", "coder", "lead", "guest"].into_iter().take(count).enumerate() {
        let mut includes: Vec<&str> = Vec::new();
        for other in scope.roles.iter().take(place) {
            if dice.chance(45) {
                includes.push(other);
            }
        }
        includes.extend(of_pack.filter(|_| place == 0));
        roles.push(if includes.is_empty() {
            format!("role {name}")
        } else {
            format!("role {name} includes {}", includes.join(", "))
        });
        scope.roles.push(name.to_owned());
    }
    roles
}

/// Up to five sets of the kinds the policy can use; some hold others, one in many holds nothing.
fn sets(dice: &mut Dice, scope: &mut Scope) -> Vec<String> {
    let strings = scope.focus.iter().flat_map(|operation| &operation.attributes);
    let kinds: Vec<SetKind> = strings.filter_map(|attribute| set_kind(attribute.kind)).collect();
    let mut sets = Vec::new();
    for place in 0..dice.weighted([(35, 0), (25, 1), (20, 2), (12, 3), (8, 5)]) {
        let Some(kind) = dice.pick(&kinds).copied() else {
            break;
        };
        let count = dice.weighted([(26, 1), (35, 2), (20, 3), (10, 5), (5, 12), (4, 0)]);
        let mut items: Vec<String> = (0..count).map(|_| quoted(&patterns::pattern(dice, &scope.words, kind))).collect();
        let alike: Vec<&String> = scope.sets.iter().filter(|(other, _)| *other == kind).map(|(_, name)| name).collect();
        if dice.chance(40) {
            items.extend(dice.pick(&alike).map(|name| (*name).clone()));
        }
        let name = format!("set-{place}");
        sets.push(format!("{} {name} = {}", kind.keyword(), items.join(", ")).trim_end().to_owned());
        scope.sets.push((kind, name));
    }
    sets
}
