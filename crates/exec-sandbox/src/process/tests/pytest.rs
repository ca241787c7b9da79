//! The real pytest: without it these tests fail, because a stand-in would prove nothing.

use std::time::Instant;

use super::*;

fn pytest(workspace: &Workspace, paths: &[&str], timeout: Duration) -> RunResult {
    let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_owned()).collect();
    let task = Pytest::find(&SearchPath::default()).unwrap().task(&paths);
    let output_limits = OutputLimits::Together(INVOKE_OUTPUT_MAX);
    assert_eq!(task.words().last(), paths.last().map_or(Some(b"pytest".as_slice()), |path| Some(path)));
    let ran = ran(Plan { timeout, output_limits, ..workspace.plan(task) });
    assert!(
        !stderr(&ran).contains("No module named pytest"),
        "pytest is not installed: `apt-get install python3-pytest`"
    );
    ran
}

#[test]
fn invoke_pytest_answers_the_code_and_the_raw_output() {
    let workspace = Workspace::with(&[
        ("test_good.py", "def test_good():\n    print('seen')\n    assert 1 + 1 == 2\n"),
        ("test_bad.py", "def test_bad():\n    assert 1 + 1 == 3\n"),
    ]);
    let minute = Duration::from_secs(60);
    let good = pytest(&workspace, &["test_good.py"], minute);
    assert_eq!((good.exit, good.is_truncated()), (Exit::Code(0), false), "{good:?}");
    assert!(stdout(&good).contains("1 passed"), "{good:?}");
    assert!(good.duration > Duration::ZERO);
    let both = pytest(&workspace, &[], minute);
    assert_eq!(both.exit, Exit::Code(1), "{both:?}");
    assert!(stdout(&both).contains("1 failed, 1 passed"), "{both:?}");
}

#[test]
fn invoke_pytest_honours_a_timeout_with_a_hanging_test() {
    let text = "import time\ndef test_hang():\n    while True:\n        try:\n            time.sleep(100)\n        except BaseException:\n            pass\n";
    let workspace = Workspace::with(&[("test_hang.py", text)]);
    let started = Instant::now();
    let ran = pytest(&workspace, &["test_hang.py"], Duration::from_secs(2));
    assert_eq!(ran.exit, Exit::TimedOut, "{ran:?}");
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn invoke_pytest_output_is_capped() {
    let text = "def test_loud():\n    print('x' * 200000)\n    assert False\n";
    let workspace = Workspace::with(&[("test_loud.py", text)]);
    let ran = pytest(&workspace, &["test_loud.py"], Duration::from_secs(60));
    assert_eq!((ran.exit, ran.is_truncated()), (Exit::Code(1), true));
    assert_eq!(ran.stdout.bytes.len() + ran.stderr.bytes.len(), INVOKE_OUTPUT_MAX);
}

#[test]
fn invoke_pytest_paths_are_no_options() {
    let workspace = Workspace::new();
    let ran = pytest(&workspace, &["--version"], Duration::from_secs(60));
    assert_ne!(ran.exit, Exit::Code(0), "{ran:?}");
}
