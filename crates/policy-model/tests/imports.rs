//! Imports: what is linked, in which order, and what is refused.

mod support;

use std::fs;
use std::path::Path;

use policy_model::{CheckOptions, Checked, Memory, check, check_in};
use support::codes;

fn link(files: &[(&str, &str)]) -> Checked {
    let memory = files.iter().fold(Memory::default(), |memory, (name, text)| memory.with(name, *text));
    check_in(&memory, Path::new("main.policy"), CheckOptions::default())
}

fn rule_names(checked: &Checked) -> Vec<&str> {
    let rules = checked.model.iter().flat_map(|model| &model.rules);
    rules.map(|rule| rule.name.as_str()).filter(|name| name.len() == 1).collect()
}

#[test]
fn an_import_stands_where_it_is_named_and_counts_once() {
    let checked = link(&[
        (
            "main.policy",
            "policy main language 1 role r rule a: allow r to file.read use \"./x/one.policy\" rule d: allow r to fs.list use \"x/two.policy\"",
        ),
        ("x/one.policy", "policy one language 1 use \"./two.policy\" rule c: allow r to fs.grep"),
        ("x/two.policy", "policy two language 1 rule b: allow r to proc.list"),
    ]);
    assert_eq!(rule_names(&checked), ["a", "b", "c", "d"]);
    let rules = &checked.model.as_ref().unwrap().rules;
    let places: Vec<usize> = rules.iter().map(|rule| rule.place).collect();
    assert_eq!(places, (0..rules.len()).collect::<Vec<_>>());
    assert!(codes(&checked).iter().all(|code| *code == "W0810"), "{:?}", codes(&checked));
}

#[test]
fn each_way_an_import_can_fail_has_its_own_code() {
    let main = |rest: &str| format!("policy main language 1 {rest}");
    let team = ("team.policy", "policy team language 1 use \"./main.policy\"");
    for (text, expected) in [
        ("use \"./none.policy\"", "E0301"),
        ("use std.secretz", "E0302"),
        ("use \"./team.policy\"", "E0303"),
        ("use \"./main.policy\"", "E0303"),
        ("use std.secrets use std.secrets", "W0301"),
        ("use \"./a.policy\" use \"a.policy\"", "W0301"),
        ("use \"./a.policy\" role r", "E0305"),
        ("without std.secrets", "E0307"),
        ("without std.protected-paths", "W0811"),
        ("use \"./renounces.policy\"", "E0307"),
    ] {
        let text = main(text);
        let a = ("a.policy", "policy a language 1 role r rule x: allow r to file.read");
        let renounces = ("renounces.policy", "policy renounces language 1 without std.protected-paths");
        let checked = link(&[("main.policy", text.as_str()), team, a, renounces]);
        assert!(codes(&checked).contains(&expected), "{text}: {:?}", codes(&checked));
    }
}

#[test]
fn findings_of_an_import_name_its_file() {
    let checked = link(&[
        ("main.policy", "policy main language 1 use \"./sub/team.policy\""),
        ("sub/team.policy", "policy team language 1\nrule x: allow nobody to file.read"),
    ]);
    let finding = checked.diagnostics.first().expect("one");
    let source = checked.sources.get(finding.primary.at.file).expect("its file");
    assert_eq!((finding.code.id, source.name()), ("E0401", "sub/team.policy"));
    assert_eq!(source.slice(finding.primary.at.span), "nobody");
}

#[test]
fn a_policy_with_an_unreadable_import_has_no_model() {
    assert!(link(&[("main.policy", "policy main language 1 use \"./none.policy\"")]).model.is_none());
}

#[test]
fn imports_are_bounded_in_depth() {
    let files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("f{n}.policy"), format!("policy f language 1 use \"./f{}.policy\"", n + 1)))
        .chain([("main.policy".to_owned(), "policy main language 1 use \"./f0.policy\"".to_owned())])
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert!(codes(&link(&files)).contains(&"E0306"));
}

#[test]
fn tests_of_an_import_speak_of_the_import_alone() {
    let checked = link(&[
        (
            "main.policy",
            "policy main language 1 use \"./team.policy\" rule no: deny anyone to file.read test t: r file.read path \"a\" => deny by no",
        ),
        (
            "team.policy",
            "policy team language 1 role r rule x: allow r to file.read test t: r file.read path \"a\" => allow by x",
        ),
    ]);
    assert_eq!(codes(&checked), Vec::<&str>::new(), "{:?}", checked.diagnostics);
}

#[test]
fn an_import_may_not_leave_the_folder_not_even_through_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let inside = folder.path().join("policy");
    fs::create_dir(&inside).expect("a folder in it");
    let outside = folder.path().join("outside.policy");
    fs::write(&outside, "policy outside language 1\n").expect("written");
    let main = inside.join("main.policy");
    let absolute = format!("use \"{}\"", outside.display());
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, inside.join("linked.policy")).expect("linked");
    #[cfg(unix)]
    let imports = ["use \"../outside.policy\"", "use \"./linked.policy\"", absolute.as_str()];
    #[cfg(not(unix))]
    let imports = ["use \"../outside.policy\"", absolute.as_str()];
    for import in imports {
        fs::write(&main, format!("policy main language 1\n{import}\n")).expect("written");
        assert_eq!(codes(&check(&main, CheckOptions::default())), ["E0304"], "{import}");
        assert_eq!(codes(&check(&main, CheckOptions { allow_outside: true })), Vec::<&str>::new(), "{import}");
    }
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_read() {
    for path in ["/dev/zero", "/", "/no/such/file", "/dev/null"] {
        let checked = check(Path::new(path), CheckOptions::default());
        assert_eq!(codes(&checked), ["E0101"], "{path}");
    }
}
