//! Lexical containment: what is contained lies below the root, whoever wrote the path and however.

use enforce_core::path::{Contained, PathError, Root};

use crate::cases::{Bytes, Case, Premise, Source, is_same, part};

/// A path of up to `N` bytes, from one of the first `STARTS` pairs of a root and a working directory. What is written
/// of them all fits into `TEXT` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Inside<const N: usize, const STARTS: usize, const TEXT: usize> {
    /// The folder that everything has to lie in.
    pub root: &'static str,
    /// Where relative paths start.
    pub working_directory: &'static str,
    /// The path.
    pub path: Bytes<N>,
}

impl<const N: usize, const STARTS: usize, const TEXT: usize> Case for Inside<N, STARTS, TEXT> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let (root, working_directory) = source.one_of(STARTS_ALL.get(..STARTS).unwrap_or(STARTS_ALL));
        Self { root, working_directory, path: Bytes::draw(source, ALPHABET) }
    }
}

impl<const N: usize, const STARTS: usize, const TEXT: usize> Inside<N, STARTS, TEXT> {
    fn contained(&self) -> Result<Contained<'_>, PathError> {
        contained(self.root, self.working_directory, self.path.as_slice())
    }
}

/// Two paths of up to `N` bytes in one root.
#[derive(Debug, Clone, Copy)]
pub struct Two<const N: usize> {
    /// One of them.
    pub one: Bytes<N>,
    /// The other.
    pub other: Bytes<N>,
}

impl<const N: usize> Case for Two<N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self { one: Bytes::draw(source, ALPHABET), other: Bytes::draw(source, ALPHABET) }
    }
}

/// What is contained consists of names.
pub fn contained_paths_are_names<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Inside<N, STARTS, TEXT>,
) -> Premise {
    let Ok(contained) = case.contained() else {
        return Premise::Missed;
    };
    for component in contained.components() {
        assert!(!matches!(component, b"" | b"." | b".."), "a component is a name");
        for byte in component {
            assert!(*byte != 0 && *byte != b'/', "a name has no NUL and no slash");
        }
    }
    Premise::Met
}

/// The answer is that of a specification that knows nothing but text.
pub fn containment_is_as_specified<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Inside<N, STARTS, TEXT>,
) -> Premise {
    let mut expected = Normal::<TEXT>::new();
    let is_inside = specified(case.root, case.working_directory, case.path.as_slice(), &mut expected);
    match case.contained() {
        Err(_) => assert!(!is_inside, "what is refused is not inside"),
        Ok(contained) => {
            assert!(is_inside, "what is contained is inside");
            assert!(reads(&contained, expected.below_root()), "its components are those of what is specified");
        }
    }
    Premise::of(is_inside)
}

/// What is written is the components with one slash between them.
pub fn a_contained_path_is_written_as_its_components<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Inside<N, STARTS, TEXT>,
) -> Premise {
    let Ok(contained) = case.contained() else {
        return Premise::Missed;
    };
    let mut buffer = [0; TEXT];
    let is_written = matches!(contained.write(&mut buffer), Ok(written) if reads(&contained, written));
    assert!(is_written, "it fits, and is its components with one slash between them");
    Premise::Met
}

/// What is written is contained, and is written the same again.
pub fn containment_is_idempotent<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Inside<N, STARTS, TEXT>,
) -> Premise {
    let mut buffer = [0; TEXT];
    let Ok(Ok(written)) = case.contained().map(|contained| contained.write(&mut buffer)) else {
        return Premise::Missed;
    };
    // The root itself is no text, and no text is no path.
    if written.is_empty() {
        return Premise::Missed;
    }
    let is_same = matches!(contained(case.root, "", written), Ok(again) if reads(&again, written));
    assert!(is_same, "it is contained, with the same components");
    Premise::Met
}

/// The name of a path is the last of its components; the root has none.
pub fn the_name_is_the_last_component<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Inside<N, STARTS, TEXT>,
) -> Premise {
    let Ok(contained) = case.contained() else {
        return Premise::Missed;
    };
    let mut last = None;
    for component in contained.components() {
        last = Some(component);
    }
    assert!(contained.is_root() == last.is_none(), "the root has no components");
    let is_last = match (contained.name(), last) {
        (Some(name), Some(last)) => is_same(name, last),
        (name, last) => name.is_none() && last.is_none(),
    };
    assert!(is_last, "the name is the last component");
    Premise::Met
}

/// A path that can be used where it stands is its components with one slash between them.
pub fn a_plain_path_is_its_components<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Inside<N, STARTS, TEXT>,
) -> Premise {
    let Ok(contained) = case.contained() else {
        return Premise::Missed;
    };
    let Some(plain) = contained.plain() else {
        return Premise::Missed;
    };
    assert!(reads(&contained, plain), "it is its components with one slash between them");
    Premise::Met
}

/// Equal component lists are one result.
pub fn equal_components_are_equal_paths<const N: usize>(case: &Two<N>) -> Premise {
    let (one, other) = (contained(ROOT, "", case.one.as_slice()), contained(ROOT, "", case.other.as_slice()));
    let (Ok(one), Ok(other)) = (one, other) else {
        return Premise::Missed;
    };
    let is_one = has_equal_components(&one, &other);
    assert!((one == other) == is_one, "paths with equal components are equal, and no others");
    Premise::of(is_one)
}

