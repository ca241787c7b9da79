//! What was judged is what runs: words, joins, streams, environment.

use super::*;

#[test]
fn tool_shell_exec_answers_code_stdout_and_stderr() {
    let workspace = Workspace::new();
    let ran = workspace.script("echo out; echo err >&2; exit 7");
    assert_eq!((ran.exit, stdout(&ran), stderr(&ran)), (Exit::Code(7), "out\n".to_owned(), "err\n".to_owned()));
    assert!(!ran.is_truncated());
}

#[test]
fn words_reach_the_program_as_they_were_read() {
    let workspace = Workspace::new();
    let ran = workspace.line(r#"printf '%s|' 'a b' "c  d" e\ f '' '$HOME' '*' 'ü'"#);
    assert_eq!(said(&ran), "a b|c  d|e f||$HOME|*|ü|");
}

#[test]
fn joins_do_what_a_shell_does() {
    let workspace = Workspace::new();
    for text in [
        "true && echo a",
        "false && echo a",
        "false || echo a",
        "true || echo a",
        "false && echo a || echo b",
        "true || echo a && echo b",
        "false ; echo a",
        "false || false || echo c && echo d ; echo e",
        "echo x | cat && echo y",
        "false | true && echo last",
        "true | false || echo last",
        "echo a | tr a b | tr b c",
        "false && echo skipped | cat || echo other",
        "true ; false",
        "false ; true",
        "sh -c 'exit 3' || sh -c 'exit 4'",
        "echo 1\necho 2",
    ] {
        let ours = workspace.line(text);
        let theirs = std::process::Command::new("/bin/sh").args(["-c", text]).output().unwrap();
        let theirs = (theirs.status.code().map(Exit::Code).unwrap(), String::from_utf8(theirs.stdout).unwrap());
        assert_eq!((ours.exit, stdout(&ours)), theirs, "{text}");
    }
}

#[test]
fn a_signal_is_told_and_fails_what_is_joined() {
    let workspace = Workspace::new();
    let ran = workspace.script("kill -KILL $$");
    assert_eq!((ran.exit, ran.exit.code()), (Exit::Signal(9), 137));
    assert_eq!(said(&workspace.line("sh -c 'kill -TERM $$' || echo failed")), "failed\n");
}

/// What has run is not lost, and what broke is named: a command leaves so many processes that no other can be started.
#[test]
fn a_line_that_breaks_in_the_middle_says_where_and_what_was_written() {
    let workspace = Workspace::new();
    let hog = "i=0; while [ $i -lt 2000 ]; do sleep 60 & i=$((i+1)); done 2>/dev/null";
    let text = format!("echo first | cat ; false && echo skipped ; sh -c '{hog}' ; echo never | touch never");
    let mut plan = workspace.plan(line(&text));
    plan.limits.processes = 16;
    let ran = ran(plan);
    let Exit::Broken { command: 6 | 7, error } = ran.exit else { panic!("{:?} {}", ran.exit, stderr(&ran)) };
    assert_eq!((error, stdout(&ran).as_str()), (rustix::io::Errno::AGAIN, "first\n"));
    assert!(!workspace.place.path().join("never").exists());
    assert!(ran.exit.to_string().starts_with("could not start command "), "{}", ran.exit);
    assert_eq!(ran.exit.code(), 126);
}

#[test]
fn a_pipeline_of_more_commands_than_can_run_at_once_is_refused_before_anything_runs() {
    let find = |name: &[u8]| SearchPath::default().validate_binary(name, &["touch", "cat"]);
    let piped = |count: usize| format!("touch made ; touch other{}", " | cat".repeat(count));
    let task = |text: &str| Task::line(&Line::new(text.as_bytes()).unwrap(), find);
    assert!(task(&piped(Task::PIPELINE_MAX - 1)).is_ok());
    assert_eq!(task(&piped(Task::PIPELINE_MAX)), Err(TaskError::LongPipeline));
    let apart = format!("{} ; {}", piped(Task::PIPELINE_MAX - 1), piped(Task::PIPELINE_MAX - 1));
    assert!(task(&apart).is_ok());
}

#[test]
fn a_name_that_is_not_found_stops_the_line_before_anything_runs() {
    let find = |name: &[u8]| SearchPath::default().validate_binary(name, &["touch"]);
    let line = Line::new(b"touch made && rm made").unwrap();
    let error = Task::line(&line, find).unwrap_err();
    assert_eq!(error, TaskError::Program(AllowError::NotAllowed("rm".to_owned())));
}

#[test]
fn the_program_that_was_found_runs_and_is_told_the_name_that_was_judged() {
    let workspace = Workspace::new();
    let task = Task::argv(
        SearchPath::default().find(b"sh").unwrap(),
        ["judged", "-c", "echo $0"].map(|word| word.into()).into(),
    );
    assert_eq!(said(&ran(workspace.plan(task))), "judged\n");
}

#[test]
fn a_file_that_is_no_program_is_said_to_be_none() {
    let workspace = Workspace::with(&[("data", "not a program")]);
    let path = workspace.place.path().join("data");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ran = ran(workspace.plan(Task::argv(path, vec![b"data".to_vec()])));
    assert_eq!((ran.exit, stderr(&ran).as_str()), (Exit::Code(126), "cannot execute `data`\n"));
    let missing = workspace.place.path().join("missing");
    let ran = super::ran(workspace.plan(Task::argv(missing, vec![b"missing".to_vec()])));
    assert_eq!(ran.exit, Exit::Code(127));
}

#[test]
fn tool_shell_exec_input_is_read_to_its_end_and_no_input_is_an_end() {
    let workspace = Workspace::new();
    assert_eq!(said(&workspace.line("cat")), "");
    let plan = Plan { stdin: b"one\ntwo\n", ..workspace.plan(line("wc -l")) };
    assert_eq!(said(&ran(plan)).trim(), "2");
}

#[test]
fn tool_shell_exec_starts_in_the_working_directory_and_writes_there() {
    let workspace = Workspace::with(&[("in", "text")]);
    assert_eq!(said(&workspace.line("cp in out && cat out")), "text");
    assert_eq!(workspace.read("out"), "text");
    assert_eq!(said(&workspace.line("pwd")).trim(), workspace.folders[0].path().to_str().unwrap());
}

#[test]
fn sec_env_minimal_holds_with_a_poisoned_parent() {
    // A process of its own, because the environment of this one is shared by every test.
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "process::tests::line::prints_the_environment_of_a_command_when_it_is_asked"])
        .env("PRINTS_ENVIRONMENT", "1")
        .env("AWS_SECRET_ACCESS_KEY", "poison")
        .env("HISTFILE", "/poison")
        .env("EDITOR", "poison")
        .env("LD_PRELOAD_LIKE", "poison")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let is_variable = |line: &&str| line.contains('=');
    let variables: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("env: ")).filter(is_variable).collect();
    let path = format!("PATH={SYSTEM_PATH}");
    let (home, token) = ("HOME=/tmp/home", "TOKEN=configured");
    assert_eq!(variables, [path.as_str(), home, token, home, path.as_str()], "{text}");
    assert!(!text.contains("poison"), "{text}");
}

