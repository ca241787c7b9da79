//! What paths lie inside a root, and why others do not.

use std::vec;
use std::vec::Vec;

use super::*;

const ROOT: &[u8] = b"/workspace";

fn contained<'a>(working_directory: &'a str, path: &'a str) -> Result<Contained<'a>, PathError> {
    Contained::new(Root::new(ROOT).unwrap(), working_directory.as_bytes(), path.as_bytes())
}

#[test]
fn paths_inside_have_one_form() {
    for (working_directory, path, expected) in [
        ("", "src/main.rs", "src/main.rs"),
        ("", "./src//./main.rs", "src/main.rs"),
        ("", "src/", "src"),
        ("", ".", ""),
        ("", "/workspace", ""),
        ("", "/workspace/", ""),
        ("", "//workspace/./src//a", "src/a"),
        ("", "...", "..."),
        ("", "..a/b..", "..a/b.."),
        ("", "a\\..\\b", "a\\..\\b"),
        ("", "workspace/x", "workspace/x"),
        ("", "%2e%2e/x", "%2e%2e/x"),
        ("", "~/x", "~/x"),
        ("src", "a", "src/a"),
        ("src/", "./a", "src/a"),
        ("/workspace/src", "a/b", "src/a/b"),
        ("/workspace", "a", "a"),
        ("src", "/workspace/b", "b"),
    ] {
        let contained = contained(working_directory, path).unwrap();
        let mut buffer = [0; 64];
        assert_eq!(contained.write(&mut buffer), Ok(expected.as_bytes()), "{working_directory} {path}");
        assert_eq!(contained.is_root(), expected.is_empty());
        let written = Contained::starting_in(b"", expected.as_bytes());
        assert_eq!(contained, written, "{path}");
        if let Some(short) = expected.len().checked_sub(1) {
            let needed = expected.len();
            assert_eq!(contained.write(&mut buffer[..short]), Err(BufferTooSmall { needed }), "{path}");
        }
    }
}

#[test]
fn paths_that_are_not_inside_say_why() {
    for (working_directory, path, error) in [
        ("", "", PathError::Empty),
        ("", "..", PathError::Parent { at: 0 }),
        ("", "../x", PathError::Parent { at: 0 }),
        ("", "src/../x", PathError::Parent { at: 4 }),
        ("", "src//..", PathError::Parent { at: 5 }),
        ("", "/workspace/../etc", PathError::Parent { at: 11 }),
        ("", "/workspacex", PathError::Outside),
        ("", "/workspacex/a", PathError::Outside),
        ("", "/work", PathError::Outside),
        ("", "/", PathError::Outside),
        ("", "/etc/passwd", PathError::Outside),
        ("", "/Workspace/a", PathError::Outside),
        ("", "a\0b", PathError::Nul { at: 1 }),
        ("", "../a\0b", PathError::Nul { at: 4 }),
        ("/etc", "a", PathError::Outside),
        ("../etc", "a", PathError::Parent { at: 0 }),
        ("a\0", "b", PathError::Nul { at: 1 }),
    ] {
        assert_eq!(contained(working_directory, path), Err(error), "{working_directory} {path:?}");
    }
}

#[test]
fn the_length_of_a_path_is_counted_in_characters() {
    let root = Root::new(ROOT).unwrap();
    for character in ["a", "\u{e9}", "\u{1f980}"] {
        let longest = character.repeat(MAX_PATH_LEN);
        assert!(Contained::new(root, b"", longest.as_bytes()).is_ok());
        let longer = character.repeat(MAX_PATH_LEN + 1);
        let error = PathError::TooLong { characters: MAX_PATH_LEN + 1 };
        assert_eq!(Contained::new(root, b"", longer.as_bytes()), Err(error));
    }
    let no_characters = vec![0x80; MAX_PATH_LEN * 4 + 1];
    assert!(Contained::new(root, b"", &no_characters).is_err());
}

#[test]
fn a_root_is_an_absolute_path() {
    let inside = |root: &'static str, path: &'static str| {
        let contained = Contained::new(Root::new(root.as_bytes()).unwrap(), b"", path.as_bytes())?;
        let mut buffer = [0; 64];
        Ok(contained.write(&mut buffer).unwrap().to_vec())
    };
    assert_eq!(inside("//srv/./a/", "/srv/a/b"), Ok(b"b".to_vec()));
    assert_eq!(inside("/", "/etc"), Ok(b"etc".to_vec()));
    assert_eq!(inside("/srv/a", "/srv"), Err(PathError::Outside));
    for (root, error) in [
        ("", RootError::NotAbsolute),
        ("a", RootError::NotAbsolute),
        ("./a", RootError::NotAbsolute),
        ("/a/../b", RootError::Path(PathError::Parent { at: 3 })),
        ("/a\0", RootError::Path(PathError::Nul { at: 2 })),
    ] {
        assert_eq!(Root::new(root.as_bytes()), Err(error), "{root:?}");
    }
}

