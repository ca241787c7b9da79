//! Nothing leads out of the root, and where a link leads is judged.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mkfifoat, mknodat};

use super::{SECRET, TestRoot, denying};
use crate::{Delete, FileError, FileKind, Links, Span, Stop};

/// Every way to ask for a path, each of which has to be refused alike.
fn refusals(place: &TestRoot, path: &str) -> Vec<FileError> {
    vec![
        place.unchanged(|| place.read(path)),
        place.unchanged(|| place.write(path, "new")),
        place.unchanged(|| place.edit(path, "nobody", "everybody")),
        place.unchanged(|| {
            place.workspace.list_dir(path.as_bytes(), &|_, _| true, &mut super::allow, &Stop::on_request())
        }),
    ]
}

#[test]
fn invoke_contain_paths_that_are_not_normalised_are_refused() {
    let place = TestRoot::new();
    place.put("a/b", "x");
    for path in
        ["../outside/secret", "a/../../outside/secret", "/etc/passwd", "a//b", "./a", "a/", "a/./b", "a\0b", ".."]
    {
        for error in refusals(&place, path) {
            assert!(matches!(error, FileError::Path), "{path}: {error:?}");
        }
    }
}

#[test]
fn invoke_contain_a_link_out_of_the_root_is_an_escape_as_leaf_parent_and_chain() {
    let place = TestRoot::new();
    place.put("folder/file", "x");
    place.link("leaf", "../outside/secret");
    place.link("parent", "../outside");
    place.link("chain", "folder/next");
    place.link("folder/next", "../leaf");
    place.link("absolute", place.outside().join("secret"));
    place.link("inside-but-absolute", place.at("folder/file"));
    place.link("up-and-back", "../root/folder/file");
    place.link("proc", "/proc/self/root/etc/passwd");
    for path in ["leaf", "parent/secret", "parent", "chain", "absolute", "inside-but-absolute", "up-and-back", "proc"] {
        for error in refusals(&place, path) {
            assert!(matches!(error, FileError::Escape), "{path}: {error:?}");
        }
    }
    assert_eq!(fs::read_to_string(place.outside().join("secret")).unwrap(), SECRET);
}

#[test]
fn trust_fs_a_link_inside_is_followed_and_where_it_leads_is_judged() {
    let place = TestRoot::new();
    place.put("real/deep/file", "x");
    place.link("leaf", "real/deep/file");
    place.link("parent", "real/deep");
    place.link("chain", "parent/../deep/./file");
    for path in ["leaf", "parent/file", "chain"] {
        let mut asked = Vec::new();
        let mut judge = denying(&[], &mut asked);
        let read = place.workspace.read(path.as_bytes(), Span::WHOLE, &mut judge, &Stop::on_request()).unwrap();
        drop(judge);
        assert_eq!((read.as_slice(), asked), (&b"x"[..], vec!["real/deep/file".to_owned()]), "{path}");
    }
    place.write("leaf", "y").unwrap();
    assert_eq!(place.text("real/deep/file"), "y");
    assert!(place.at("leaf").is_symlink(), "the link stays");
}

#[test]
fn trust_fs_a_path_without_links_is_judged_once_and_not_here() {
    let place = TestRoot::new();
    place.put("a/file", "x");
    let mut asked = Vec::new();
    let mut judge = denying(&["a"], &mut asked);
    place.workspace.read(b"a/file", Span::WHOLE, &mut judge, &Stop::on_request()).unwrap();
    drop(judge);
    assert_eq!(asked, Vec::<String>::new());
}

#[test]
fn trust_fs_a_link_to_a_denied_path_is_denied_with_the_reason_of_the_judge() {
    let place = TestRoot::new();
    place.put("secrets/key", "x");
    place.link("harmless", "secrets/key");
    let error = place.unchanged(|| {
        let mut asked = Vec::new();
        let mut judge = denying(&["secrets"], &mut asked);
        place.workspace.read(b"harmless", Span::WHOLE, &mut judge, &Stop::on_request())
    });
    let FileError::Denied { path, denied } = error else { panic!("{error:?}") };
    assert_eq!(&*path, b"secrets/key");
    assert_eq!(denied.reason::<u32>(), None);
    assert_eq!(denied.into_reason::<String>().unwrap(), "secrets/key");
}

#[test]
fn trust_fs_links_are_refused_where_they_are_not_wanted() {
    let place = TestRoot::with(Links::Refuse);
    place.put("real/file", "x");
    place.link("leaf", "real/file");
    place.link("parent", "real");
    for path in ["leaf", "parent/file"] {
        assert!(matches!(place.unchanged(|| place.read(path)), FileError::Link), "{path}");
        assert!(matches!(place.unchanged(|| place.write(path, "y")), FileError::Link), "{path}");
        assert!(matches!(place.unchanged(|| place.edit(path, "x", "y")), FileError::Link), "{path}");
    }
    assert_eq!(place.read("real/file").unwrap(), b"x");
}

#[test]
fn trust_fs_a_dangling_link_is_not_found_and_written_where_it_leads() {
    let place = TestRoot::new();
    place.link("dangling", "missing");
    place.link("deep", "no/such/../folder");
    assert!(matches!(place.unchanged(|| place.read("dangling")), FileError::NotFound));
    assert!(matches!(place.unchanged(|| place.read("deep")), FileError::NotFound));
    let effect = place.write("dangling", "x").unwrap();
    assert_eq!((effect.path.as_slice(), place.text("missing").as_str()), (&b"missing"[..], "x"));
}

