//! What the readers take, what they refuse, and by which error.

use super::*;

#[test]
fn paths_are_relative_to_the_root_and_have_one_form() {
    let root = Root::new("/workspace").unwrap();
    for (path, expected) in [
        ("src/main.rs", "src/main.rs"),
        ("./src//./main.rs", "src/main.rs"),
        ("src/", "src"),
        (".", ""),
        ("/workspace", ""),
        ("/workspace/", ""),
        ("//workspace/./src//a", "src/a"),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        ("a\\..\\b", "a\\..\\b"),
        ("workspace/x", "workspace/x"),
    ] {
        assert_eq!(root.relative(path), Ok(expected.to_owned()), "{path}");
    }
}

#[test]
fn paths_that_leave_the_root_are_escapes_and_say_why() {
    let root = Root::new("/workspace").unwrap();
    let long = "a".repeat(4097);
    for (path, because) in [
        ("", "it is empty"),
        (&long, "it is too long"),
        ("a\0b", "it has a NUL"),
        ("..", "it has a component `..`"),
        ("../x", "it has a component `..`"),
        ("src/../x", "it has a component `..`"),
        ("src/..", "it has a component `..`"),
        ("/workspace/../etc", "it has a component `..`"),
        ("/workspace/..", "it has a component `..`"),
        ("/workspacex", "it is not inside the root"),
        ("/workspacex/a", "it is not inside the root"),
        ("/work", "it is not inside the root"),
        ("/", "it is not inside the root"),
        ("/etc/passwd", "it is not inside the root"),
        ("/Workspace/a", "it is not inside the root"),
    ] {
        assert_eq!(root.relative(path), Err(refused("PATH_ESCAPE", path, because)), "{path:?}");
    }
}

#[test]
fn a_root_is_an_absolute_path() {
    assert_eq!(Root::new("//srv/./a/").unwrap().relative("/srv/a/b"), Ok("b".to_owned()));
    assert_eq!(Root::new("/").unwrap().relative("/etc"), Ok("etc".to_owned()));
    for root in ["", "a", "./a", "/a/../b", "/a\0"] {
        assert_eq!(Root::new(root), Err(RootError), "{root:?}");
    }
}

#[test]
fn a_path_says_its_name_and_extension() {
    for (path, expected) in [
        ("src/main.rs", ("main.rs", Some("rs"))),
        ("a.tar.gz", ("a.tar.gz", Some("gz"))),
        ("src/.env", (".env", None)),
        ("src/.env.local", (".env.local", Some("local"))),
        ("Makefile", ("Makefile", None)),
        ("a.", ("a.", Some(""))),
        ("", ("", None)),
    ] {
        assert_eq!(name_and_extension(path), expected, "{path}");
    }
}

#[test]
fn urls_are_in_the_case_of_rules() {
    let expected = Url { scheme: "https".into(), host: "docs.rs".into(), port: Some(8443), path: "/A/b".into() };
    assert_eq!(url("HTTPS://Docs.RS:8443/A/b?c"), Ok(expected));
}

#[test]
fn urls_that_are_refused_say_why() {
    for (text, because) in [
        ("https://docs.rs/a b", "it has a ' ', which is written in percent signs"),
        (
            "https://b\u{fc}cher.example/",
            "it has something other than ASCII at byte 9, which is written in percent signs",
        ),
        ("docs.rs/std", "it does not start with a scheme: `https://host/path`"),
        ("1a://docs.rs", "its scheme is none"),
        ("https://user@docs.rs/", "it has a user before its host"),
        ("https://docs..rs/", "its host is no name of letters, digits, `-` and `_` between dots"),
        ("https://127.1/", "its host is a number that is no plain IPv4 address"),
        ("https://docs.rs:0/", "its port is no number from 1 to 65535"),
        ("https://docs.rs/../x", "its path has a `.`, a `..`, or a percent sign that is alone or not needed"),
    ] {
        assert_eq!(url(text), Err(refused("VALIDATION_FAILED", text, because)), "{text:?}");
    }
    assert_eq!(host("Docs.RS"), Ok("docs.rs".to_owned()));
    let because = "its host is no name of letters, digits, `-` and `_` between dots";
    assert_eq!(host("docs.rs."), Err(refused("VALIDATION_FAILED", "docs.rs.", because)));
}

