//! A tree in order, then broken once for each rule.

use super::*;

const MANIFEST: &str = "[package]\nname = \"text\"\nrust-version.workspace = true\nlicense.workspace = true\n\n\
                        [lints]\nworkspace = true\n";

/// The smallest tree without findings.
fn tree() -> Vec<File> {
    let mut files: Vec<File> = REQUIRED.iter().map(|path| file(path, "")).collect();
    files.push(file("Cargo.toml", "[workspace]\n"));
    files.push(file("crates/text/Cargo.toml", MANIFEST));
    for (path, command) in COMMANDS {
        let file = files.iter_mut().find(|file| file.path == *path).unwrap();
        file.bytes.extend(format!("{command}\n").bytes());
    }
    with(files, ARCHITECTURE, "The crate `text` knows no model.\n")
}

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), bytes: text.as_bytes().to_owned() }
}

fn with(mut files: Vec<File>, path: &str, text: &str) -> Vec<File> {
    files.retain(|file| file.path != path);
    files.push(file(path, text));
    files
}

fn without(path: &str) -> Vec<File> {
    let mut files = tree();
    files.retain(|file| file.path != path);
    files
}

fn at(path: &str, fault: Fault) -> Finding {
    Finding::new(path, 1, fault)
}

#[test]
fn a_tree_in_order_has_no_findings() {
    assert_eq!(check(&tree()), []);
}

#[test]
fn each_required_file_is_missed() {
    for path in REQUIRED {
        assert_eq!(missing(&without(path)), [at(path, Fault::Missing)], "{path}");
    }
}

#[test]
fn a_pinned_toolchain_is_found_anywhere() {
    for path in ["rust-toolchain", "rust-toolchain.toml", "crates/text/rust-toolchain.toml"] {
        assert_eq!(check(&with(tree(), path, "")), [at(path, Fault::PinnedToolchain)], "{path}");
    }
    assert_eq!(check(&with(tree(), "docs/about-rust-toolchain", "")), []);
}

#[test]
fn a_file_may_have_the_most_bytes_and_no_more() {
    assert_eq!(check(&with(tree(), "a.txt", &"x".repeat(FILE_BYTES_MAX))), []);
    let bytes = FILE_BYTES_MAX + 1;
    assert_eq!(check(&with(tree(), "a.txt", &"x".repeat(bytes))), [at("a.txt", Fault::TooLarge { bytes })]);
}

#[test]
fn each_inherited_line_is_missed() {
    for (line, named) in [
        ("rust-version.workspace = true\n", "rust-version.workspace = true"),
        ("license.workspace = true\n", "license.workspace = true"),
        ("[lints]\nworkspace = true\n", LINTS_INHERITED),
    ] {
        let files = with(tree(), "crates/text/Cargo.toml", &MANIFEST.replace(line, ""));
        assert_eq!(check(&files), [at("crates/text/Cargo.toml", Fault::NotInherited(named))], "{line}");
    }
}

#[test]
fn a_crate_that_is_proved_may_ask_for_the_older_compiler_and_no_other_crate_may() {
    let manifest = MANIFEST.replace(VERSION, OLDER_VERSION);
    assert_eq!(check(&with(tree(), OLDER[0], &manifest)), []);
    let wrong = [at("crates/text/Cargo.toml", Fault::NotInherited(VERSION))];
    assert_eq!(check(&with(tree(), "crates/text/Cargo.toml", &manifest)), wrong);
    let other = MANIFEST.replace(VERSION, "rust-version = \"1.2\"");
    assert_eq!(check(&with(tree(), OLDER[0], &other)), [at(OLDER[0], Fault::NotInherited(VERSION))]);
}

#[test]
fn the_crate_that_calls_the_system_has_every_other_lint_of_the_workspace() {
    let root = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\nunused = \"warn\"\n";
    let own = |lints: &str| MANIFEST.replace("[lints]\nworkspace = true", &format!("[lints.rust]\n{lints}"));
    let check = |path: &str, lints: &str| check(&with(with(tree(), "Cargo.toml", root), path, &own(lints)));
    assert_eq!(check(UNSAFE, "unsafe_code = \"deny\"\nunused = \"warn\""), []);
    let wrong = |path| [at(path, Fault::NotInherited(LINTS_INHERITED))];
    assert_eq!(check(UNSAFE, "unsafe_code = \"deny\""), wrong(UNSAFE));
    assert_eq!(check(UNSAFE, "unsafe_code = \"allow\"\nunused = \"warn\""), wrong(UNSAFE));
    let other = "crates/text/Cargo.toml";
    assert_eq!(check(other, "unsafe_code = \"deny\"\nunused = \"warn\""), wrong(other));
}

#[test]
fn a_crate_that_is_its_own_root_has_nobody_to_inherit_from() {
    let files = with(tree(), "crates/text/alone/Cargo.toml", "[package]\nname = \"text\"\n\n[workspace]\n");
    assert_eq!(check(&files), []);
}

#[test]
fn a_line_in_another_section_is_not_inherited() {
    let files = with(tree(), "crates/text/Cargo.toml", &MANIFEST.replace("[lints]", "[badges]"));
    assert_eq!(check(&files), [at("crates/text/Cargo.toml", Fault::NotInherited(LINTS_INHERITED))]);
}

#[test]
fn a_crate_the_architecture_does_not_name_is_found() {
    let files = with(tree(), ARCHITECTURE, "It reads text, `context` and `texts`.\n");
    assert_eq!(check(&files), [at(ARCHITECTURE, Fault::NotMentioned("text".into()))]);
}

#[test]
fn each_command_is_missed_where_it_should_stand() {
    for (path, command) in COMMANDS {
        let mut files = tree();
        let file = files.iter_mut().find(|file| file.path == *path).unwrap();
        let text = String::from_utf8(file.bytes.clone()).unwrap();
        file.bytes = text.replace(command, &format!("{command} --more")).into_bytes();
        assert_eq!(check(&files), [at(path, Fault::NotMentioned((*command).to_owned()))], "{command}");
    }
}
