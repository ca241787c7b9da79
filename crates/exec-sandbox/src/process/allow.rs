//! Name of a command -> its program, if it is allowed and exists.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The directories in which commands are looked up, and the `PATH` of commands. Never the executor's own `PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
    /// Programs in here are not used, even through a link.
    excluded: Option<PathBuf>,
}

/// The reason why a command has no program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AllowError {
    #[error(
        "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config."
    )]
    NotConfigured,
    #[error("binary \"{}\" not in allowlist", _0.escape_debug())]
    NotAllowed(String),
    #[error("binary \"{}\" not found on system", _0.escape_debug())]
    NotFound(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("interpreter not found: {}", _0.escape_debug())]
pub struct InterpreterNotFound(pub String);

impl Default for SearchPath {
    /// The system's directories.
    fn default() -> Self {
        Self { folders: SYSTEM_PATH.split(':').map(PathBuf::from).collect(), excluded: None }
    }
}

impl SearchPath {
    /// Searches some directories of the operator's choice before the system's, for example toolchains in a home directory.
    /// Paths that are not absolute or contain `:` are skipped: `PATH` cannot express them safely.
    #[must_use]
    pub fn with(first: &[PathBuf]) -> Self {
        let is_sound = |path: &&PathBuf| path.is_absolute() && !path.as_os_str().as_bytes().contains(&b':');
        let mut folders: Vec<PathBuf> = first.iter().filter(is_sound).cloned().collect();
        folders.extend(Self::default().folders);
        Self { folders, excluded: None }
    }

    /// Excludes programs in a directory, given by its canonical path, because commands can write there.
    #[must_use]
    pub fn outside(self, folder: &Path) -> Self {
        Self { excluded: Some(folder.to_owned()), ..self }
    }

    /// Returns a searched directory that lies in `folder` or contains it.
    #[must_use]
    pub fn overlap(&self, folder: &Path) -> Option<PathBuf> {
        let canonical = self.folders.iter().filter_map(|folder| folder.canonicalize().ok());
        canonical.into_iter().find(|searched| searched.starts_with(folder) || folder.starts_with(searched))
    }

    #[must_use]
    pub fn variable(&self) -> Vec<u8> {
        self.folders.iter().map(|folder| folder.as_os_str().as_bytes()).collect::<Vec<_>>().join(&b':')
    }

    /// Finds the program of a name.
    ///
    /// # Errors
    /// When there is no list, the name is not on it, or the program does not exist.
    pub fn validate_binary(&self, name: &[u8], allowlist: &[&str]) -> Result<PathBuf, AllowError> {
        if allowlist.is_empty() {
            return Err(AllowError::NotConfigured);
        }
        let shown = || String::from_utf8_lossy(name).into_owned();
        // A path is not a name, even if the list contains it.
        if !is_name(name) || !allowlist.iter().any(|allowed| allowed.as_bytes() == name) {
            return Err(AllowError::NotAllowed(shown()));
        }
        self.find(name).ok_or_else(|| AllowError::NotFound(shown()))
    }

    /// Finds the interpreter of a script.
    ///
    /// # Errors
    /// When it does not exist.
    pub fn interpreter(&self, name: &str) -> Result<PathBuf, InterpreterNotFound> {
        self.find(name.as_bytes()).ok_or_else(|| InterpreterNotFound(name.to_owned()))
    }

    /// Finds the first program of a name, and returns its canonical path.
    #[must_use]
    pub fn find(&self, name: &[u8]) -> Option<PathBuf> {
        if !is_name(name) {
            return None;
        }
        let mut programs = self.folders.iter().filter_map(|folder| executable(&folder.join(OsStr::from_bytes(name))));
        programs.find(|program| !self.excluded.as_ref().is_some_and(|folder| program.starts_with(folder)))
    }
}

/// True if this is a file name, not a path (SEC-ALLOW-EXACT).
fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/') && !name.contains(&0)
}

fn executable(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let is_file = std::fs::metadata(&path).ok()?.is_file();
    let may_execute = rustix::fs::access(&path, rustix::fs::Access::EXEC_OK).is_ok();
    (is_file && may_execute).then_some(path)
}

pub const SYSTEM_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

#[cfg(test)]
mod tests {
    use super::*;

    fn validate_binary(name: &[u8], allowlist: &[&str]) -> Result<PathBuf, AllowError> {
        SearchPath::default().validate_binary(name, allowlist)
    }