#[test]
fn trust_fs_links_in_a_circle_and_too_many_of_them_are_refused() {
    let place = TestRoot::new();
    place.link("self", "self");
    place.link("one", "two");
    place.link("two", "one");
    place.put("link0", "x");
    for number in 1..=41 {
        place.link(&format!("link{number}"), format!("link{}", number - 1));
    }
    for path in ["self", "one", "two/below", "link41"] {
        assert!(matches!(place.unchanged(|| place.read(path)), FileError::LinkLoop), "{path}");
    }
    assert_eq!(place.read("link40").unwrap(), b"x");
}

#[test]
fn trust_fs_what_is_no_file_is_refused_by_its_kind_and_never_waited_for() {
    let place = TestRoot::new();
    fs::create_dir(place.at("folder")).unwrap();
    mkfifoat(CWD, place.at("pipe"), Mode::from_raw_mode(0o666)).unwrap();
    let _listener = UnixListener::bind(place.at("socket")).unwrap();
    let mut kinds = vec![("folder", FileKind::Folder), ("pipe", FileKind::Pipe), ("socket", FileKind::Socket)];
    // The null device, which only the administrator can make.
    match mknodat(
        CWD,
        place.at("device"),
        FileType::CharacterDevice,
        Mode::from_raw_mode(0o666),
        rustix::fs::makedev(1, 3),
    ) {
        Ok(()) => kinds.push(("device", FileKind::Device)),
        Err(errno) => eprintln!("NOT TESTED: devices, because none can be made here ({errno})"),
    }
    for (path, expected) in kinds {
        let append = super::Write { kind: super::WriteKind::Append, ..super::REPLACE };
        for error in [
            place.unchanged(|| place.read(path)),
            place.unchanged(|| place.write(path, "x")),
            place.unchanged(|| place.write_as(path, "x", append)),
            place.unchanged(|| place.edit(path, "x", "y")),
        ] {
            assert!(matches!(error, FileError::NotAFile { kind } if kind == expected), "{path}: {error:?}");
        }
    }
}

#[test]
fn trust_fs_a_file_system_of_the_system_below_the_root_is_refused() {
    // The root of everything holds /proc; its files have a size of nothing and content all the same.
    let workspace = crate::Workspace::open(Path::new("/"), Links::FollowInside).unwrap();
    let read = |path: &[u8]| workspace.read(path, Span::WHOLE, &mut super::allow, &Stop::on_request());
    for path in [&b"proc/self/environ"[..], b"proc/version", b"sys/kernel/uevent_seqnum"] {
        assert!(!matches!(read(path), Ok(_) | Err(FileError::NotFound)), "{}", String::from_utf8_lossy(path));
    }
    assert!(matches!(read(b"proc/version"), Err(FileError::FileSystem { magic: 0x9fa0 })));
    // A magic link leads anywhere; it is not even looked at.
    assert!(read(b"proc/self/root/etc/hostname").is_err());
}

#[test]
fn invoke_contain_a_link_itself_can_be_deleted_and_what_it_leads_to_stays() {
    let place = TestRoot::new();
    place.link("leaf", "../outside/secret");
    place.link("parent", "../outside");
    place.workspace.delete(b"leaf", Delete::default(), &mut super::allow, &Stop::on_request()).unwrap();
    let all = Delete { recursive: true, force: true };
    place.workspace.delete(b"parent", all, &mut super::allow, &Stop::on_request()).unwrap();
    assert!(!place.at("leaf").is_symlink() && !place.at("parent").is_symlink());
    assert_eq!(fs::read_to_string(place.outside().join("secret")).unwrap(), SECRET);
}

#[test]
fn trust_fs_a_name_that_starts_like_the_root_is_not_in_it() {
    let place = TestRoot::new();
    fs::create_dir(place.dir.path().join("root_evil")).unwrap();
    fs::write(place.dir.path().join("root_evil/file"), SECRET).unwrap();
    place.link("link", "../root_evil/file");
    assert!(matches!(place.unchanged(|| place.read("link")), FileError::Escape));
}

#[test]
fn trust_fs_where_a_path_leads_is_judged_before_another_opens_it_by_its_name() {
    let place = TestRoot::new();
    place.put("tests/deep/file", "x");
    place.link("tests/leaf", "deep/file");
    place.link("tests/parent", "deep");
    place.link("tests/dangling", "deep/none");
    place.link("tests/out", "../../outside/secret");
    let follow = |path: &str, denied: &[&str]| {
        let mut asked = Vec::new();
        let followed = place.workspace.judge_links(path.as_bytes(), &mut denying(denied, &mut asked));
        (followed, asked)
    };
    for (path, leads) in [
        ("tests", None),
        ("tests/deep/file", None),
        ("tests/none/below", None),
        ("tests/leaf", Some("tests/deep/file")),
        ("tests/parent", Some("tests/deep")),
        ("tests/parent/file", Some("tests/deep/file")),
        ("tests/parent/none", Some("tests/deep/none")),
        ("tests/dangling", Some("tests/deep/none")),
    ] {
        let (followed, asked) = follow(path, &[]);
        assert!(followed.is_ok(), "{path}: {followed:?}");
        assert_eq!(asked.first().map(String::as_str), leads, "{path}");
        assert_eq!(follow(path, &["deep"]).0.is_err(), leads.is_some(), "{path}");
    }
    assert!(matches!(follow("tests/out", &[]).0, Err(FileError::Escape)));
    let strict = place.workspace.without_links();
    assert!(matches!(strict.judge_links(b"tests/leaf", &mut super::allow), Err(FileError::Link)));
}
