//! Roles and who includes whom.

use std::collections::BTreeSet;

use policy_syntax::{Diagnostic, FileId, Location, Name, StatementKind, Subjects as WrittenSubjects, quote};

use super::names::Names;
use super::{Place, Resolver};
use crate::codes;
use crate::graph;
use crate::link::Origin;
use crate::model::{Role, RoleId, Subjects};

#[derive(Debug)]
pub(super) struct Roles<'a> {
    names: Names<'a>,
    list: Vec<DeclaredRole<'a>>,
    implies: Vec<BTreeSet<RoleId>>,
}

#[derive(Debug)]
struct DeclaredRole<'a> {
    name: &'a Name,
    at: Location,
    origin: Origin,
    is_named: bool,
}

impl Default for Roles<'_> {
    fn default() -> Self {
        Self { names: Names::new("role"), list: Vec::new(), implies: Vec::new() }
    }
}

impl<'a> Roles<'a> {
    /// Lists the roles of the policy's own file that nothing names and that include nothing.
    pub(super) fn idle(&self, root: FileId) -> Vec<(String, Location)> {
        let own = self.list.iter().zip(&self.implies).filter(|(role, _)| role.at.file == root);
        own.filter(|(role, implies)| !role.is_named && implies.len() <= 1)
            .map(|(role, _)| (role.name.text.clone(), role.at))
            .collect()
    }

    pub(super) fn can_be_held(&self, role: RoleId) -> bool {
        self.list.get(role.0).is_some_and(|role| role.origin != Origin::Pack)
    }

    pub(super) fn into_model(self) -> Vec<Role> {
        self.list
            .into_iter()
            .zip(self.implies)
            .map(|(role, implies)| Role {
                name: role.name.text.clone(),
                implies,
                can_be_held: role.origin != Origin::Pack,
                at: role.at,
            })
            .collect()
    }
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn declare_roles(&mut self) {
        let mut included: Vec<(Place<'a>, &'a [Name])> = Vec::new();
        for place in self.places() {
            let StatementKind::Role(role) = &place.statement.kind else {
                continue;
            };
            let at = place.at(role.name.span);
            if self.roles.names.len() >= ROLES_MAX {
                let message = format!("a policy may have at most {ROLES_MAX} roles");
                self.found.error(codes::TOO_MANY_NAMES, at, message, "remove roles that nobody needs");
                break;
            }
            if self.roles.names.declare(place.file(), &role.name, self.found).is_some() {
                let declared = DeclaredRole { name: &role.name, at, origin: place.unit.origin, is_named: false };
                self.roles.list.push(declared);
                included.push((place, &role.includes));
            }
        }
        let edges: Vec<Vec<usize>> = included
            .into_iter()
            .map(|(place, names)| names.iter().filter_map(|name| self.role(place, name)).map(|role| role.0).collect())
            .collect();
        self.flatten_roles(&edges);
    }

    fn flatten_roles(&mut self, edges: &[Vec<usize>]) {
        let order = graph::order(edges);
        for (from, to) in order.closing {
            let (Some(from), Some(to)) = (self.roles.list.get(from), self.roles.list.get(to)) else {
                continue;
            };
            let (at, first) = (from.at, to.at);
            let name = quote(&to.name.text);
            self.found.push(|| {
                Diagnostic::new(codes::ROLE_CYCLE, at, format!("the role {name} includes itself"))
                    .also(first, "the cycle starts here")
                    .help("remove one of the `includes`")
            });
        }
        self.roles.implies = vec![BTreeSet::new(); edges.len()];
        for node in order.nodes {
            let mut implied = BTreeSet::from([RoleId(node)]);
            for target in edges.get(node).into_iter().flatten() {
                implied.extend(self.roles.implies.get(*target).into_iter().flatten());
            }
            if let Some(place) = self.roles.implies.get_mut(node) {
                *place = implied;
            }
        }
    }

    /// Resolves the role of a subject; suggests `anyone` for words such as `everybody`.
    pub(super) fn asking_role(&mut self, place: Place<'a>, name: &Name) -> Option<RoleId> {
        if EVERYBODY.contains(&name.text.as_str()) && self.roles.names.find(&name.text).is_none() {
            let message = format!("unknown role {}", quote(&name.text));
            let help = "did you mean `anyone`, which matches every request?";
            self.found.error(codes::UNKNOWN_ROLE, place.at(name.span), message, help);
            return None;
        }
        self.role(place, name)
    }

    /// Resolves a role; reports an unknown one.
    fn role(&mut self, place: Place<'a>, name: &Name) -> Option<RoleId> {
        let Some(index) = self.roles.names.find(&name.text) else {
            if !self.is_broken(name) {
                let roles = &self.roles.names;
                self.found.push(|| roles.unknown(codes::UNKNOWN_ROLE, &name.text, place.at(name.span)));
            }
            return None;
        };
        if let Some(role) = self.roles.list.get_mut(index) {
            role.is_named = true;
        }
        Some(RoleId(index))
    }

    pub(super) fn subjects(&mut self, place: Place<'a>, subjects: &WrittenSubjects) -> Option<Subjects> {
        match subjects {
            WrittenSubjects::Anyone(_) => Some(Subjects::Anyone),
            WrittenSubjects::Roles(names) => {
                let roles: Vec<_> = names.iter().map(|name| self.asking_role(place, name)).collect();
                roles.into_iter().collect::<Option<_>>().map(Subjects::Roles)
            }
        }
    }
}

/// Rights are unions over included roles, so the number of roles is limited.
const ROLES_MAX: usize = 1_024;

/// Words that people write for `anyone`.
const EVERYBODY: &[&str] = &["anybody", "everybody", "everyone", "all", "any"];