/// What the test above starts with another environment. By itself it has nothing to say.
#[test]
fn prints_the_environment_of_a_command_when_it_is_asked() {
    if std::env::var_os("PRINTS_ENVIRONMENT").is_none() {
        return;
    }
    // One thread of tests has begun this line with the test's name.
    println!();
    let workspace = Workspace::new();
    let environment = SafeEnv::new(&SearchPath::default()).secret("TOKEN", "configured").unwrap();
    let command = ran(Plan { environment, ..workspace.plan(line("env")) });
    // SEC-ENV-EVERYWHERE: inline tools too. And nobody finds it where the kernel keeps it.
    let inline =
        ran(workspace.plan(script("sh", "env -u PWD -u SHLVL -u _ -u OLDPWD; cat /proc/1/environ /proc/*/environ")));
    for line in stdout(&command).lines().chain(stdout(&inline).replace('\0', "\n").lines().take(2)) {
        println!("env: {line}");
    }
    println!("everything: {}", stdout(&inline));
}

#[test]
fn sec_inline_runs_a_script_that_can_read_its_input() {
    let workspace = Workspace::new();
    let plan = Plan { stdin: b"from stdin\n", ..workspace.plan(script("sh", "read line; echo \"$line\"; echo done")) };
    assert_eq!(said(&ran(plan)), "from stdin\ndone\n");
    let python = "import sys\nprint(6 * 7, len(sys.argv))";
    assert_eq!(said(&ran(workspace.plan(script("python3", python)))), "42 1\n");
    assert_eq!(std::fs::read_dir(workspace.place.path()).unwrap().count(), 0, "no file is left");
}

#[test]
fn ctr_0012_no_time_is_the_default_time() {
    assert_eq!(effective_timeout(0), DEFAULT_TIMEOUT);
    assert_eq!(effective_timeout(1), Duration::from_millis(1));
    assert_eq!(effective_timeout(u64::MAX), Duration::from_secs(3_600));
}

#[test]
fn invoke_cap_is_on_both_streams_together_and_the_rest_is_counted() {
    let workspace = Workspace::new();
    let text = "head -c 50000 /dev/zero; head -c 50000 /dev/zero >&2; exit 3";
    let ran =
        ran(Plan { output_limits: OutputLimits::Together(INVOKE_OUTPUT_MAX), ..workspace.plan(script("sh", text)) });
    assert_eq!(ran.exit, Exit::Code(3));
    assert_eq!(ran.stdout.bytes.len() + ran.stderr.bytes.len(), 65_536);
    assert_eq!((ran.stdout.total_bytes, ran.stderr.total_bytes), (50_000, 50_000));
    assert!(ran.is_truncated());
    let exact = "head -c 65536 /dev/zero";
    let ran = super::ran(Plan {
        output_limits: OutputLimits::Together(INVOKE_OUTPUT_MAX),
        ..workspace.plan(script("sh", exact))
    });
    assert!(!ran.is_truncated(), "as much as the cap is not more");
    let more = "head -c 65537 /dev/zero";
    let ran = super::ran(Plan {
        output_limits: OutputLimits::Together(INVOKE_OUTPUT_MAX),
        ..workspace.plan(script("sh", more))
    });
    assert!(ran.is_truncated());
}

#[test]
fn a_stream_has_its_own_cap_beside_that_of_both() {
    let workspace = Workspace::new();
    let text = "head -c 3000 /dev/zero; head -c 3000 /dev/zero >&2";
    for (each, together, kept) in
        [(2_000, 3_000, (2_000, 1_000)), (2_000, 5_000, (2_000, 2_000)), (4_000, 100, (100, 0))]
    {
        let ran =
            ran(Plan { output_limits: OutputLimits::Both { each, together }, ..workspace.plan(script("sh", text)) });
        assert_eq!((ran.stdout.bytes.len(), ran.stderr.bytes.len()), kept);
        assert!(ran.is_truncated());
    }
}
