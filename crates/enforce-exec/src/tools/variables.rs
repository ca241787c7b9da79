//! The operator's settings for variables -> the environment of every command.

use std::collections::{BTreeMap, BTreeSet};

use crate::sandbox::{EnvironmentError, SafeEnv, SearchPath};

/// Variables that commands have beside `PATH` and `HOME`, and those that a request may set.
#[derive(Debug, Default)]
pub struct Variables {
    secrets: Secrets,
    settable: BTreeSet<String>,
}

/// `Debug` shows the names alone.
#[derive(Default)]
struct Secrets(BTreeMap<String, String>);

impl Variables {
    /// Adds a variable to the environment of every command. No request can set it.
    ///
    /// # Errors
    /// When the name or the value is not valid for a variable.
    pub fn secret(mut self, name: &str, value: &str) -> Result<Self, EnvironmentError> {
        self.secrets.0.insert(name.to_owned(), value.to_owned());
        self.environment(&SearchPath::default())?;
        Ok(self)
    }

    /// Lets requests set a variable, beside the ones known to be harmless. The judge still refuses variables that decide which
    /// program a name stands for.
    ///
    /// # Errors
    /// When the name is not valid for a variable, or the executor sets it.
    pub fn settable(mut self, name: &str) -> Result<Self, EnvironmentError> {
        SafeEnv::new(&SearchPath::default()).secret(name, "")?;
        self.settable.insert(name.to_owned());
        Ok(self)
    }

    pub(super) fn is_settable(&self, name: &str) -> bool {
        self.settable.contains(name)
    }

    /// The environment of a command before its request adds to it.
    pub(super) fn environment(&self, path: &SearchPath) -> Result<SafeEnv, EnvironmentError> {
        let add = |environment: SafeEnv, (name, value): (&String, &String)| environment.secret(name, value);
        self.secrets.0.iter().try_fold(SafeEnv::new(path), add)
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_env_minimal_what_is_no_variable_or_the_executors_own_is_refused() {
        for name in ["", "1A", "A-B", "A=B", "PATH", "HOME", "TMPDIR"] {
            assert!(Variables::default().secret(name, "x").is_err(), "{name}");
            assert!(Variables::default().settable(name).is_err(), "{name}");
        }
        assert!(Variables::default().secret("A", "x\0").is_err());
    }

    #[test]
    fn a_secret_is_not_shown() {
        let variables = Variables::default().secret("TOKEN", "hunter2").unwrap().settable("MODE").unwrap();
        let debug = format!("{variables:?}");
        assert!(debug.contains("TOKEN") && debug.contains("MODE") && !debug.contains("hunter2"), "{debug}");
    }
}
