//! (root, working directory, path) -> a path inside the root, by its text alone.
//!
//! What a path leads to is for the file system to say: links, mounts, names that it takes for equal. Here a path
//! is its components, and a `..` is refused wherever it stands, because where it leads depends on links.

use crate::limits::MAX_PATH_LEN;
use crate::text::characters;

/// The folder that everything has to lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root<'a> {
    path: &'a [u8],
}

/// A path that lies inside the root, as its text says: no `..`, no NUL, nothing outside.
///
/// Two paths that differ in `.`, in doubled slashes or in a slash at the end are the same.
#[derive(Debug, Clone, Copy)]
pub struct Contained<'a> {
    /// From the root to the folder that the path starts in.
    folder: &'a [u8],
    /// From there on.
    path: &'a [u8],
    /// Whether `path` is its components with one slash between them, and there is no folder.
    is_plain: bool,
}

/// Why a path is not one inside the root, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathError {
    /// Nothing at all.
    Empty,
    /// More than [`MAX_PATH_LEN`] characters.
    TooLong {
        /// How many.
        characters: usize,
    },
    /// A NUL, where the system would end the path.
    Nul {
        /// The place of the byte.
        at: usize,
    },
    /// A component `..`.
    Parent {
        /// The place of its first byte.
        at: usize,
    },
    /// An absolute path that does not start with the components of the root.
    Outside,
}

/// Why a path is no root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootError {
    /// It does not start with a slash.
    NotAbsolute,
    /// It is not even a path.
    Path(PathError),
}

/// The path was longer than the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferTooSmall {
    /// How many bytes it takes.
    pub needed: usize,
}

impl<'a> Root<'a> {
    /// Reads a root.
    ///
    /// # Errors
    /// When the path is not absolute, or not a path that could be judged.
    pub fn new(path: &'a [u8]) -> Result<Self, RootError> {
        if path.first() != Some(&SLASH) {
            return Err(RootError::NotAbsolute);
        }
        check(path).map_err(RootError::Path)?;
        Ok(Self { path })
    }

    /// What is left of an absolute path behind the components of the root.
    fn strip<'p>(&self, path: &'p [u8]) -> Option<&'p [u8]> {
        let mut rest = Components { rest: path };
        for component in (Components { rest: self.path }) {
            if rest.next() != Some(component) {
                return None;
            }
        }
        Some(rest.rest)
    }
}

impl<'a> Contained<'a> {
    /// Reads a path. A relative one starts in the working directory, which is itself a path in the root; an
    /// empty working directory is the root.
    ///
    /// # Errors
    /// When the path, or the working directory, is not inside the root.
    pub fn new(root: Root<'_>, working_directory: &'a [u8], path: &'a [u8]) -> Result<Self, PathError> {
        if working_directory.is_empty()
            && let Some(simple) = Simple::of(path)
        {
            return Ok(simple.into());
        }
        check(path)?;
        if path.first() == Some(&SLASH) {
            return Ok(Self::starting_in(&[], root.strip(path).ok_or(PathError::Outside)?));
        }
        let folder = match working_directory.first() {
            None => working_directory,
            Some(&SLASH) => {
                check(working_directory)?;
                root.strip(working_directory).ok_or(PathError::Outside)?
            }
            Some(_) => {
                check(working_directory)?;
                working_directory
            }
        };
        Ok(Self::starting_in(folder, path))
    }

    fn starting_in(folder: &'a [u8], path: &'a [u8]) -> Self {
        Self { folder, path, is_plain: folder.is_empty() && (path.is_empty() || Simple::of(path).is_some()) }
    }

    /// The components from the root on; none for the root itself.
    pub fn components(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        Components { rest: self.folder }.chain(Components { rest: self.path })
    }

    /// Whether it is the root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.components().next().is_none()
    }

    /// The last component; the root has none.
    #[must_use]
    pub fn name(&self) -> Option<&'a [u8]> {
        if self.is_plain {
            let start = self.path.iter().rposition(|byte| *byte == SLASH).map_or(0, |slash| slash.saturating_add(1));
            return self.path.get(start..).filter(|name| !name.is_empty());
        }
        let last = |path| Components { rest: path }.last();
        last(self.path).or_else(|| last(self.folder))
    }

    /// What follows the last dot of the name, unless the name starts with that dot.
    #[must_use]
    pub fn extension(&self) -> Option<&'a [u8]> {
        self.name().and_then(extension)
    }

    /// The components with one slash between them, when that is how the path is written already: most paths can be
    /// used where they are.
    #[must_use]
    pub fn plain(&self) -> Option<&'a [u8]> {
        self.is_plain.then_some(self.path)
    }

    /// Writes the components with one slash between them, as rules see the path.
    ///
    /// # Errors
    /// When the buffer is too small.
    pub fn write<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b [u8], BufferTooSmall> {
        let mut needed: usize = 0;
        for component in self.components() {
            for part in [if needed == 0 { &[][..] } else { b"/" }, component] {
                let end = needed.saturating_add(part.len());
                if let Some(place) = buffer.get_mut(needed..end) {
                    place.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
                }
                needed = end;
            }
        }
        buffer.get(..needed).ok_or(BufferTooSmall { needed })
    }
}

