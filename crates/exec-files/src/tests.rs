//! Tests of all file operations, with every error by its name. `TestRoot` has a directory beside the root that must stay untouched.

mod contain;
mod edits;
mod greps;
mod lists;
mod patches;
mod races;
mod reads;
mod roots;
mod space;
mod swap;
mod sweeps;
mod trees;
mod turns;
mod writes;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Denial, Effect, FileError, Links, Span, Stop, Workspace, Write, WriteKind};

/// A root with a folder beside it that nothing may reach.
struct TestRoot {
    dir: TempDir,
    workspace: Workspace,
}

impl TestRoot {
    fn new() -> Self {
        Self::with(Links::FollowInside)
    }

    fn with(links: Links) -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("root")).unwrap();
        fs::create_dir(dir.path().join("outside")).unwrap();
        fs::write(dir.path().join("outside/secret"), SECRET).unwrap();
        let workspace = Workspace::open(&dir.path().join("root"), links).unwrap();
        Self { dir, workspace }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join("root").join(path)
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("outside")
    }

    /// Puts a file there, with the folders above it.
    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }

    fn text(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.at(path)).unwrap()).unwrap()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        self.workspace.read(path.as_bytes(), Span::WHOLE, &mut allow, &Stop::on_request())
    }

    fn write(&self, path: &str, content: &str) -> Result<Effect, FileError> {
        self.write_as(path, content, REPLACE)
    }

    fn write_as(&self, path: &str, content: &str, write: Write) -> Result<Effect, FileError> {
        self.workspace.write(path.as_bytes(), content.as_bytes(), write, &mut allow, &Stop::on_request())
    }

    fn edit(&self, path: &str, old: &str, new: &str) -> Result<Effect, FileError> {
        self.workspace.edit(path.as_bytes(), old.as_bytes(), new.as_bytes(), &mut allow, &Stop::on_request())
    }

    /// A file below `d` that lies deeper than a path can say.
    fn make_deeper_than_a_path(&self) {
        use rustix::fs::{Mode, OFlags, mkdirat, openat};
        fs::create_dir_all(self.at("d")).unwrap();
        let mut folder = rustix::fd::OwnedFd::from(fs::File::open(self.at("d")).unwrap());
        let name = "n".repeat(200);
        for _ in 0..25 {
            mkdirat(&folder, name.as_str(), Mode::RWXU).unwrap();
            folder = openat(&folder, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap();
        }
        let file = openat(&folder, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU).unwrap();
        rustix::io::write(file, b"needle").unwrap();
    }

    /// Removes the folder `d`, however deep: not everybody can.
    fn remove_deep(&self) {
        assert!(std::process::Command::new("rm").arg("-rf").arg(self.at("d")).status().unwrap().success());
    }

    /// Everything inside and outside: path -> what is there.
    fn everything(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.dir.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let (path, kind) = (entry.path(), entry.file_type().unwrap());
                let what = if kind.is_dir() {
                    folders.push(path.clone());
                    "folder".to_owned()
                } else if kind.is_file() {
                    String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
                } else if kind.is_symlink() {
                    format!("-> {}", fs::read_link(&path).unwrap().display())
                } else {
                    format!("{kind:?}")
                };
                found.insert(path, what);
            }
        }
        found
    }

    /// Runs something that has to fail, and holds it to having changed nothing.
    fn unchanged<T: std::fmt::Debug>(&self, act: impl FnOnce() -> Result<T, FileError>) -> FileError {
        let before = self.everything();
        let error = act().expect_err("it has to be refused");
        assert!(error.changed_nothing(), "{error:?}");
        assert_eq!(before, self.everything(), "{error:?} changed something");
        error
    }
}

/// Runs something as an ordinary user would: root may write wherever it wants, unless it is a root without capabilities.
fn as_anybody<T: Send>(act: impl FnOnce() -> T + Send) -> T {
    use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
    std::thread::scope(|scope| {
        let acted = scope.spawn(|| {
            let none = CapabilitySet::empty();
            set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none }).unwrap();
            act()
        });
        acted.join().unwrap()
    })
}

fn allow(_: &[u8]) -> Result<(), Denial> {
    Ok(())
}

/// A judge that denies paths with these in them, and remembers what it is asked.
fn denying<'d>(parts: &'d [&'d str], asked: &'d mut Vec<String>) -> impl FnMut(&[u8]) -> Result<(), Denial> + 'd {
    move |path| {
        let path = String::from_utf8(path.to_vec()).unwrap();
        asked.push(path.clone());
        if parts.iter().any(|part| path.contains(part)) { Err(Denial::new(path)) } else { Ok(()) }
    }
}

fn is_temporary(name: &std::ffi::OsStr) -> bool {
    name.as_bytes().starts_with(b".interdict-") && name.as_bytes().ends_with(b".tmp")
}

const REPLACE: Write = Write { kind: WriteKind::Replace, create_dirs: false, mode: None };
/// A second on a machine that does nothing else, in a build for use; tests run many at a time.
const LATE_MAX: std::time::Duration = std::time::Duration::from_secs(6);
const SECRET: &str = "what nobody may read";
