//! Linked files -> Model: declarations first, then everything that names them.

mod attributes;
mod conditions;
mod names;
mod operations;
mod patterns;
mod roles;
mod rules;
mod sets;
mod test_statements;

use std::collections::{BTreeSet, HashMap};

use policy_syntax::{FileId, Location, Name, Span, Statement, StatementKind};

use crate::findings::Findings;
use crate::link::{Linked, Origin, Unit, broken_names};
use crate::model::{Model, Rule};
use names::Names;
use operations::Catalogue;
use roles::Roles;
use sets::Sets;

/// The model of a policy, and which of its declarations are used.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Complete only if no finding is an error.
    pub(crate) model: Model,
    pub(crate) usage: Usage,
}

#[derive(Debug, Default)]
pub(crate) struct Usage {
    pub(crate) sets: Vec<SetUse>,
    /// Roles of the policy's own file that nothing names.
    pub(crate) idle_roles: Vec<(String, Location)>,
    /// Rules that a test expects to decide.
    pub(crate) tested: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) struct SetUse {
    pub(crate) name: String,
    pub(crate) at: Location,
    pub(crate) is_used: bool,
    pub(crate) is_empty: bool,
}

pub(crate) fn resolve<'a>(linked: &'a Linked, found: &mut Findings<'a>) -> Resolved {
    let mut resolver = Resolver {
        linked,
        broken: broken_names(&linked.units),
        roles: Roles::default(),
        sets: Sets::default(),
        catalogue: Catalogue::builtin(),
        regex_bytes: 0,
        found,
    };
    resolver.declare_roles();
    resolver.declare_tools();
    resolver.declare_sets();
    resolver.model()
}

struct Resolver<'a, 'f> {
    linked: &'a Linked,
    broken: BTreeSet<&'a str>,
    roles: Roles<'a>,
    sets: Sets<'a>,
    catalogue: Catalogue,
    /// Compiled size of the regexes read so far.
    regex_bytes: usize,
    found: &'f mut Findings<'a>,
}

/// A statement with its file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    unit: &'a Unit,
    statement: &'a Statement,
}

impl<'a> Resolver<'a, '_> {
    fn model(mut self) -> Resolved {
        let mut rule_names = Names::new("rule");
        let mut budget_names = Names::new("budget");
        let mut assert_names = Names::new("assertion");
        let mut test_names = Names::new("test");
        let root = self.linked.units.first().map(|unit| unit.ast.statements.as_slice()).unwrap_or_default();
        let name = root.iter().find_map(|statement| match &statement.kind {
            StatementKind::Header(header) => Some(header.name.text.clone()),
            _ => None,
        });
        let mut model = Model {
            name: name.unwrap_or_default(),
            roles: Vec::new(),
            operations: Vec::new(),
            rules: Vec::new(),
            budgets: Vec::new(),
            asserts: Vec::new(),
            tests: Vec::new(),
        };
        for place in self.places() {
            let file = place.unit.file;
            match &place.statement.kind {
                StatementKind::Rule(rule) => {
                    self.refuse_reserved_rule(file, &rule.name);
                    // A second rule of the same name is left out: tests could not tell the two apart.
                    if rule_names.declare(file, &rule.name, self.found).is_some() {
                        model.rules.extend(self.rule(place, model.rules.len(), rule));
                    }
                }
                StatementKind::Budget(budget) => {
                    budget_names.declare(file, &budget.name, self.found);
                    model.budgets.extend(self.budget(place, budget));
                }
                StatementKind::Assert(assert) => {
                    assert_names.declare(file, &assert.name, self.found);
                    model.asserts.extend(self.assertion(place, assert));
                }
                StatementKind::Header(_)
                | StatementKind::Use(_)
                | StatementKind::Without(_)
                | StatementKind::Role(_)
                | StatementKind::Set(_)
                | StatementKind::Tool(_)
                | StatementKind::Test(_) => {}
            }
        }
        let mut usage = Usage::default();
        let rules: HashMap<&str, &Rule> = model.rules.iter().map(|rule| (rule.name.as_str(), rule)).collect();
        // Tests name rules that may stand below them.
        for place in self.places() {
            if let StatementKind::Test(test) = &place.statement.kind {
                if place.unit.origin == Origin::Root {
                    test_names.declare(place.unit.file, &test.name, self.found);
                }
                let resolved = self.test(place, test, &rule_names, &rules);
                usage.tested.extend(test.by.iter().map(|rule| rule.text.clone()));
                if matches!(place.unit.origin, Origin::Root | Origin::Request) {
                    model.tests.extend(resolved);
                }
            }
        }
        usage.idle_roles = self.roles.idle(self.linked.root);
        usage.sets = self.sets.usage(self.linked.root);
        model.roles = self.roles.into_model();
        model.operations = self.catalogue.into_model();
        Resolved { model, usage }
    }

    fn places(&self) -> impl Iterator<Item = Place<'a>> + use<'a> {
        self.linked.statements().map(|(unit, statement)| Place { unit, statement })
    }

    /// Returns true if the name was declared by an unreadable statement, which has been reported.
    fn is_broken(&self, name: &Name) -> bool {
        self.broken.contains(name.text.as_str())
    }
}

impl Place<'_> {
    fn at(&self, span: Span) -> Location {
        Location { file: self.unit.file, span }
    }

    fn file(&self) -> FileId {
        self.unit.file
    }
}
