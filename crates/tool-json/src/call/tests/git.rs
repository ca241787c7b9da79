//! Named arguments of git, as words and as the judge reads them.

use enforce_core::git::{GitArgument, Verb, read};
use enforce_core::wire::Repeated;
use tool_proto::GitOperation;

use super::*;

fn words(tool: &str, args: &str) -> Vec<String> {
    match tool_of(tool, object(args)).unwrap() {
        Tool::GitOp(operation) => operation.args,
        other => panic!("{other:?}"),
    }
}

#[test]
fn named_arguments_are_words_that_the_judge_reads_in_full() {
    use GitArgument::{Branch, Force, Path, Ref, Remote};
    let cases: &[(&str, &str, &[&str], &[GitArgument<'_>])] = &[
        ("git_status", r#"{"porcelain":true}"#, &["--porcelain"], &[]),
        ("git_status", "{}", &[], &[]),
        (
            "git_diff",
            r#"{"rev":"HEAD","paths":["src","-x"]}"#,
            &["HEAD", "--", "src", "-x"],
            &[Ref("HEAD"), Path("src"), Path("-x")],
        ),
        ("git_diff", r#"{"rev":"HEAD"}"#, &["HEAD"], &[Ref("HEAD")]),
        ("git_diff", r#"{"paths":["main"]}"#, &["--", "main"], &[Path("main")]),
        ("git_add", r#"{"paths":["a","--all"]}"#, &["--", "a", "--all"], &[Path("a"), Path("--all")]),
        (
            "git_commit",
            r#"{"message":"--amend\n","signoff":true,"allow_empty":true}"#,
            &["--message=--amend\n", "--signoff", "--allow-empty"],
            &[],
        ),
        ("git_commit", r#"{"message":""}"#, &["--message="], &[]),
        (
            "git_checkout",
            r#"{"target":"a/b","create":false,"track":true}"#,
            &["--track", "a/b"],
            &[Ref("a/b"), Branch("b")],
        ),
        ("git_checkout", r#"{"target":"a","create":true}"#, &["-b", "a"], &[Branch("a")]),
        ("git_merge", r#"{"branch":"main","no_ff":true}"#, &["--no-ff", "main"], &[Ref("main")]),
        (
            "git_rebase",
            r#"{"onto":"origin/main","autosquash":true}"#,
            &["--autosquash", "origin/main"],
            &[Ref("origin/main")],
        ),
        (
            "git_push",
            r#"{"remote":"origin","refspec":"HEAD:refs/heads/x","force":true}"#,
            &["--force", "origin", "HEAD:refs/heads/x"],
            &[Force, Remote("origin"), Ref("refs/heads/x")],
        ),
        (
            "git_push",
            r#"{"remote":"origin","refspec":"+refs/heads/x"}"#,
            &["origin", "+refs/heads/x"],
            &[Remote("origin"), Force, Ref("refs/heads/x")],
        ),
        ("git_pull", r#"{"remote":"origin","rebase":true}"#, &["--rebase", "origin"], &[Remote("origin")]),
        ("git_pull", "{}", &[], &[]),
        ("git_fetch", r#"{"args":["origin","main"]}"#, &["origin", "main"], &[Remote("origin"), Ref("main")]),
    ];
    for (tool, args, expected, said) in cases {
        let words = words(tool, args);
        assert_eq!(words, *expected, "{tool}");
        let listed: Vec<&str> = words.iter().map(String::as_str).collect();
        let verb = super::super::git::verb(tool).unwrap();
        let mut seen = Vec::new();
        read(verb, &Repeated::listed(&listed), &mut |said| seen.push(said)).unwrap();
        assert_eq!(seen, *said, "{tool} {args}");
    }
}

#[test]
fn a_name_that_git_would_read_as_an_option_is_refused() {
    for (tool, argument, rest) in [
        ("git_diff", "rev", ""),
        ("git_checkout", "target", ""),
        ("git_checkout", "target", r#","create":true"#),
        ("git_merge", "branch", ""),
        ("git_rebase", "onto", ""),
        ("git_push", "remote", r#","refspec":"a""#),
        ("git_push", "refspec", r#","remote":"a""#),
        ("git_pull", "remote", ""),
    ] {
        for found in ["-", "--", "-x", "--upload-pack=x", "--exec"] {
            let args = format!(r#"{{"{argument}":"{found}"{rest}}}"#);
            let rule = format!("must not be `{found}`, which git would read as an option");
            assert_eq!(wrong(tool, &args), FieldError::new(argument, Problem::Value(rule)));
        }
    }
}

#[test]
fn what_named_arguments_cannot_say_is_said_with_words_and_only_that() {
    assert_eq!(words("git_diff", r#"{"args":["--stat","HEAD"],"cwd":"a"}"#), ["--stat", "HEAD"]);
    assert_eq!(words("git_commit", r#"{"args":[]}"#), [] as [&str; 0]);
    assert_eq!(words("git_push", r#"{"args":["origin","a","--force"]}"#), ["origin", "a", "--force"]);
    for (tool, args) in [
        ("git_diff", r#"{"args":["HEAD","--","a"]}"#),
        ("git_diff", r#"{"args":[]}"#),
        ("git_push", r#"{"args":["--force","origin","a"]}"#),
        ("git_commit", r#"{"args":["--message=a"]}"#),
        ("git_add", r#"{"args":["--"]}"#),
    ] {
        let rule = "must not repeat what the named arguments can say".to_owned();
        assert_eq!(wrong(tool, args), FieldError::new("args", Problem::Value(rule)), "{tool} {args}");
    }
    assert_eq!(wrong("git_diff", r#"{"args":["-p"],"rev":"a"}"#), FieldError::new("rev", Problem::Unknown));
}

#[test]
fn every_list_of_words_is_said_by_exactly_one_object() {
    // All lists of up to three of these, for every operation.
    let words = [
        "--",
        "a",
        "",
        "--porcelain",
        "--message=m",
        "--signoff",
        "--allow-empty",
        "--track",
        "-b",
        "--no-ff",
        "--autosquash",
        "--force",
        "--rebase",
        "-x",
    ];
    let mut lists: Vec<Vec<String>> = vec![Vec::new()];
    for length in 0..3 {
        let longer: Vec<Vec<String>> = lists
            .iter()
            .filter(|list| list.len() == length)
            .flat_map(|list| words.iter().map(|word| list.iter().cloned().chain([(*word).to_owned()]).collect()))
            .collect();
        lists.extend(longer);
    }
    for verb in Verb::ALL {
        for args in &lists {
            let operation =
                GitOperation { operation: verb.wire_name().to_owned(), args: args.clone(), cwd: String::new() };
            let tool = Tool::GitOp(operation);
            let (name, said) = call_of(tool.clone()).unwrap();
            assert_eq!(tool_of(&name, said.clone()).unwrap(), tool, "{name} {said:?}");
            if !said.contains_key("args") {
                let raw = Object::from_iter([("args".to_owned(), args.clone().into())]);
                let is_same = tool_of(&name, raw).is_ok_and(|tool_by_words| tool_by_words == tool);
                assert_eq!(is_same, said.is_empty() && args.is_empty() && !NAMED.contains(&verb), "{name} {said:?}");
            }
        }
    }
}

/// The operations with named arguments.
const NAMED: [Verb; 9] = [
    Verb::Status,
    Verb::Diff,
    Verb::Add,
    Verb::Commit,
    Verb::Checkout,
    Verb::Merge,
    Verb::Rebase,
    Verb::Push,
    Verb::Pull,
];

#[test]
fn an_operation_that_git_does_not_have_here_is_not_shown() {
    for operation in ["push", "", "GC"] {
        let tool = Tool::GitOp(GitOperation { operation: operation.into(), ..Default::default() });
        assert_eq!(call_of(tool).unwrap_err(), CallError::unwritable(operation, "git has no such operation"));
    }
}