impl PartialEq for Contained<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.components().eq(other.components())
    }
}

impl Eq for Contained<'_> {}

/// A path that needs no second look: relative, not too long, without NUL, and its components are neither empty nor
/// start with a dot. What this says of a path is sure; of some that it doubts the second look says the same.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simple<'a> {
    path: &'a [u8],
    pub(crate) is_ascii: bool,
}

impl<'a> Simple<'a> {
    /// Eight bytes at a time, because most paths are like this.
    pub(crate) fn of(path: &'a [u8]) -> Option<Self> {
        if path.is_empty() || path.len() > MAX_PATH_LEN || path.last() == Some(&SLASH) {
            return None;
        }
        // A path starts as if a slash came before it.
        let (mut doubts, mut before, mut all) = (0, FIRST_BYTE, 0);
        for word in path.as_chunks::<8>().0 {
            let word = u64::from_le_bytes(*word);
            (doubts, before) = doubt(word, doubts, before);
            all |= word;
        }
        let (last, before) = match path.last_chunk() {
            // It starts in what has been seen.
            Some(last) => (u64::from_le_bytes(*last), 0),
            None => (path.iter().rev().fold(LETTERS, |word, byte| word << 8 | u64::from(*byte)), before),
        };
        let is_ascii = (all | last) & EACH_HIGH_BIT == 0;
        (doubt(last, doubts, before).0 == 0).then_some(Self { path, is_ascii })
    }

    pub(crate) fn as_bytes(&self) -> &'a [u8] {
        self.path
    }
}

impl<'a> From<Simple<'a>> for Contained<'a> {
    /// In the root as the working directory.
    fn from(simple: Simple<'a>) -> Self {
        Self { folder: &[], path: simple.path, is_plain: true }
    }
}

/// What follows the last dot of a name, unless the name starts with that dot.
pub(crate) fn extension(name: &[u8]) -> Option<&[u8]> {
    let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
    name.get(dot.checked_add(1)?..)
}

/// The file or folder of tests that are named `tests/a.py::test_b[1]`: what stands before two colons.
#[must_use]
pub fn tested(tests: &[u8]) -> &[u8] {
    let end = tests.windows(2).position(|pair| pair == b"::");
    end.and_then(|end| tests.get(..end)).unwrap_or(tests)
}

/// Doubts about eight bytes, with those about the bytes before, and whether the last of them is a slash or a dot.
///
/// Two of these in a row are doubted in every order, because that takes fewer instructions: `a..b` is looked at twice.
#[inline(always)]
fn doubt(word: u64, doubts: u64, before: u64) -> (u64, u64) {
    // A slash is a dot with its lowest bit set.
    let marks = bytes_like(word | EACH_BYTE, SLASH);
    (doubts | bytes_like(word, 0) | (marks << 8 | before) & marks, marks >> 56)
}

/// The high bit of each byte that is like this one. Bytes above such a byte may have it as well.
fn bytes_like(word: u64, byte: u8) -> u64 {
    let difference = word ^ EACH_BYTE.wrapping_mul(u64::from(byte));
    difference.wrapping_sub(EACH_BYTE) & !difference & EACH_HIGH_BIT
}

/// What can be said of a path without knowing the root.
pub(crate) fn check(path: &[u8]) -> Result<(), PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    let characters = characters(path);
    if characters > MAX_PATH_LEN {
        return Err(PathError::TooLong { characters });
    }
    if let Some(at) = path.iter().position(|byte| *byte == 0) {
        return Err(PathError::Nul { at });
    }
    match parent(path) {
        Some(at) => Err(PathError::Parent { at }),
        None => Ok(()),
    }
}

/// The place of the first component `..`.
pub(crate) fn parent(path: &[u8]) -> Option<usize> {
    let mut at: usize = 0;
    for component in path.split(|byte| *byte == SLASH) {
        if component == b".." {
            return Some(at);
        }
        at = at.saturating_add(component.len()).saturating_add(1);
    }
    None
}

/// What stands between slashes, without nothing and without `.`.
#[derive(Debug, Clone)]
struct Components<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Components<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| *byte == SLASH);
            let (component, after) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
            self.rest = after.get(1..).unwrap_or_default();
            if !matches!(component, b"" | b".") {
                return Some(component);
            }
        }
        None
    }
}

const SLASH: u8 = b'/';
/// Eight bytes that nothing is said about.
const LETTERS: u64 = u64::from_le_bytes(*b"aaaaaaaa");
const EACH_BYTE: u64 = 0x0101_0101_0101_0101;
const EACH_HIGH_BIT: u64 = 0x8080_8080_8080_8080;
/// The high bit of the first of eight bytes.
const FIRST_BYTE: u64 = 0x80;

#[cfg(test)]
mod tests;
