//! What the caller knows of the session that a request names.

use table_format::RoleId;

use crate::operation::Asked;
use crate::path::Root;
use crate::policy::Policy;

/// A session that is active, and its lease.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// The folder that everything has to lie in.
    pub root: Root<'a>,
    /// Where relative paths start: a path in the root, which is the root itself when empty.
    pub working_directory: &'a [u8],
    /// What the lease covers, whatever policies say (TRUST-LEASE).
    pub scope: Scope<'a>,
    /// The policies, all of which have to agree (GATE-MERGE). Without any, nothing is permitted.
    pub layers: &'a [Layer<'a>],
    /// Whether a person has agreed to this request, under these policies, in this session.
    pub approval: Approval,
}

/// The operations of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope<'a> {
    /// All.
    Everything,
    /// These: `file.read`, or `git.*` for every operation of a tool.
    Only(&'a [&'a str]),
}

/// A policy, and the roles that the session holds in it.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// The policy.
    pub policy: &'a Policy<'a>,
    /// Roles of its table.
    pub roles: &'a [RoleId],
}

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Approval {
    /// Nothing: what has to be asked for is refused.
    Missing,
    /// Yes.
    Given,
}

impl Scope<'_> {
    /// Whether an operation may be asked for at all.
    #[must_use]
    pub fn covers(&self, asked: &Asked<'_>) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(names) => names.iter().any(|name| asked.is_named(name)),
        }
    }
}