/// Equal component lists are one text, and other lists another.
pub fn equal_components_are_written_alike<const N: usize>(case: &Two<N>) -> Premise {
    let (one, other) = (contained(ROOT, "", case.one.as_slice()), contained(ROOT, "", case.other.as_slice()));
    let (Ok(one), Ok(other)) = (one, other) else {
        return Premise::Missed;
    };
    let (mut first, mut second) = ([0; N], [0; N]);
    let (Ok(first), Ok(second)) = (one.write(&mut first), other.write(&mut second)) else {
        // Shorter than it was a path may become, and never longer.
        unreachable!("a path fits where it came from");
    };
    let is_one = has_equal_components(&one, &other);
    assert!(is_same(first, second) == is_one, "paths with equal components are written alike, and no others");
    Premise::of(is_one)
}

fn contained<'a>(root: &'a str, working_directory: &'a str, path: &'a [u8]) -> Result<Contained<'a>, PathError> {
    match Root::new(root.as_bytes()) {
        Ok(root) => Contained::new(root, working_directory.as_bytes(), path),
        Err(_) => Err(PathError::Outside),
    }
}

/// Whether a text is the components of a path with one slash between them.
fn reads(contained: &Contained<'_>, text: &[u8]) -> bool {
    let mut at = 0;
    for component in contained.components() {
        if at > 0 {
            if text.get(at) != Some(&b'/') {
                return false;
            }
            at = at.saturating_add(1);
        }
        for byte in component {
            if text.get(at) != Some(byte) {
                return false;
            }
            at = at.saturating_add(1);
        }
    }
    at == text.len()
}

fn has_equal_components(one: &Contained<'_>, other: &Contained<'_>) -> bool {
    let (mut one, mut other) = (one.components(), other.components());
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if is_same(one, other) => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}

/// The specification: the texts one after another, then what is left of them without `.` and doubled slashes, which
/// has to start with the same of the root. A working directory has to do so by itself.
fn specified<const TEXT: usize>(root: &str, working_directory: &str, path: &[u8], text: &mut Normal<TEXT>) -> bool {
    let working_directory = working_directory.as_bytes();
    let is_absolute = |path: &[u8]| path.first() == Some(&b'/');
    let mut is_fine = !path.is_empty();
    is_fine &= text.add(root.as_bytes());
    text.root = text.len;
    if is_absolute(path) {
        text.starts_anew = true;
    } else if is_absolute(working_directory) {
        text.starts_anew = true;
        is_fine &= text.add(working_directory) && text.is_below_root();
    } else {
        is_fine &= text.add(working_directory);
    }
    is_fine &= text.add(path);
    is_fine && text.is_below_root()
}

/// Text that is put together component by component, each after a slash.
struct Normal<const TEXT: usize> {
    bytes: [u8; TEXT],
    len: usize,
    /// How much of it is the root.
    root: usize,
    /// Whether what follows the root is an absolute path itself.
    starts_anew: bool,
}

impl<const TEXT: usize> Normal<TEXT> {
    fn new() -> Self {
        Self { bytes: [0; TEXT], len: 0, root: 0, starts_anew: false }
    }

    /// Whether there is nothing in the path that is refused wherever it stands.
    fn add(&mut self, path: &[u8]) -> bool {
        let mut is_fine = true;
        for component in path.split(|byte| *byte == b'/') {
            match component {
                b"" | b"." => continue,
                b".." => is_fine = false,
                _ => {}
            }
            self.push(b'/');
            for byte in component {
                is_fine &= *byte != 0;
                self.push(*byte);
            }
        }
        is_fine
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.len) {
            *place = byte;
            self.len = self.len.saturating_add(1);
        }
    }

    fn text(&self, from: usize) -> &[u8] {
        part(&self.bytes, from, self.len)
    }

    fn is_below_root(&self) -> bool {
        let root = part(&self.bytes, 0, self.root);
        let path = self.text(self.root);
        // A slash comes before every component, so that `/ab` does not start with `/a` and a slash.
        let ends_there = path.get(root.len()).is_none_or(|byte| *byte == b'/');
        !self.starts_anew || path.get(..root.len()).is_some_and(|start| is_same(start, root)) && ends_there
    }

    /// From the root on, without the slash before it.
    fn below_root(&self) -> &[u8] {
        let again = if self.starts_anew { self.root } else { 0 };
        match self.text(self.root.saturating_add(again)) {
            [_, path @ ..] => path,
            root => root,
        }
    }
}

const ROOT: &str = "/a";
/// Roots with working directories. The first is what most sessions have.
const STARTS_ALL: &[(&str, &str)] = &[
    (ROOT, ""),
    (ROOT, "c"),
    (ROOT, "/a/c"),
    ("/", ""),
    ("//a/./c/", ""),
    ("/", "a//."),
    (ROOT, "/"),
    (ROOT, "./"),
    (ROOT, ".."),
    (ROOT, "a/.."),
    (ROOT, "/ac"),
    ("/a/a", "/a/a"),
];
/// What paths are made of: what separates, dots, a byte of the root and one that is not, what ends a path for the
/// system, and a byte that is no ASCII.
pub const ALPHABET: &[u8] = b"/.ac\0\xff";