#[test]
fn references_have_no_segment_that_names_nothing() {
    for text in ["main", "refs/heads/main", "a.b/..c", "HEAD~1"] {
        assert_eq!(reference("ref", text), Ok(text.to_owned()));
    }
    for text in ["", "/", "/a", "a/", "a//b", ".", "..", "refs/./a", "refs/heads/../x"] {
        let because = "it has an empty, `.` or `..` segment";
        assert_eq!(reference("ref", text), Err(refused("VALIDATION_FAILED", text, because)), "{text:?}");
    }
}

#[test]
fn plain_lines_are_taken_apart_into_simple_commands() {
    let read = |line: &str| -> Vec<(Option<String>, Option<String>, String)> {
        let Ok(Commands::Simple(commands)) = commands(line) else { panic!("{line:?}") };
        commands.into_iter().map(|one| (one.command, one.subcommand, one.line)).collect()
    };
    let one = |command: Option<&str>, subcommand: Option<&str>, line: &str| {
        (command.map(str::to_owned), subcommand.map(str::to_owned), line.to_owned())
    };
    assert_eq!(read("ls"), [one(Some("ls"), None, "ls")]);
    assert_eq!(read("cargo -q build --release"), [one(Some("cargo"), Some("build"), "cargo -q build --release")]);
    assert_eq!(read("/bin/rm -rf /"), [one(None, Some("/"), "/bin/rm -rf /")]);
    assert_eq!(read("make CC=gcc"), [one(Some("make"), Some("CC=gcc"), "make CC=gcc")]);
    assert_eq!(
        read("git log && rm -rf / || a | b ; c-1 -x"),
        [
            one(Some("git"), Some("log"), "git log"),
            one(Some("rm"), Some("/"), "rm -rf /"),
            one(Some("a"), None, "a"),
            one(Some("b"), None, "b"),
            one(Some("c-1"), None, "c-1 -x"),
        ]
    );
    assert_eq!(read(" ls\t'a b'  c\\ d;\n"), [one(Some("ls"), Some("a b"), "ls 'a b' 'c d'")]);
    assert_eq!(read("\"cargo\" \u{fc}"), [one(Some("cargo"), Some("\u{fc}"), "cargo '\u{fc}'")]);
    assert_eq!(read("=a 2=b")[0].0.as_deref(), Some("=a"), "an assignment has a name");
}

#[test]
fn every_other_line_is_complex_or_none_that_a_shell_would_run() {
    for (line, because) in [
        ("", "there is no command in it"),
        (" ", "there is no command in it"),
        ("ls\0", "it has a NUL"),
        ("ls 'a", "a quote is never closed"),
        ("ls \\", "nothing follows its last backslash"),
        ("&& ls", "an operator has no command before it"),
        ("ls && && rm", "an operator has no command before it"),
        ("ls ; ; rm", "an operator has no command before it"),
        ("ls &&", "an operator has no command after it"),
        ("ls |", "an operator has no command after it"),
    ] {
        let because = format!("no shell would run it: {because}");
        assert_eq!(commands(line), Err(refused("SHELL_COMPLEX", line, &because)), "{line:?}");
    }
    let long = "a".repeat(1_048_577);
    assert_eq!(commands(&long).unwrap_err().because, "no shell would run it: it is too long");
    for line in [
        "ls & rm",
        "ls &",
        "ls |& rm",
        "ls > x",
        "ls 2>&1",
        "cat < x",
        "echo $HOME",
        "echo `id`",
        "ls *",
        "ls ?",
        "ls [a]",
        "ls ~",
        "{ ls }",
        "( ls )",
        "! ls",
        "ls # x",
        "A=b ls",
        "_a1= ls",
        "PATH+=x ls",
        "ls ; A=b rm",
        "if true ; then rm x ; fi",
        "while true ; do ls ; done",
        "time rm x",
    ] {
        assert_eq!(commands(line), Ok(Commands::Complex), "{line:?}");
    }
}

fn refused(code: &str, target: &str, because: &str) -> Refused {
    Refused { code: code.to_owned(), target: target.to_owned(), because: because.to_owned() }
}