    #[test]
    fn sec_allow_empty_blocks_every_command() {
        for name in [b"ls".as_slice(), b"rm", b""] {
            assert_eq!(validate_binary(name, &[]), Err(AllowError::NotConfigured));
        }
        assert_eq!(
            AllowError::NotConfigured.to_string(),
            "command tool execution blocked: no allowlist configured. Configure allowed_commands in agent or server config."
        );
    }

    #[test]
    fn sec_allow_miss_names_the_binary() {
        let error = validate_binary(b"rm", &["ls", "cat"]).unwrap_err();
        assert_eq!(error.to_string(), "binary \"rm\" not in allowlist");
    }

    #[test]
    fn sec_allow_absent_is_said_of_a_listed_binary_alone() {
        let error = validate_binary(b"custom-tool", &["custom-tool"]).unwrap_err();
        assert_eq!(error.to_string(), "binary \"custom-tool\" not found on system");
        assert!(matches!(validate_binary(b"custom-tool", &["ls"]), Err(AllowError::NotAllowed(_))));
    }

    #[test]
    fn sec_allow_exact_matches_the_whole_name_and_no_path() {
        assert!(validate_binary(b"ls", &["ls"]).is_ok_and(|path| path.is_absolute()));
        for name in ["/bin/ls", "./ls", "../bin/ls", "bin/ls", "LS", "l", "ls ", "ls\0", ".", "..", ""] {
            let error = validate_binary(name.as_bytes(), &["ls"]).unwrap_err();
            assert_eq!(error, AllowError::NotAllowed(name.to_owned()), "{name:?}");
        }
        assert!(matches!(validate_binary(b"/bin/ls", &["/bin/ls"]), Err(AllowError::NotAllowed(_))));
    }

    #[test]
    fn sec_allow_types_differ() {
        let not_allowed = validate_binary(b"rm", &["custom-tool"]).unwrap_err();
        let not_found = validate_binary(b"custom-tool", &["custom-tool"]).unwrap_err();
        assert!(matches!(not_allowed, AllowError::NotAllowed(_)));
        assert!(matches!(not_found, AllowError::NotFound(_)));
    }

    #[test]
    fn the_executors_own_path_is_not_searched() {
        // What is in no folder of the system, though a `PATH` may well have it.
        let place = tempfile::tempdir().unwrap();
        let tool = place.path().join("own-tool");
        std::fs::write(&tool, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert!(matches!(validate_binary(b"own-tool", &["own-tool"]), Err(AllowError::NotFound(_))));
        let wider = SearchPath::with(&[place.path().to_owned()]);
        assert_eq!(wider.validate_binary(b"own-tool", &["own-tool"]), Ok(tool.canonicalize().unwrap()));
        assert_eq!(SearchPath::with(&[PathBuf::from("bin"), PathBuf::from("/a:/b")]), SearchPath::default());
    }

    #[test]
    fn trust_proc_no_program_is_taken_from_where_commands_write() {
        let place = tempfile::tempdir().unwrap();
        let [trusted, root] = ["trusted", "root"].map(|name| place.path().canonicalize().unwrap().join(name));
        for folder in [&trusted, &root] {
            std::fs::create_dir(folder).unwrap();
        }
        let tool = root.join("tool");
        std::fs::write(&tool, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(&tool, trusted.join("tool")).unwrap();
        let path = SearchPath::with(std::slice::from_ref(&trusted));
        assert_eq!(path.find(b"tool"), Some(tool));
        let path = path.outside(&root);
        assert_eq!(path.find(b"tool"), None);
        assert!(path.find(b"ls").is_some());
        assert_eq!(path.overlap(&root), None);
        assert_eq!(path.overlap(&trusted.join("below")), Some(trusted.clone()));
        assert_eq!(path.overlap(place.path().canonicalize().unwrap().as_path()), Some(trusted));
        assert!(path.overlap(Path::new("/usr/local")).is_some());
    }

    #[test]
    fn a_folder_and_a_file_that_is_not_executable_are_no_programs() {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("data"), "").unwrap();
        std::fs::create_dir(place.path().join("folder")).unwrap();
        let path = SearchPath::with(&[place.path().to_owned()]);
        assert_eq!((path.find(b"data"), path.find(b"folder")), (None, None));
    }

    #[test]
    fn sec_inline_missing_interpreter_is_named() {
        let error = SearchPath { folders: Vec::new(), excluded: None }.interpreter("python3").unwrap_err();
        assert_eq!(error.to_string(), "interpreter not found: python3");
        assert!(SearchPath::default().interpreter("sh").is_ok());
        assert!(SearchPath::default().interpreter("/bin/sh").is_err());
    }
}
