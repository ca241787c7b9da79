//! The folder that everything happens in, and what is asked there.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

/// A root with links that lead out of it, something outside that nobody may reach, and a policy.
pub(super) struct Scene {
    folder: TempDir,
}

/// One line that is asked.
pub(super) struct Ask {
    pub(super) name: &'static str,
    pub(super) line: &'static str,
    /// `ok`, or the type of the error.
    pub(super) expected: &'static str,
}

/// A file that a line is about.
pub(super) struct File {
    pub(super) path: String,
    /// What is to be in it; nothing of one that is read.
    pub(super) content: Option<String>,
}

impl Ask {
    /// The file that it reads or writes: the answer has to tell what became of it.
    pub(super) fn file(&self) -> Option<File> {
        let line: Value = serde_json::from_str(self.line).ok()?;
        let said = |pointer| line.pointer(pointer)?.as_str().map(str::to_owned);
        let is_about_one = matches!(said("/action")?.as_str(), "read_file" | "write_file");
        let file = File { path: said("/args/path")?, content: said("/args/content") };
        (is_about_one && self.expected == OK).then_some(file)
    }
}

impl Scene {
    pub(super) fn new() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let below = |name: &str| folder.path().join(name);
        fs::write(below(POLICY), include_str!("evidence.policy"))?;
        for path in [ROOT, "root/names", OUTSIDE] {
            fs::create_dir(below(path))?;
        }
        fs::write(below(SECRET), "nobody who asks may see this\n")?;
        fs::write(below("root/binary.dat"), [0xff, 0xfe, 0x00, 0x41])?;
        for name in ["b", "a", "c"] {
            fs::write(below("root/names").join(name), name)?;
        }
        symlink("../outside/secret.txt", below("root/file-link"))?;
        symlink("../outside", below("root/folder-link"))?;
        symlink("/etc", below("root/absolute-link"))?;
        Ok(Self { folder })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

pub(super) const POLICY: &str = "evidence.policy";
pub(super) const ROOT: &str = "root";
pub(super) const OUTSIDE: &str = "outside";
pub(super) const SECRET: &str = "outside/secret.txt";

/// How long the test that never ends may run, by its line.
pub(super) const HANG_MS: u64 = 2_000;
/// How long it takes to kill it, at the most.
pub(super) const KILL_MS: u64 = 5_000;

pub(super) const WRITE: &str = "write_file";
pub(super) const READ: &str = "read_file of what was written";
pub(super) const EMPTY: &str = "write_file of nothing";
pub(super) const LIST: &str = "list_dir";
pub(super) const PYTEST: &str = "tests that pass";
pub(super) const FLOOD: &str = "tests that print 200,000 bytes";
pub(super) const HANG: &str = "tests that never end";

/// In this order. What a line needs, one before it has written.
pub(super) const ASKS: &[Ask] = &[
    Ask {
        name: WRITE,
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"test_sum.py","content":"def test_sum():\n    assert 1 + 1 == 2\n"}}"#,
        expected: OK,
    },
    Ask {
        name: READ,
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"test_sum.py"}}"#,
        expected: OK,
    },
    Ask { name: PYTEST, line: r#"{"tool":"pytest","action":"run","args":{"paths":["test_sum.py"]}}"#, expected: OK },
    Ask {
        name: EMPTY,
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"empty","content":""}}"#,
        expected: OK,
    },
    Ask { name: LIST, line: r#"{"tool":"filesystem","action":"list_dir","args":{"path":"names"}}"#, expected: OK },
    Ask {
        name: "read_file of nothing",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"missing"}}"#,
        expected: "NotFound",
    },
    Ask {
        name: "read_file of no UTF-8",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"binary.dat"}}"#,
        expected: "EncodingError",
    },
    Ask { name: "an unknown tool", line: r#"{"tool":"database","action":"query","args":{}}"#, expected: DENIED },
    Ask { name: "an unknown action", line: r#"{"tool":"filesystem","action":"chown","args":{}}"#, expected: DENIED },
    Ask {
        name: "a path that leads up",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"../outside/secret.txt"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "a path that leads down and up",
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"names/../../outside/made","content":"x"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "an absolute path",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"/etc/hostname"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "a folder that leads up",
        line: r#"{"tool":"filesystem","action":"list_dir","args":{"path":".."}}"#,
        expected: DENIED,
    },
    Ask {
        name: "reading by a link to a file",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"file-link"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "writing by a link to a file",
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"file-link","content":"x"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "reading by a link to a folder",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"folder-link/secret.txt"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "writing by a link to a folder",
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"folder-link/made","content":"x"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "reading by an absolute link",
        line: r#"{"tool":"filesystem","action":"read_file","args":{"path":"absolute-link/hostname"}}"#,
        expected: DENIED,
    },
    Ask {
        name: "the tests that print",
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"test_flood.py","content":"def test_flood():\n    print(\"x\" * 200_000)\n    assert False\n"}}"#,
        expected: OK,
    },
    Ask { name: FLOOD, line: r#"{"tool":"pytest","action":"run","args":{"paths":["test_flood.py"]}}"#, expected: OK },
    Ask {
        name: "the tests that hang",
        line: r#"{"tool":"filesystem","action":"write_file","args":{"path":"test_hang.py","content":"import time\n\ndef test_hang():\n    time.sleep(600)\n"}}"#,
        expected: OK,
    },
    Ask {
        name: HANG,
        line: r#"{"tool":"pytest","action":"run","args":{"paths":["test_hang.py"],"timeout_ms":2000}}"#,
        expected: "Timeout",
    },
];

pub(super) const OK: &str = "ok";
const DENIED: &str = "PolicyDenied";
