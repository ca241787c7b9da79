//! Secrets and the variables of a request -> the complete environment of a command. The executor's own is never read.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fmt;

use super::allow::SearchPath;

/// The environment of a command: `PATH`, `HOME`, configured secrets and the variables of the request.
#[derive(Clone, PartialEq, Eq)]
pub struct SafeEnv {
    path: SearchPath,
    variables: BTreeMap<String, Vec<u8>>,
}

/// The reason why a variable is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    // The value may be a secret.
    #[error("`{}` is not a variable of the form KEY=VALUE", _0.split('=').next().unwrap_or_default().escape_debug())]
    NotAVariable(String),
    #[error("variable `{0}` is set by the executor")]
    Reserved(String),
    #[error("variable `{0}` contains a NUL byte")]
    Nul(String),
    #[error("more than {VARIABLES_MAX} variables, or more than {BYTES_MAX} bytes of them")]
    TooMuch,
}

impl SafeEnv {
    /// Starts with `PATH` and `HOME`, the private home directory.
    #[must_use]
    pub fn new(path: &SearchPath) -> Self {
        Self { path: path.clone(), variables: BTreeMap::new() }
    }

    /// Adds a configured secret.
    ///
    /// # Errors
    /// When the name or the value is invalid.
    pub fn secret(self, name: &str, value: &str) -> Result<Self, EnvironmentError> {
        self.set(name, value)
    }

    /// Adds variables of a request, as `KEY=VALUE` (CTR-0014).
    ///
    /// # Errors
    /// When one is invalid, or is set by the executor or a secret.
    pub fn request<'a>(self, entries: impl IntoIterator<Item = &'a str>) -> Result<Self, EnvironmentError> {
        let secrets: Vec<String> = self.variables.keys().cloned().collect();
        let mut environment = self;
        for entry in entries {
            let (name, value) =
                entry.split_once('=').ok_or_else(|| EnvironmentError::NotAVariable(entry.to_owned()))?;
            if secrets.iter().any(|secret| secret == name) {
                return Err(EnvironmentError::Reserved(name.to_owned()));
            }
            environment = environment.set(name, value)?;
        }
        Ok(environment)
    }

    fn set(mut self, name: &str, value: &str) -> Result<Self, EnvironmentError> {
        let is_sound = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) || !name.bytes().all(is_sound) {
            return Err(EnvironmentError::NotAVariable(name.to_owned()));
        }
        if RESERVED.contains(&name) {
            return Err(EnvironmentError::Reserved(name.to_owned()));
        }
        if value.contains('\0') {
            return Err(EnvironmentError::Nul(name.to_owned()));
        }
        self.variables.insert(name.to_owned(), value.as_bytes().to_owned());
        let bytes: usize = self.variables.iter().map(|(name, value)| name.len().saturating_add(value.len())).sum();
        if self.variables.len() > VARIABLES_MAX || bytes > BYTES_MAX {
            return Err(EnvironmentError::TooMuch);
        }
        Ok(self)
    }

    /// Returns the strings for `execve`, with `TMPDIR` if the temporary directory is not the usual one.
    pub(super) fn strings(&self, home: &[u8], temp: Option<&[u8]>) -> Result<Vec<CString>, std::ffi::NulError> {
        let entry = |name: &str, value: &[u8]| CString::new([name.as_bytes(), b"=", value].concat());
        let fixed = [entry("PATH", &self.path.variable()), entry("HOME", home)];
        let temp = temp.map(|temp| entry("TMPDIR", temp));
        let variables = self.variables.iter().map(|(name, value)| entry(name, value));
        fixed.into_iter().chain(temp).chain(variables).collect()
    }
}

impl fmt::Debug for SafeEnv {
    /// Leaves out the values, which may be secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(["PATH", "HOME"]).entries(self.variables.keys()).finish()
    }
}

const RESERVED: [&str; 3] = ["PATH", "HOME", "TMPDIR"];
const VARIABLES_MAX: usize = 1_000;
/// Well below the kernel's limit for arguments and variables together.
const BYTES_MAX: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(environment: &SafeEnv) -> Vec<String> {
        let strings = environment.strings(b"/tmp/home", None).unwrap();
        strings.into_iter().map(|string| string.into_string().unwrap()).collect()
    }

    fn path() -> String {
        format!("PATH={}", super::super::SYSTEM_PATH)
    }

    #[test]
    fn sec_env_minimal_is_path_home_and_configured_secrets() {
        let environment = SafeEnv::new(&SearchPath::default());
        assert_eq!(strings(&environment), [path(), "HOME=/tmp/home".to_owned()]);
        let environment = environment.secret("API_TOKEN", "s3cret").unwrap();
        assert_eq!(strings(&environment), [path(), "HOME=/tmp/home".to_owned(), "API_TOKEN=s3cret".to_owned()]);
        assert_eq!(format!("{environment:?}"), r#"["PATH", "HOME", "API_TOKEN"]"#);
    }

    #[test]
    fn ctr_0014_request_variables_are_key_value() {
        let environment = SafeEnv::new(&SearchPath::default());
        let set = environment.clone().request(["A=1", "B_2=x=y", "EMPTY="]).unwrap();
        assert_eq!(strings(&set)[2..], ["A=1", "B_2=x=y", "EMPTY="]);
        for entry in ["A", "", "=x", "1A=x", "A B=x", "A-B=x", "Ä=x", "BASH_FUNC_x%%=() { :; }"] {
            let error = environment.clone().request([entry]).unwrap_err();
            assert!(matches!(error, EnvironmentError::NotAVariable(_)), "{entry}");
        }
        assert_eq!(environment.request(["A=\0"]), Err(EnvironmentError::Nul("A".to_owned())));
    }

    #[test]
    fn a_request_overrides_neither_what_the_executor_sets_nor_a_secret() {
        let environment = SafeEnv::new(&SearchPath::default()).secret("TOKEN", "real").unwrap();
        for name in ["PATH", "HOME", "TMPDIR", "TOKEN"] {
            let entry = format!("{name}=evil");
            assert_eq!(environment.clone().request([entry.as_str()]), Err(EnvironmentError::Reserved(name.to_owned())));
        }
    }

    #[test]
    fn a_message_does_not_repeat_a_value() {
        let error = SafeEnv::new(&SearchPath::default()).request(["MY-TOKEN=hunter2"]).unwrap_err();
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }

    #[test]
    fn there_is_an_end_to_variables() {
        let entries: Vec<String> = (0..=VARIABLES_MAX).map(|number| format!("V{number}=")).collect();
        let set =
            |count: usize| SafeEnv::new(&SearchPath::default()).request(entries.iter().take(count).map(String::as_str));
        assert!(set(VARIABLES_MAX).is_ok());
        assert_eq!(set(VARIABLES_MAX + 1), Err(EnvironmentError::TooMuch));
        let long = format!("A={}", "x".repeat(BYTES_MAX));
        assert_eq!(SafeEnv::new(&SearchPath::default()).request([&*long]), Err(EnvironmentError::TooMuch));
    }
}
