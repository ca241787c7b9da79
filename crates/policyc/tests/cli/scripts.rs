//! The scripts behind the GitHub action and the pre-commit hooks, run in a repository made for it.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{BAD, BINARY, GOOD, Run, folder_with, of_crate};

#[test]
fn only_changed_policies_are_checked() {
    let repository = Repository::with(&[("old bad.policy", BAD), ("a b.policy", GOOD), ("README.md", "")]);
    repository.write("README.md", "changed");
    assert_eq!(repository.check(&[]), fine("no policies to check\n"));
    repository.write("a b.policy", BAD);
    let run = repository.check(&[]);
    assert_eq!((run.code, files(&run)), (Some(1), vec!["a b.policy".to_owned()]), "{run:?}");
    assert!(run.stdout.ends_with("in 1 checked file\n"), "{}", run.stdout);
}

#[test]
fn a_new_policy_is_checked_once_it_is_added() {
    let repository = Repository::with(&[("good.policy", GOOD)]);
    repository.write("nested/new.policy", BAD);
    assert_eq!(repository.check(&[]), fine("no policies to check\n"));
    repository.git(&["add", "."]);
    assert_eq!(files(&repository.check(&[])), ["nested/new.policy"]);
}

#[test]
fn importers_of_what_changed_are_checked_too_however_far_away() {
    let import = |file: &str| format!("{BAD}use \"{file}\"\n");
    let repository = Repository::with(&[
        ("team.policy", GOOD),
        ("project.policy", &import("./team.policy")),
        ("deep/agent.policy", &import("../project.policy")),
        ("stranger.policy", &import("./other.policy")),
        ("other.policy", GOOD),
    ]);
    repository.write("team.policy", "policy team language 1\n");
    assert_eq!(files(&repository.check(&[])), ["deep/agent.policy", "project.policy"]);
}

#[test]
fn a_deleted_or_moved_policy_is_not_checked_but_its_importers_are() {
    let importer = format!("{BAD}use \"./team.policy\"\n");
    let repository = Repository::with(&[("team.policy", GOOD), ("agent.policy", &importer), ("alone.policy", BAD)]);
    repository.git(&["rm", "-q", "alone.policy"]);
    assert_eq!(repository.check(&[]), fine("no policies to check\n"));
    repository.git(&["mv", "team.policy", "moved.policy"]);
    let run = repository.check(&[]);
    assert_eq!(files(&run), ["agent.policy"]);
    assert!(run.stdout.ends_with("in 2 checked files\n"), "the moved file is one of them: {}", run.stdout);
}

#[test]
fn without_a_known_base_every_tracked_policy_is_checked() {
    let repository = Repository::with(&[("a.policy", BAD), ("b.policy", BAD)]);
    repository.write("untracked.policy", BAD);
    for base in ["", "0000000000000000000000000000000000000000", "1234567890123456789012345678901234567890", "main; x"]
    {
        assert_eq!(files(&repository.check(&[("BASE", base)])), ["a.policy", "b.policy"], "{base}");
    }
    assert_eq!(files(&repository.check(&[("ALL", "true")])), ["a.policy", "b.policy"]);
}

#[test]
fn named_files_are_checked_and_nothing_else() {
    let repository = Repository::with(&[("a b.policy", BAD), ("-c.policy", BAD), ("d.policy", BAD)]);
    let run = repository.check(&[("FILES", "a b.policy\n\n-c.policy\n")]);
    assert_eq!((run.code, files(&run)), (Some(1), vec!["a b.policy".to_owned(), "-c.policy".to_owned()]));
    assert_eq!(repository.check(&[("FILES", "missing.policy")]).code, Some(2));
}

#[test]
fn what_goes_wrong_is_not_taken_for_fine() {
    let repository = Repository::with(&[("a.policy", GOOD)]);
    let all = ("ALL", "true");
    assert_eq!(repository.check(&[all, ("POLICYC", "/nowhere/policyc")]).code, Some(127));
    assert_eq!(repository.check(&[all, ("FAIL_LEVEL", "never")]).code, Some(2));
    fs::remove_dir_all(repository.folder.path().join(".git")).unwrap();
    assert_ne!(repository.check(&[]).code, Some(0), "there is no repository");
}

#[test]
fn the_pre_commit_script_runs_policyc_where_it_was_called() {
    let place = folder_with(&[("a b.policy", BAD)]);
    let mut command = Command::new(of_crate("../../scripts/pre-commit-policyc"));
    command.args(["check", "a b.policy"]).current_dir(place.path()).env("POLICYC", BINARY);
    let run = finish(command);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains(" --> a b.policy:4:16\n"), "{}", run.stdout);
}

#[test]
fn a_part_of_a_policy_is_judged_in_its_importer() {
    let main = "policy main language 1\n\nuse \"./part.policy\"\n\nrole r\n";
    let part =
        "policy part language 1\n\nrule x:\n  deny r to file.read\n\ntest t: r file.read path \"a\" => deny by x\n";
    let repository = Repository::with(&[("main.policy", main), ("part.policy", part)]);
    let named = [("FILES", "part.policy"), ("FAIL_LEVEL", "warning")];
    assert_eq!(repository.check(&named).code, Some(0));
    let hook = || {
        let mut command = Command::new(of_crate("../../scripts/pre-commit-policyc"));
        command.args(["check", "--fail-level", "warning", "part.policy"]);
        command.current_dir(repository.folder.path()).env("POLICYC", BINARY);
        finish(command)
    };
    assert_eq!(hook().code, Some(0));
    repository.write("part.policy", &part.replace("deny r", "deny rr"));
    assert_eq!(repository.check(&named).code, Some(1));
    assert_eq!(hook().code, Some(1));
}

struct Repository {
    folder: TempDir,
    base: String,
}

impl Repository {
    /// With one commit that has these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let mut repository = Self { folder: folder_with(files), base: String::new() };
        repository.git(&["init", "-q"]);
        repository.git(&["add", "."]);
        repository.git(&["commit", "-q", "-m", "base"]);
        repository.base = repository.git(&["rev-parse", "HEAD"]).trim().to_owned();
        repository
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.args(identity).args(arguments);
        let run = finish(in_folder(command, self.folder.path()));
        assert_eq!(run.code, Some(0), "{arguments:?} {run:?}");
        run.stdout
    }

    /// Runs the action's script as the action does.
    fn check(&self, environment: &[(&str, &str)]) -> Run {
        let mut command = in_folder(Command::new("bash"), self.folder.path());
        command.arg(of_crate("../../scripts/check-changed-policies"));
        command.env("POLICYC", BINARY).env("BASE", &self.base).envs(environment.iter().copied());
        finish(command)
    }
}

/// In a folder, without what the machine's own configuration and a surrounding `git` would add.
fn in_folder(mut command: Command, folder: &Path) -> Command {
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "BASE", "FILES", "ALL", "FAIL_LEVEL"] {
        command.env_remove(name);
    }
    command
}

fn finish(mut command: Command) -> Run {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn fine(stdout: &str) -> Run {
    Run { code: Some(0), stdout: stdout.to_owned(), stderr: String::new() }
}

/// The files with annotations, in their order, each once.
fn files(run: &Run) -> Vec<String> {
    let file = |line: &str| Some(line.strip_prefix("::error file=")?.split(',').next()?.to_owned());
    let mut files: Vec<_> = run.stdout.lines().filter_map(file).collect();
    files.dedup();
    files
}
