//! What the readers take, what they refuse, and by which error.

use super::*;

#[test]
fn paths_are_relative_to_the_root_and_have_one_form() {
    let root = Root::new("/workspace").unwrap();
    for (path, expected) in [
        ("src/main.rs", "src/main.rs"),
        ("./src//./main.rs", "src/main.rs"),
        ("src/", "src"),
        ("", ""),
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
fn paths_that_leave_the_root_are_escapes() {
    let root = Root::new("/workspace").unwrap();
    for path in [
        "..",
        "../x",
        "src/../x",
        "src/..",
        "/workspace/../etc",
        "/workspace/..",
        "/workspacex",
        "/workspacex/a",
        "/work",
        "/",
        "/etc/passwd",
        "a\0b",
        "/Workspace/a",
    ] {
        assert_eq!(root.relative(path), Err(PathEscape), "{path:?}");
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
fn urls_are_taken_apart() {
    for (text, (scheme, host, port, path)) in [
        ("https://docs.rs", ("https", "docs.rs", Some(443), "/")),
        ("http://docs.rs/", ("http", "docs.rs", Some(80), "/")),
        ("HTTPS://Docs.RS:8443/a/b?c=/../d@e:f", ("https", "docs.rs", Some(8443), "/a/b")),
        ("https://docs.rs?q", ("https", "docs.rs", Some(443), "/")),
        ("https://10.0.0.1/x", ("https", "10.0.0.1", Some(443), "/x")),
        ("ftp://a/b//c", ("ftp", "a", None, "/b//c")),
        ("https://a_b.xn--bcher-kva.example/%41?%zz", ("https", "a_b.xn--bcher-kva.example", Some(443), "/%41")),
        ("https://1.example.com/...", ("https", "1.example.com", Some(443), "/...")),
    ] {
        let expected = Url { scheme: scheme.into(), host: host.into(), port, path: path.into() };
        assert_eq!(url(text), Ok(expected), "{text}");
    }
}

#[test]
fn urls_with_two_readings_are_refused_by_name() {
    for (text, expected) in [
        ("https://docs.rs/a b", UrlError::Character(' ')),
        ("https://docs.rs\\@evil.example/", UrlError::Character('\\')),
        ("https://docs.rs/\n", UrlError::Character('\n')),
        ("https://docs.rs/\u{7f}", UrlError::Character('\u{7f}')),
        ("https://bücher.example/", UrlError::Character('ü')),
        ("https://docs.rs/#x", UrlError::Character('#')),
        ("docs.rs/std", UrlError::NoScheme),
        ("https:/docs.rs", UrlError::NoScheme),
        ("//docs.rs", UrlError::NoScheme),
        ("://docs.rs", UrlError::Scheme),
        ("1a://docs.rs", UrlError::Scheme),
        ("a_b://docs.rs", UrlError::Scheme),
        ("https://user@docs.rs/", UrlError::UserInfo),
        ("https://user:pw@docs.rs", UrlError::UserInfo),
        ("https://@docs.rs", UrlError::UserInfo),
        ("https://", UrlError::Host),
        ("https:///x", UrlError::Host),
        ("https://docs%2ers/", UrlError::Host),
        ("https://docs..rs/", UrlError::Host),
        ("https://docs.rs./", UrlError::Host),
        ("https://.docs.rs/", UrlError::Host),
        ("https://-docs.rs/", UrlError::Host),
        ("https://docs-.rs/", UrlError::Host),
        ("https://[::1]/", UrlError::Port),
        ("https://do*cs.rs/", UrlError::Host),
        ("https://127.1/", UrlError::Address),
        ("https://2130706433/", UrlError::Address),
        ("https://0x7f.1/", UrlError::Address),
        ("https://127.0.0.0x1/", UrlError::Address),
        ("https://127.0.0.01/", UrlError::Address),
        ("https://0X7F000001/", UrlError::Address),
        ("https://a.1/", UrlError::Address),
        ("https://1.2.3.4.5/", UrlError::Address),
        ("https://256.0.0.1/", UrlError::Address),
        ("https://docs.rs:/", UrlError::Port),
        ("https://docs.rs:0/", UrlError::Port),
        ("https://docs.rs:0443/", UrlError::Port),
        ("https://docs.rs:65536/", UrlError::Port),
        ("https://docs.rs:+443/", UrlError::Port),
        ("https://docs.rs:443:443/", UrlError::Port),
        ("https://docs.rs/../x", UrlError::Path),
        ("https://docs.rs/a/./x", UrlError::Path),
        ("https://docs.rs/a/%2E%2e/x", UrlError::Path),
        ("https://docs.rs/a/.%2e", UrlError::Path),
        ("https://docs.rs/%", UrlError::Path),
        ("https://docs.rs/%4", UrlError::Path),
        ("https://docs.rs/%zz", UrlError::Path),
    ] {
        assert_eq!(url(text), Err(expected), "{text:?}");
    }
    let label = "a".repeat(LABEL_BYTES_MAX);
    assert!(host(&label).is_ok());
    assert_eq!(host(&format!("{label}a")), Err(UrlError::Host));
    let longest = [label.as_str(); 4].join(".");
    assert_eq!(host(longest.get(..HOST_BYTES_MAX).unwrap()).map(|host| host.len()), Ok(HOST_BYTES_MAX));
    assert_eq!(host(longest.get(..=HOST_BYTES_MAX).unwrap()), Err(UrlError::Host));
}

#[test]
fn plain_lines_are_taken_apart_into_simple_commands() {
    let read = |line: &str| -> Vec<(Option<String>, Option<String>, String)> {
        let commands = commands(line).unwrap_or_default();
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
    assert_eq!(read("=a 2=b")[0].0.as_deref(), Some("=a"), "an assignment has a name");
}

#[test]
fn every_other_line_is_complex() {
    for line in [
        "",
        " ",
        " ls",
        "ls ",
        "ls  -l",
        "ls\t-l",
        "ls\n",
        "ls;rm",
        "ls &&",
        "&& ls",
        "ls && && rm",
        "ls ; ; rm",
        "ls |",
        "ls & rm",
        "ls &",
        "ls |& rm",
        "ls > x",
        "ls 2>&1",
        "cat < x",
        "echo $HOME",
        "echo `id`",
        "echo 'a'",
        "echo \"a\"",
        "a\\ b",
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
        "echo ü",
        "ls \u{a0}x",
    ] {
        assert_eq!(commands(line), None, "{line:?}");
    }
}
