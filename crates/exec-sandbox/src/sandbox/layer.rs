//! The layers of the sandbox, and sets of layers.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// A kernel feature that confines commands. A machine can lack each of them independently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layer {
    /// Programs cannot add rights (setuid bits, file capabilities), and the executor's capabilities are dropped.
    NoNewPrivileges,
    /// Files outside the granted folders cannot be opened; sockets and signals are scoped where the kernel can.
    Landlock,
    /// System calls that are not on a list fail.
    Seccomp,
    /// Rights inside the sandbox are void outside. The other namespaces require it, unless the executor is root.
    UserNamespace,
    /// Other processes are invisible and out of reach, and everything that was started ends with the line.
    PidNamespace,
    /// Only granted directories exist; `/tmp`, `/dev/shm` and the home directory are private.
    MountNamespace,
    /// No network, not even the loopback interface, unless it is granted.
    NetworkNamespace,
    /// System V and POSIX message queues, semaphores and shared memory are private.
    IpcNamespace,
    /// Time, memory, files and processes are limited.
    ResourceLimits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layers(u16);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown sandbox layer `{}`; the layers are {}", _0.escape_debug(), Layer::ALL.map(Layer::name).join(", "))]
pub struct UnknownLayer(pub String);

impl Layer {
    /// In the order of reports.
    pub const ALL: [Self; 9] = [
        Self::NoNewPrivileges,
        Self::Landlock,
        Self::Seccomp,
        Self::UserNamespace,
        Self::PidNamespace,
        Self::MountNamespace,
        Self::NetworkNamespace,
        Self::IpcNamespace,
        Self::ResourceLimits,
    ];

    /// Returns the name that `--accept-missing` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoNewPrivileges => "no-new-privileges",
            Self::Landlock => "landlock",
            Self::Seccomp => "seccomp",
            Self::UserNamespace => "user-namespace",
            Self::PidNamespace => "pid-namespace",
            Self::MountNamespace => "mount-namespace",
            Self::NetworkNamespace => "network-namespace",
            Self::IpcNamespace => "ipc-namespace",
            Self::ResourceLimits => "resource-limits",
        }
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl Layers {
    #[must_use]
    pub fn all() -> Self {
        Layer::ALL.into_iter().collect()
    }

    #[must_use]
    pub fn has(self, layer: Layer) -> bool {
        self.0 & layer.bit() != 0
    }

    #[must_use]
    pub fn with(self, layer: Layer) -> Self {
        Self(self.0 | layer.bit())
    }

    #[must_use]
    pub fn without(self, layer: Layer) -> Self {
        Self(self.0 & !layer.bit())
    }

    pub fn iter(self) -> impl Iterator<Item = Layer> {
        Layer::ALL.into_iter().filter(move |layer| self.has(*layer))
    }
}

impl FromIterator<Layer> for Layers {
    fn from_iter<I: IntoIterator<Item = Layer>>(layers: I) -> Self {
        layers.into_iter().fold(Self::default(), Self::with)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Layer {
    type Err = UnknownLayer;

    fn from_str(name: &str) -> Result<Self, UnknownLayer> {
        Self::ALL.into_iter().find(|layer| layer.name() == name).ok_or_else(|| UnknownLayer(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_read_from_its_name_and_no_other_name_is_read() {
        for layer in Layer::ALL {
            assert_eq!(layer.name().parse(), Ok(layer));
            assert_eq!(serde_json::to_value(layer).unwrap(), layer.name());
        }
        assert_eq!("Landlock".parse::<Layer>(), Err(UnknownLayer("Landlock".to_owned())));
        assert!("".parse::<Layer>().is_err());
    }

    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else() {
        assert_eq!(Layers::all().iter().collect::<Vec<_>>(), Layer::ALL);
        let only = Layers::default().with(Layer::Seccomp);
        assert_eq!(only.iter().collect::<Vec<_>>(), [Layer::Seccomp]);
        assert_eq!(only.without(Layer::Seccomp), Layers::default());
        assert_eq!(only.without(Layer::Landlock), only);
    }
}