#[test]
fn a_path_says_its_name_and_extension() {
    for (working_directory, path, name, extension) in [
        ("", "src/main.rs", Some("main.rs"), Some("rs")),
        ("", "a.tar.gz/", Some("a.tar.gz"), Some("gz")),
        ("", "src/.env", Some(".env"), None),
        ("", "src/.env.local", Some(".env.local"), Some("local")),
        ("", "Makefile", Some("Makefile"), None),
        ("", "a.", Some("a."), Some("")),
        ("src/b.c", ".", Some("b.c"), Some("c")),
        ("", ".", None, None),
    ] {
        let contained = contained(working_directory, path).unwrap();
        assert_eq!(contained.name(), name.map(str::as_bytes), "{path}");
        assert_eq!(contained.extension(), extension.map(str::as_bytes), "{path}");
    }
}

#[test]
fn what_is_simple_needs_no_second_look() {
    // Every path of up to six of these bytes, so that words of eight and what is left of them are met.
    let alphabet = [0, b'.', b'/', b'a', 0x80];
    let mut simple = 0;
    for prefix in [&b""[..], b"abcdefg", b"abc/efgh", b"a"] {
        for len in 0..=6_u32 {
            for number in 0..5_usize.pow(len) {
                let digit = |place: u32| alphabet[number / 5_usize.pow(place) % 5];
                let path: Vec<u8> = prefix.iter().copied().chain((0..len).map(digit)).collect();
                let is_plain = || {
                    let components: Vec<&[u8]> = Components { rest: &path }.collect();
                    check(&path).is_ok() && path == components.join(&SLASH)
                };
                if let Some(found) = Simple::of(&path) {
                    simple += 1;
                    assert!(is_plain() && found.is_ascii == path.is_ascii(), "{path:?}");
                }
            }
        }
    }
    assert!(simple > 5_000, "{simple}");
    for ordinary in ["a", "src/main.rs", "crates/enforce-core/src/path/tests.rs", "a.b.c/d.e", "\u{e9}/\u{1f980}"] {
        assert!(Simple::of(ordinary.as_bytes()).is_some(), "{ordinary}");
    }
    assert!(Simple::of(&[b'a'; MAX_PATH_LEN]).is_some());
    assert!(Simple::of(&[b'a'; MAX_PATH_LEN + 1]).is_none());
}

#[test]
fn a_doubt_is_seen_in_every_word_of_a_long_path_and_on_both_sides_of_their_ends() {
    // Two bytes of these anywhere in paths of up to three words and a part of a fourth.
    let alphabet = [0, b'.', b'/', b'a', 0x80];
    let pairs = || alphabet.iter().flat_map(|one| alphabet.iter().map(move |other| (*one, *other)));
    let is_mark = |byte: &u8| matches!(byte, b'.' | b'/');
    for len in 1..=26 {
        for (place, next) in (0..len).flat_map(|place| (place..len).map(move |next| (place, next))) {
            for (one, other) in pairs() {
                let mut path = vec![b'a'; len];
                (path[place], path[next]) = (one, other);
                let before = [SLASH].into_iter().chain(path.iter().copied());
                let is_pair = before.zip(&path).any(|(one, other)| is_mark(&one) && is_mark(other));
                let is_doubted = is_pair || path.contains(&0) || path.ends_with(b"/");
                let expected = (!is_doubted).then(|| path.is_ascii());
                assert_eq!(Simple::of(&path).map(|simple| simple.is_ascii), expected, "{path:?}");
            }
        }
    }
}

#[test]
fn a_path_in_its_shortest_form_is_used_where_it_is() {
    for (working_directory, path, expected) in [
        ("", "src/main.rs", Some("src/main.rs")),
        ("", "/workspace/src/a", Some("src/a")),
        ("", "/workspace", Some("")),
        ("/workspace", "a", Some("a")),
        ("", "/workspace//a", None),
        ("", "/workspace/a/", None),
        ("", "src//a", None),
        ("", "./a", None),
        ("src", "a", None),
    ] {
        let contained = contained(working_directory, path).unwrap();
        assert_eq!(contained.plain(), expected.map(str::as_bytes), "{working_directory} {path}");
    }
}

#[test]
fn paths_to_different_places_are_not_equal() {
    for (path, other) in [("a", "b"), ("a/b", "a"), ("a/b", "b"), ("a", "."), ("ab", "a/b")] {
        assert_ne!(contained("", path).unwrap(), contained("", other).unwrap(), "{path} {other}");
    }
}
