//! A policy and a request on which two judges differ -> the smallest such case that dropping and
//! shortening reaches.

mod conditions;
mod facts;
mod statements;
mod text;
mod together;

use std::fmt;

use policy_syntax::Severity;

use crate::facts::Facts;
use crate::judge::{Difference, Seat, agree};
use crate::policy::{Policy, Statement};

/// A policy and a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The policy.
    pub policy: Policy,
    /// The request.
    pub facts: Facts,
}

impl Case {
    /// How these judges differ on it; none when they agree, or when it is no case at all.
    #[must_use]
    pub fn difference(&self, seats: [&Seat; 2]) -> Option<Difference> {
        let checked = self.policy.check();
        let model = checked.model.as_ref()?;
        let request = self.facts.request(model)?;
        let mut prepared = Vec::new();
        for seat in seats {
            prepared.push(seat.prepare(model).ok()?);
        }
        let mut judges: Vec<_> = prepared.iter().map(|prepared| prepared.judge()).collect();
        agree(&mut judges, &request).err().map(|difference| *difference)
    }

    /// The smallest case these judges differ on that single steps lead to.
    #[must_use]
    pub fn minimise(self, seats: [&Seat; 2]) -> Self {
        let mut search = Search { case: self, seats, checks_left: CHECKS_MAX };
        search.try_all(vec![search.case.without_packs()]);
        // Large steps first; a small one may make another large one possible.
        while search.pass() {}
        search.case
    }

    /// With the rules of its packs as its own, so that they can be dropped one by one.
    fn without_packs(&self) -> Self {
        let mut statements = Vec::new();
        let mut is_open = false;
        for statement in &self.policy.statements {
            match statement {
                Statement::Use(name) => statements.extend(pack(name)),
                Statement::WithoutProtection => is_open = true,
                other => statements.push(other.clone()),
            }
        }
        let is_used = self.policy.statements.contains(&Statement::Use(policy_model::PROTECTED_PATHS.to_owned()));
        if !is_open && !is_used {
            statements.extend(pack(policy_model::PROTECTED_PATHS));
        }
        statements.insert(0, Statement::WithoutProtection);
        Self { policy: Policy { statements }, facts: self.facts.clone() }
    }

    /// All of these in place of its statements.
    fn with_statements(&self, statements: Vec<Statement>) -> Self {
        Self { policy: Policy { statements }, facts: self.facts.clone() }
    }
}

fn pack(name: &str) -> Vec<Statement> {
    let pack = policy_model::PACKS.iter().find(|pack| pack.name == name);
    pack.and_then(|pack| Policy::read(pack.text)).map(|policy| policy.statements).unwrap_or_default()
}

struct Search<'s> {
    case: Case,
    seats: [&'s Seat; 2],
    checks_left: usize,
}

impl Search<'_> {
    /// Whether some step of some kind was possible.
    fn pass(&mut self) -> bool {
        let mut is_smaller = false;
        for steps in STEPS {
            while self.try_all(steps(&self.case)) {
                is_smaller = true;
            }
        }
        is_smaller
    }

    /// Takes the first of the cases on which the judges still differ.
    fn try_all(&mut self, cases: Vec<Case>) -> bool {
        for case in cases {
            let Some(left) = self.checks_left.checked_sub(1) else {
                return false;
            };
            self.checks_left = left;
            if case != self.case && case.difference(self.seats).is_some() {
                self.case = case;
                return true;
            }
        }
        false
    }
}

/// As a test that can be pasted.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.policy.to_string();
        let mut fence = "#".to_owned();
        while text.contains(&format!("\"{fence}")) {
            fence.push('#');
        }
        writeln!(f, "#[test]\nfn the_judges_agree_on_this_once_found_case() {{")?;
        writeln!(f, "    let policy = r{fence}\"{text}\"{fence};\n    let facts = {};", self.facts)?;
        writeln!(f, "    assert_agreement(policy, &facts);\n}}")
    }
}

/// Fails when some two judges differ on this policy and request.
///
/// # Errors
/// Who differs and how, or why this is no policy with such a request.
pub fn agreement(text: &str, facts: &Facts, seats: &[Seat]) -> Result<(), String> {
    let checked = crate::policy::check_text(text);
    let Some(model) = &checked.model else {
        let errors = checked.diagnostics.iter().filter(|finding| finding.code.severity == Severity::Error);
        return Err(errors.map(|finding| finding.message.clone()).collect::<Vec<_>>().join("\n"));
    };
    let request = facts.request(model).ok_or("the policy has no such request")?;
    let mut prepared = Vec::new();
    for seat in seats {
        prepared.push(seat.prepare(model).map_err(|refusal| format!("{}: {}", seat.name, refusal.0))?);
    }
    let mut judges: Vec<_> = prepared.iter().map(|prepared| prepared.judge()).collect();
    agree(&mut judges, &request).map(|_| ()).map_err(|difference| difference.to_string())
}

type Steps = fn(&Case) -> Vec<Case>;

/// From those that drop most to those that drop least.
const STEPS: &[Steps] = &[
    statements::dropped,
    facts::dropped,
    statements::shortened,
    conditions::simplified,
    facts::shortened,
    conditions::shortened,
    together::changed,
];

/// A check takes a fraction of a millisecond, so this is a matter of seconds.
const CHECKS_MAX: usize = 20_000;
