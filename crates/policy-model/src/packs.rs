//! The rule packs that come with the compiler.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pack {
    pub name: &'static str,
    pub text: &'static str,
}

pub const PACKS: &[Pack] = &[
    Pack { name: "std.git-safety", text: include_str!("../../../policies/std/git-safety.policy") },
    Pack { name: "std.network-safe", text: include_str!("../../../policies/std/network-safe.policy") },
    Pack { name: "std.node-dev", text: include_str!("../../../policies/std/node-dev.policy") },
    Pack { name: PROTECTED_PATHS, text: include_str!("../../../policies/std/protected-paths.policy") },
    Pack { name: "std.python-dev", text: include_str!("../../../policies/std/python-dev.policy") },
    Pack { name: "std.rust-dev", text: include_str!("../../../policies/std/rust-dev.policy") },
    Pack { name: "std.secrets", text: include_str!("../../../policies/std/secrets.policy") },
];

/// The pack that every policy has unless it says `without`.
pub const PROTECTED_PATHS: &str = "std.protected-paths";

pub(crate) fn find(name: &str) -> Option<&'static Pack> {
    PACKS.iter().find(|pack| pack.name == name)
}
