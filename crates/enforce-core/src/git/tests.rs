use std::vec::Vec;

use super::*;

fn said<'a>(verb: Verb, args: &'a [&'a str]) -> Result<Vec<Said<'a>>, GitError> {
    let mut all = Vec::new();
    read(verb, &Texts::listed(args), &mut |said| all.push(said)).map(|()| all)
}

#[test]
fn inv_0021_the_eighteen_operations_are_known_by_their_names() {
    for verb in Verb::ALL {
        assert_eq!(Verb::named(verb.wire_name()), Some(verb));
    }
    for none in ["", "push", "PUSH ", "GC", "PUSHX"] {
        assert_eq!(Verb::named(none), None);
    }
}

#[test]
fn refs_stand_before_the_dashes_and_paths_after_them() {
    use Said::{Path, Ref, TreePath};
    assert_eq!(said(Verb::Log, &["--oneline", "-5"]), Ok(Vec::new()));
    assert_eq!(said(Verb::Diff, &["HEAD~1"]), Ok([Ref("HEAD~1")].to_vec()));
    assert_eq!(
        said(Verb::Diff, &["main..dev", "--", "src", "-x"]),
        Ok([Ref("main..dev"), Path("src"), Path("-x")].to_vec())
    );
    assert_eq!(said(Verb::Show, &["HEAD:Cargo.toml"]), Ok([Ref("HEAD"), TreePath("Cargo.toml")].to_vec()));
    assert_eq!(said(Verb::Show, &["HEAD:./x"]), Err(GitError::Ref { item: 0 }));
    assert_eq!(said(Verb::Add, &["a", "--", "b"]), Ok([Path("a"), Path("b")].to_vec()));
    assert_eq!(said(Verb::Status, &["src"]), Err(GitError::Word { item: 0 }));
    assert_eq!(said(Verb::Status, &["--", "src"]), Ok([Path("src")].to_vec()));
    assert_eq!(said(Verb::Checkout, &["-b", "feature/x"]), Ok([Ref("feature/x")].to_vec()));
    assert_eq!(said(Verb::Rebase, &["--onto", "main", "dev"]), Ok([Ref("main"), Ref("dev")].to_vec()));
    assert_eq!(said(Verb::Rebase, &["--onto=main"]), Ok([Ref("main")].to_vec()));
}

#[test]
fn options_that_are_not_listed_are_refused() {
    let refused: &[(Verb, &[&str], usize)] = &[
        (Verb::Diff, &["--output=/tmp/x"], 0),
        (Verb::Fetch, &["--upload-pack=touch /tmp/x", "origin"], 0),
        (Verb::Status, &["-c", "core.fsmonitor=id"], 0),
        (Verb::Log, &["--git-dir=/etc"], 0),
        (Verb::Rebase, &["--exec", "id", "main"], 0),
        (Verb::Rebase, &["-x", "id"], 0),
        (Verb::Rebase, &["-i"], 0),
        (Verb::Log, &["-O/etc/passwd"], 0),
        (Verb::Log, &["HEAD", "--ext-diff"], 1),
        (Verb::Push, &["--receive-pack=x", "origin", "main"], 0),
        (Verb::Clone, &["-u", "x", "https://example.com/r"], 0),
        (Verb::Clone, &["--config=core.sshCommand=id", "https://example.com/r"], 0),
        (Verb::Clone, &["--template=/tmp/x", "https://example.com/r"], 0),
        // Abbreviated, glued, or with a value that it does not take.
        (Verb::Log, &["--onelin"], 0),
        (Verb::Commit, &["-am", "x"], 0),
        (Verb::Commit, &["-mx"], 0),
        (Verb::Log, &["--oneline=1"], 0),
        (Verb::Diff, &["-5"], 0),
        (Verb::Log, &["-"], 0),
        (Verb::Push, &["--force!", "origin", "x"], 0),
        (Verb::Log, &["--grep", "x", "-C"], 2),
    ];
    for (verb, args, item) in refused {
        assert_eq!(said(*verb, args), Err(GitError::Option { item: *item }), "{args:?}");
    }
    assert_eq!(said(Verb::Commit, &["-m"]), Err(GitError::NoValue { item: 0 }));
    // Git would not take the next argument for its value.
    assert_eq!(said(Verb::Status, &["--untracked-files", "-c"]), Err(GitError::NoValue { item: 0 }));
    assert_eq!(said(Verb::Branch, &["--contains", "-x"]), Err(GitError::NoValue { item: 0 }));
}

#[test]
fn a_push_says_what_it_changes() {
    use Said::{All, Branch, Force, Ref, Remote, Url};
    assert_eq!(said(Verb::Push, &["origin", "main"]), Ok([Remote("origin"), Branch("main")].to_vec()));
    assert_eq!(
        said(Verb::Push, &["origin", "HEAD:refs/heads/feature"]),
        Ok([Remote("origin"), Ref("refs/heads/feature")].to_vec())
    );
    assert_eq!(said(Verb::Push, &["origin", "+a:b"]), Ok([Remote("origin"), Force, Branch("b")].to_vec()));
    assert_eq!(said(Verb::Push, &["origin", ":old"]), Ok([Remote("origin"), Force, Branch("old")].to_vec()));
    assert_eq!(said(Verb::Push, &["-f", "origin", "a"]), Ok([Force, Remote("origin"), Branch("a")].to_vec()));
    assert_eq!(said(Verb::Push, &["--all", "origin"]), Ok([All, Remote("origin")].to_vec()));
    assert_eq!(
        said(Verb::Push, &["https://example.com/r.git", "main"]),
        Ok([Url("https://example.com/r.git"), Branch("main")].to_vec())
    );
    for open in [&[][..], &["origin"], &["-u", "origin"]] {
        assert_eq!(said(Verb::Push, open), Err(GitError::NothingNamed), "{open:?}");
    }
    for open in ["HEAD", "@", "main:", ":", "+", "a:HEAD", "a:b:c", "a b", "main~1:x", "ma*n", "a:refs//x", "a:../x"] {
        assert_eq!(said(Verb::Push, &["origin", open]), Err(GitError::Ref { item: 1 }), "{open}");
    }
}

#[test]
fn remotes_are_names_or_urls_of_known_transports() {
    use Said::{Path, Remote, Url};
    let clone = |url: &'static str| -> Result<Vec<Said<'static>>, GitError> {
        let mut all = Vec::new();
        read(Verb::Clone, &Texts::listed(std::vec![url].leak()), &mut |said| all.push(said)).map(|()| all)
    };
    for (url, folder) in [
        ("https://example.com/org/repo.git", "repo"),
        ("https://example.com/org/repo/", "repo"),
        ("git@example.com:org/repo.git", "repo"),
        ("git@example.com:repo", "repo"),
        ("ssh://example.com/repo", "repo"),
    ] {
        assert_eq!(clone(url), Ok([Url(url), Path(folder)].to_vec()), "{url}");
    }
    for refused in [
        "ext::sh -c id",
        "ext::sh",
        "file:///etc",
        "/etc",
        "../other",
        "fd::3",
        "git://example.com/x",
        "https://user@example.com/x",
        "-oProxyCommand=id@example.com:x",
        "git@-oProxyCommand=id:x",
        "git@example.com:-x",
        "git@example.com:",
        "@example.com:x",
        "HTTPS://example.com/x",
        "example.com:x",
    ] {
        assert!(
            matches!(clone(refused), Err(GitError::Remote { .. } | GitError::Option { .. })),
            "{refused}: {:?}",
            clone(refused)
        );
    }
    assert_eq!(clone("https://example.com/.git"), Err(GitError::NothingNamed));
    assert_eq!(said(Verb::Clone, &[]), Err(GitError::NothingNamed));
    assert_eq!(said(Verb::Clone, &["https://example.com/r", "into"]).unwrap()[1], Path("into"));
    assert_eq!(said(Verb::Fetch, &["origin"]), Ok([Remote("origin")].to_vec()));
    assert_eq!(said(Verb::Fetch, &["."]), Err(GitError::Remote { item: 0 }));
    assert_eq!(
        said(Verb::Remote, &["add", "up", "https://example.com/r"]),
        Ok([Remote("up"), Url("https://example.com/r")].to_vec())
    );
    assert_eq!(said(Verb::Remote, &["set-url", "up", "ext::x"]), Err(GitError::Remote { item: 2 }));
    assert_eq!(said(Verb::Remote, &["rename", "up", "down"]), Ok([Remote("up"), Remote("down")].to_vec()));
    assert_eq!(said(Verb::Remote, &["show", "up", "down"]), Err(GitError::Word { item: 2 }));
    assert_eq!(said(Verb::Remote, &["update"]), Err(GitError::Word { item: 0 }));
}

#[test]
fn what_throws_away_is_force_and_what_takes_everything_is_all() {
    for (verb, args) in [
        (Verb::Branch, &["-D", "x"][..]),
        (Verb::Reset, &["--hard"]),
        (Verb::Checkout, &["-f", "x"]),
        (Verb::Checkout, &["-B", "x"]),
        (Verb::Tag, &["-d", "x"]),
        (Verb::Stash, &["drop"]),
        (Verb::Commit, &["--amend"]),
        (Verb::Push, &["--delete", "origin", "x"]),
    ] {
        assert!(said(verb, args).unwrap().contains(&Said::Force), "{args:?}");
    }
    for (verb, args) in [(Verb::Add, &["-A"][..]), (Verb::Commit, &["-a"]), (Verb::Fetch, &["--all"])] {
        assert!(said(verb, args).unwrap().contains(&Said::All), "{args:?}");
    }
    assert_eq!(said(Verb::Stash, &["branch", "x"]), Err(GitError::Word { item: 0 }));
    assert_eq!(said(Verb::Stash, &["show", "stash@{0}"]), Ok([Said::Ref("stash@{0}")].to_vec()));
}

#[test]
fn empty_arguments_nul_and_magic_are_refused() {
    assert_eq!(said(Verb::Add, &[""]), Err(GitError::Argument { item: 0 }));
    assert_eq!(said(Verb::Add, &["a", "b\0c"]), Err(GitError::Argument { item: 1 }));
    assert_eq!(said(Verb::Add, &[":(exclude)x"]), Err(GitError::Argument { item: 0 }));
    assert_eq!(said(Verb::Log, &[":/fix"]), Err(GitError::Ref { item: 0 }));
}
