//! Arguments of git that are understood, and those that are refused.

use std::vec::Vec;

use super::*;

fn said<'a>(verb: Verb, args: &'a [&'a str]) -> Result<Vec<GitArgument<'a>>, GitError> {
    let mut all = Vec::new();
    read(verb, &Texts::listed(args), &mut |said| all.push(said)).map(|()| all)
}

#[test]
fn inv_0021_the_eighteen_operations_are_known_by_their_names() {
    for verb in Verb::ALL {
        assert_eq!(Verb::named(verb.wire_name().as_bytes()), Some(verb));
    }
    for none in ["", "push", "PUSH ", "GC", "PUSHX"] {
        assert_eq!(Verb::named(none.as_bytes()), None);
    }
}

#[test]
fn refs_stand_before_the_dashes_and_paths_after_them() {
    use GitArgument::{Path, Ref, TreePath};
    assert_eq!(said(Verb::Log, &["--oneline", "-5"]), Ok(Vec::new()));
    assert_eq!(said(Verb::Diff, &["HEAD~1"]), Ok([Ref("HEAD~1")].to_vec()));
    let expected = [Ref("main"), Ref("dev"), Path("src"), Path("-x")];
    assert_eq!(said(Verb::Diff, &["main..dev", "--", "src", "-x"]), Ok(expected.to_vec()));
    assert_eq!(said(Verb::Log, &["main..."]), Ok([Ref("main"), Ref("HEAD")].to_vec()));
    assert_eq!(
        said(Verb::Show, &["HEAD:Cargo.toml"]),
        Ok([TreePath { revision: "HEAD", path: "Cargo.toml" }].to_vec())
    );
    assert_eq!(said(Verb::Show, &["HEAD:./x"]), Err(GitError::Ref { item: 0 }));
    assert_eq!(said(Verb::Add, &["a", "--", "b"]), Ok([Path("a"), Path("b")].to_vec()));
    assert_eq!(said(Verb::Status, &["src"]), Err(GitError::Word { item: 0 }));
    assert_eq!(said(Verb::Status, &["--", "src"]), Ok([Path("src")].to_vec()));
    assert_eq!(said(Verb::Checkout, &["-b", "feature/x"]), Ok([GitArgument::Branch("feature/x")].to_vec()));
    assert_eq!(said(Verb::Rebase, &["--onto", "main", "dev"]), Ok([Ref("main"), Ref("dev")].to_vec()));
    assert_eq!(said(Verb::Rebase, &["--onto=main"]), Ok([Ref("main")].to_vec()));
}

#[test]
fn after_the_dashes_stands_what_stood_before_them_where_an_operation_takes_no_paths() {
    use GitArgument::{Branch, Path, Ref, Remote, Tag, Url};
    assert_eq!(said(Verb::Merge, &["--", "main"]), Ok([Ref("main")].to_vec()));
    assert_eq!(said(Verb::Branch, &["--", "x", "main"]), Ok([Branch("x"), Ref("main")].to_vec()));
    assert_eq!(said(Verb::Tag, &["--", "v1"]), Ok([Tag("v1")].to_vec()));
    assert_eq!(
        said(Verb::Push, &["--", "origin", "refs/heads/x"]),
        Ok([Remote("origin"), Ref("refs/heads/x")].to_vec())
    );
    let url = "https://example.com/r";
    assert_eq!(said(Verb::Clone, &["--", url, "into"]), Ok([Url(url), Path("into")].to_vec()));
}

#[test]
fn a_revision_has_no_byte_that_git_would_match_or_a_shell_would_split() {
    for odd in ["a b", "a*", "a?", "a[b]", "a\\b", "a\tb", "a\nb", "a\u{7f}", "*"] {
        assert_eq!(said(Verb::Log, &[odd]), Err(GitError::Ref { item: 0 }), "{odd:?}");
        assert_eq!(said(Verb::Show, &[&[odd, ":x"].concat()]), Err(GitError::Ref { item: 0 }), "{odd:?}");
    }
    assert_eq!(said(Verb::Log, &["--", "a b"]), Ok([GitArgument::Path("a b")].to_vec()));
}

#[test]
fn a_short_option_has_no_value_behind_an_equals_sign() {
    for (verb, arg) in
        [(Verb::Log, "-n=5"), (Verb::Checkout, "-b=x"), (Verb::Checkout, "-B=main"), (Verb::Commit, "-m=x")]
    {
        assert_eq!(said(verb, &[arg]), Err(GitError::Option { item: 0 }), "{arg}");
    }
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
fn a_push_names_what_it_changes_in_full() {
    use GitArgument::{All, Force, Ref, Remote, Url};
    let full = "refs/heads/feature";
    assert_eq!(said(Verb::Push, &["origin", full]), Ok([Remote("origin"), Ref(full)].to_vec()));
    assert_eq!(said(Verb::Push, &["origin", "HEAD:refs/heads/feature"]), Ok([Remote("origin"), Ref(full)].to_vec()));
    assert_eq!(
        said(Verb::Push, &["origin", "+a:refs/heads/feature"]),
        Ok([Remote("origin"), Force, Ref(full)].to_vec())
    );
    assert_eq!(said(Verb::Push, &["origin", ":refs/heads/feature"]), Ok([Remote("origin"), Force, Ref(full)].to_vec()));
    assert_eq!(said(Verb::Push, &["-f", "origin", full]), Ok([Force, Remote("origin"), Ref(full)].to_vec()));
    assert_eq!(said(Verb::Push, &["--all", "origin"]), Ok([All, Remote("origin")].to_vec()));
    let url = "https://example.com/r.git";
    assert_eq!(said(Verb::Push, &[url, full]), Ok([Url(url), Ref(full)].to_vec()));
    for open in [&[][..], &["origin"], &["-u", "origin"]] {
        assert_eq!(said(Verb::Push, open), Err(GitError::NothingNamed), "{open:?}");
    }
    // Git would take a short name for a branch or a tag, as it finds them.
    for open in [
        "main",
        "heads/main",
        "HEAD:heads/main",
        ":heads/main",
        "tags/v1",
        "a:tags/v1",
        "tag",
        "HEAD",
        "@",
        "refs/heads/a:",
        ":",
        "+",
        "a:HEAD",
        "a:refs/heads/b:c",
        "a b:refs/heads/c",
        "main~1:refs/heads/x",
        "refs/heads/ma*n",
        "a:refs//x",
        "a:refs/../x",
        "a:refs/heads/@{-1}",
        "refs/heads/x.lock",
    ] {
        assert_eq!(said(Verb::Push, &["origin", open]), Err(GitError::Ref { item: 1 }), "{open}");
    }
}

#[test]
fn what_is_fetched_goes_to_a_full_name_or_nowhere() {
    use GitArgument::{Ref, Remote};
    assert_eq!(said(Verb::Fetch, &["origin", "main"]), Ok([Remote("origin"), Ref("main")].to_vec()));
    let to = "refs/remotes/origin/main";
    assert_eq!(
        said(Verb::Fetch, &["origin", "main:refs/remotes/origin/main"]),
        Ok([Remote("origin"), Ref("main"), Ref(to)].to_vec())
    );
    for open in ["tag", "x:main", "x:heads/main", "x:tags/v1", "x:HEAD", ":refs/heads/x", "x:"] {
        assert_eq!(said(Verb::Fetch, &["origin", open]), Err(GitError::Ref { item: 1 }), "{open}");
        assert_eq!(said(Verb::Pull, &["origin", open]), Err(GitError::Ref { item: 1 }), "{open}");
    }
}

#[test]
fn branches_and_tags_that_are_changed_have_plain_names() {
    use GitArgument::{Branch, Force, Ref, Tag};
    assert_eq!(said(Verb::Branch, &["x", "HEAD~1"]), Ok([Branch("x"), Ref("HEAD~1")].to_vec()));
    assert_eq!(said(Verb::Branch, &["-D", "x"]), Ok([Force, Branch("x")].to_vec()));
    assert_eq!(said(Verb::Tag, &["v1", "main"]), Ok([Tag("v1"), Ref("main")].to_vec()));
    assert_eq!(said(Verb::Checkout, &["-B", "x"]), Ok([Force, Branch("x")].to_vec()));
    for none in ["@{-1}", "heads/main", "tags/v1", "-x", "a..b", "HEAD~1", "a:b"] {
        for option in ["-d", "-D", "--delete", "-m", "-M", "--move"] {
            assert!(said(Verb::Branch, &[option, none, "x"]).is_err(), "{option} {none}");
            assert!(said(Verb::Branch, &[option, "x", none]).is_err(), "{option} {none}");
        }
        assert!(said(Verb::Tag, &["--delete", "x", none]).is_err(), "{none}");
        assert!(said(Verb::Rebase, &["x", none]).is_err(), "{none}");
        assert!(said(Verb::Branch, &["-D", none]).is_err(), "{none}");
        assert!(said(Verb::Tag, &["-d", none]).is_err(), "{none}");
        assert!(said(Verb::Checkout, &["-B", none]).is_err(), "{none}");
    }
}

#[test]
fn every_branch_and_tag_that_is_removed_or_renamed_is_named() {
    use GitArgument::{Branch, Force, Ref, Tag};
    assert_eq!(said(Verb::Branch, &["-D", "x", "main"]), Ok([Force, Branch("x"), Branch("main")].to_vec()));
    // Its name is gone afterwards, whether or not git would keep what it held.
    for removed in ["-d", "-D", "--delete"] {
        assert_eq!(said(Verb::Branch, &[removed, "x", "y"]), Ok([Force, Branch("x"), Branch("y")].to_vec()));
    }
    for renamed in ["-m", "-M", "--move"] {
        assert_eq!(said(Verb::Branch, &[renamed, "x", "main"]), Ok([Force, Branch("x"), Branch("main")].to_vec()));
    }
    assert_eq!(said(Verb::Tag, &["-d", "v1", "v2"]), Ok([Force, Tag("v1"), Tag("v2")].to_vec()));
    assert_eq!(said(Verb::Rebase, &["up", "main"]), Ok([Ref("up"), Branch("main")].to_vec()));
    assert_eq!(said(Verb::Rebase, &["up", "main", "x"]), Err(GitError::Word { item: 2 }));
    // One alone would be a name for whatever is checked out.
    for rename in ["-m", "-M", "--move"] {
        assert_eq!(said(Verb::Branch, &[rename, "y"]), Err(GitError::NothingNamed), "{rename}");
        assert_eq!(said(Verb::Branch, &[rename, "x", "y", "z"]), Err(GitError::NothingNamed), "{rename}");
    }
    // What is made is made from one revision, and what is done is said before the names.
    assert_eq!(said(Verb::Branch, &["x", "y", "z"]), Err(GitError::Word { item: 2 }));
    assert_eq!(said(Verb::Tag, &["x", "y", "z"]), Err(GitError::Word { item: 2 }));
    assert_eq!(said(Verb::Branch, &["x", "-D"]), Err(GitError::Option { item: 1 }));
    assert_eq!(said(Verb::Tag, &["v1", "secret", "-d"]), Err(GitError::Option { item: 2 }));
    assert_eq!(said(Verb::Tag, &["-m", "-d", "v1", "secret"]), Ok([Tag("v1"), Ref("secret")].to_vec()));
    // What is tracked becomes a branch, unless its name is said.
    let tracked = [Ref("origin/a/b"), Branch("a/b")];
    assert_eq!(said(Verb::Checkout, &["--track", "origin/a/b"]), Ok(tracked.to_vec()));
    assert_eq!(said(Verb::Checkout, &["-t", "-b", "x", "origin/y"]), Ok([Branch("x"), Ref("origin/y")].to_vec()));
    for open in ["main", "remotes/origin/main", "refs/remotes/origin/main", "origin/@{-1}", "origin/heads/x"] {
        assert_eq!(said(Verb::Checkout, &["--track", open]), Err(GitError::Ref { item: 1 }), "{open}");
    }
    // Others' branches are no branches of ours, and git puts its own start before a full name.
    for args in [&["-d", "-r", "origin/main"][..], &["-r", "-D", "origin/main"], &["-r", "-m", "a", "b"]] {
        assert_eq!(said(Verb::Branch, args), Err(GitError::Option { item: 1 }), "{args:?}");
    }
    assert_eq!(said(Verb::Branch, &["-r"]), Ok(Vec::new()));
    for (verb, name) in [(Verb::Tag, "refs/heads/x"), (Verb::Tag, "refs/new"), (Verb::Branch, "refs/heads/y")] {
        assert_eq!(said(verb, &[name]), Err(GitError::Ref { item: 0 }), "{name}");
    }
    assert_eq!(said(Verb::Checkout, &["-B", "refs/heads/x"]), Err(GitError::Ref { item: 1 }));
}

#[test]
fn what_can_only_be_a_path_is_no_ref() {
    for path in [".", "./a", "/a", ".env", "main../a", "/a..b", "a.../b"] {
        assert_eq!(said(Verb::Checkout, &[path]), Err(GitError::Ref { item: 0 }), "{path}");
    }
    assert_eq!(said(Verb::Log, &["..main"]), Ok([GitArgument::Ref("HEAD"), GitArgument::Ref("main")].to_vec()));
    assert_eq!(said(Verb::Log, &["--follow", "--", "a"]), Err(GitError::Option { item: 0 }));
}

#[test]
fn a_path_in_a_commit_is_told_with_it_and_braces_hide_none() {
    let tree = |revision, path| Ok([GitArgument::TreePath { revision, path }].to_vec());
    assert_eq!(said(Verb::Show, &["old:src/a"]), tree("old", "src/a"));
    assert_eq!(said(Verb::Show, &["HEAD:"]), tree("HEAD", ""));
    for hidden in ["HEAD^{/:|.}:secrets/key", "HEAD@{23:00}:secrets/key", "HEAD^{/a:b}"] {
        assert_eq!(said(Verb::Show, &[hidden]), Err(GitError::Ref { item: 0 }), "{hidden}");
    }
    assert_eq!(said(Verb::Show, &["HEAD@{1}"]), Ok([GitArgument::Ref("HEAD@{1}")].to_vec()));
    // Either end of a range could have the colon.
    for range in ["HEAD:src/a..secret:.env", "HEAD:src/a..secret", "secret..HEAD:src/a", "a...b:c", "HEAD:a..b"] {
        assert_eq!(said(Verb::Diff, &[range]), Err(GitError::Ref { item: 0 }), "{range}");
    }
}

#[test]
fn the_stash_has_options_for_each_word_and_none_before_it() {
    use GitArgument::{All, Force, Path, Ref};
    assert_eq!(said(Verb::Stash, &[]), Ok(Vec::new()));
    assert_eq!(said(Verb::Stash, &["push", "-m", "--output=x", "a", "--", "b"]), Ok([Path("a"), Path("b")].to_vec()));
    assert_eq!(said(Verb::Stash, &["push", "-a"]), Ok([All].to_vec()));
    assert_eq!(said(Verb::Stash, &["show", "-p", "stash@{0}"]), Ok([Ref("stash@{0}")].to_vec()));
    assert_eq!(said(Verb::Stash, &["pop"]), Ok([Force].to_vec()));
    // There git would take what follows for options of its own.
    for word in ["list", "show", "apply", "pop", "drop", "clear"] {
        for option in ["-m", "--message", "--output=x", "-u", "--ext-diff"] {
            assert_eq!(said(Verb::Stash, &[word, option, "x"]), Err(GitError::Option { item: 1 }), "{word} {option}");
        }
    }
    for word in ["-m", "branch", "save", "create", "store", "--", ""] {
        assert_eq!(said(Verb::Stash, &[word]), Err(GitError::Word { item: 0 }), "{word}");
    }
}

#[test]
fn remotes_are_names_or_urls_of_known_transports() {
    use GitArgument::{Path, Remote, Url};
    let clone = |url: &'static str| -> Result<Vec<GitArgument<'static>>, GitError> {
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
    for odd in ["https://example.com/x:.claude", "https://example.com/a/b:22", "https://example.com/a%20b"] {
        assert_eq!(clone(odd), Err(GitError::NothingNamed), "{odd}");
    }
    for odd in [
        "git@EXAMPLE.com:r",
        "git@example.com:ours/../evil/x",
        "git@example.com:./x",
        "ssh://example.com/ours/%2f..%2fevil/x",
        "https://example.com?a/b",
        "https://example.com/r?x",
    ] {
        assert_eq!(clone(odd), Err(GitError::Remote { item: 0 }), "{odd}");
    }
    for odd in ["https://example.com/.git", "https://example.com:8443", "https://example.com/", "git@secrets:123"] {
        assert_eq!(clone(odd), Err(GitError::NothingNamed), "{odd}");
    }
    for twice in [
        "https://EXAMPLE.com/r",
        "https://example.com:443/r",
        "https://example.com:443",
        "http://example.com:80/r",
        "ssh://example.com:22/r",
    ] {
        assert_eq!(clone(twice), Err(GitError::Remote { item: 0 }), "{twice}");
    }
    for once in
        ["https://example.com:8443/r", "https://example.com:80/r", "ssh://example.com:443/r", "https://a/x:443/r"]
    {
        assert_eq!(clone(once), Ok([Url(once), Path("r")].to_vec()), "{once}");
    }
    assert_eq!(said(Verb::Clone, &[]), Err(GitError::NothingNamed));
    for url in ["https://example.com/r", "https://example.com/"] {
        assert_eq!(said(Verb::Clone, &[url, "into"]), Ok([Url(url), Path("into")].to_vec()));
    }
    assert_eq!(said(Verb::Fetch, &["origin"]), Ok([Remote("origin")].to_vec()));
    assert_eq!(said(Verb::Fetch, &["."]), Err(GitError::Remote { item: 0 }));
    assert_eq!(
        said(Verb::Remote, &["add", "up", "https://example.com/r"]),
        Ok([Remote("up"), Url("https://example.com/r")].to_vec())
    );
    assert_eq!(said(Verb::Remote, &["set-url", "up", "ext::x"]), Err(GitError::Remote { item: 2 }));
    assert_eq!(said(Verb::Remote, &["rename", "up", "down"]), Err(GitError::Word { item: 0 }));
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
        (Verb::Push, &["--delete", "origin", "refs/heads/x"]),
        (Verb::Checkout, &["--", "src"]),
        (Verb::Rebase, &["--skip"]),
        (Verb::Merge, &["--abort"]),
        (Verb::Remote, &["remove", "up"]),
        (Verb::Fetch, &["--prune", "origin"]),
    ] {
        assert!(said(verb, args).unwrap().contains(&GitArgument::Force), "{args:?}");
    }
    for (verb, args) in [(Verb::Add, &["-A"][..]), (Verb::Commit, &["-a"]), (Verb::Fetch, &["--all"])] {
        assert!(said(verb, args).unwrap().contains(&GitArgument::All), "{args:?}");
    }
}

#[test]
fn empty_arguments_nul_and_magic_are_refused() {
    assert_eq!(said(Verb::Add, &[""]), Err(GitError::Argument { item: 0 }));
    assert_eq!(said(Verb::Add, &["a", "b\0c"]), Err(GitError::Argument { item: 1 }));
    assert_eq!(said(Verb::Add, &[":(exclude)x"]), Err(GitError::Argument { item: 0 }));
    assert_eq!(said(Verb::Log, &[":/fix"]), Err(GitError::Ref { item: 0 }));
}
