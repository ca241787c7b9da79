//! A path with links in it -> the path where they lead, inside the root, without any. Walks by handles; opens nothing.

use std::collections::VecDeque;

use crate::{FileError, ITSELF, Judge, Kind, Links, Maker, Workspace, allowed, beneath};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{FileType, fstat, readlinkat};
use rustix::io::Errno;

/// Whether the last name of a path is followed when it is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    Follow,
    /// What is moved or deleted is the link.
    Keep,
}

impl Workspace {
    /// Acts on the path as it is, and when a link is in the way, on the path that it leads to, once that is allowed.
    ///
    /// The act gets paths that it must open literally, and must answer [`FileError::Link`] when it cannot.
    pub(super) fn reach<T>(
        &self,
        path: &[u8],
        judge: &mut Judge<'_>,
        mut act: impl FnMut(&[u8]) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        check(path)?;
        match act(path) {
            Err(FileError::Link) => self.patiently(|| act(&self.settle(path, Leaf::Follow, judge)?)),
            result => result,
        }
    }

    /// Where a path leads, without links. A path that differs from the one asked for is judged.
    pub(super) fn settle(&self, path: &[u8], leaf: Leaf, judge: &mut Judge<'_>) -> Result<Vec<u8>, FileError> {
        check(path)?;
        let canonical = self.canonical(path, leaf)?;
        check(&canonical)?;
        if canonical != path {
            allowed(judge, &canonical)?;
        }
        Ok(canonical)
    }

    /// Judges where a path leads, for whoever opens it by its name. What is not there leads nowhere.
    ///
    /// # Errors
    /// When a link leads out of the root, or to a path that is not allowed.
    pub fn follow(&self, path: &[u8], judge: &mut Judge<'_>) -> Result<(), FileError> {
        self.settle(path, Leaf::Follow, judge).map(|_| ())
    }

    /// Tries again when somebody puts a link where there was none a moment ago, but not for ever.
    pub(super) fn patiently<T>(&self, mut act: impl FnMut() -> Result<T, FileError>) -> Result<T, FileError> {
        let tries = match self.links {
            Links::FollowInside => TRIES_MAX,
            Links::Refuse => 1,
        };
        for _ in 1..tries {
            match act() {
                Err(FileError::Link) => {}
                result => return result,
            }
        }
        act()
    }

    fn canonical(&self, path: &[u8], leaf: Leaf) -> Result<Vec<u8>, FileError> {
        let mut walk = Walk { above: VecDeque::new(), names: Vec::new(), ahead: VecDeque::new(), links: 0 };
        walk.ahead.extend(components(path).map(<[u8]>::to_vec));
        while let Some(name) = walk.ahead.pop_front() {
            match self.step(&mut walk, &name, leaf)? {
                Step::On => {}
                Step::Missing => return walk.literally(name),
            }
        }
        Ok(walk.names.join(&b'/'))
    }

    fn step(&self, walk: &mut Walk, name: &[u8], leaf: Leaf) -> Result<Step, FileError> {
        match name {
            b"" | b"." => return Ok(Step::On),
            b".." => {
                walk.above.pop_back();
                return walk.names.pop().map(|_| Step::On).ok_or(FileError::Escape);
            }
            _ => {}
        }
        let opened = match walk.above.back() {
            Some(folder) => beneath::open(folder.as_fd(), name, ITSELF),
            // It was let go of, or there is none but the root.
            None => beneath::open(self.root(), &join(&walk.names.join(&b'/'), name), ITSELF),
        };
        let handle = match opened {
            Ok(handle) => handle,
            Err(Errno::NOENT) => return Ok(Step::Missing),
            Err(errno) => return Err(FileError::of("following the path")(errno)),
        };
        let stat = fstat(&handle).map_err(FileError::of("following the path"))?;
        let is_link = Kind::of(FileType::from_raw_mode(stat.st_mode)) == Kind::Link;
        if is_link && !(walk.ahead.is_empty() && leaf == Leaf::Keep) {
            return self.link(walk, &handle);
        }
        walk.above.push_back(handle);
        if walk.above.len() > HELD_DEPTH_MAX {
            walk.above.pop_front();
        }
        walk.names.push(name.to_vec());
        Ok(Step::On)
    }

    /// Puts what a link says ahead of the rest of the path.
    fn link(&self, walk: &mut Walk, link: &OwnedFd) -> Result<Step, FileError> {
        if self.links == Links::Refuse {
            return Err(FileError::Link);
        }
        walk.links += 1;
        if walk.links > LINKS_MAX {
            return Err(FileError::LinkLoop);
        }
        // Of the handle itself: its name may be another's by now.
        let target = readlinkat(link, c"", Vec::new()).map_err(FileError::of("reading the link"))?.into_bytes();
        if target.first() == Some(&b'/') {
            return Err(FileError::Escape);
        }
        for component in components(&target).rev() {
            walk.ahead.push_front(component.to_vec());
        }
        Ok(Step::On)
    }
}

struct Walk {
    /// A handle for each of the last names so far.
    above: VecDeque<OwnedFd>,
    names: Vec<Vec<u8>>,
    ahead: VecDeque<Vec<u8>>,
    links: usize,
}

enum Step {
    On,
    Missing,
}

impl Walk {
    /// What is not there has no links: the rest of the path is what its text says.
    fn literally(mut self, missing: Vec<u8>) -> Result<Vec<u8>, FileError> {
        self.names.push(missing);
        for name in self.ahead {
            match name.as_slice() {
                b"" | b"." => {}
                // Below nothing there is nothing above either.
                b".." => return Err(FileError::NotFound),
                _ => self.names.push(name),
            }
        }
        Ok(self.names.join(&b'/'))
    }
}

/// Whether a path is one that a judge has seen: components with one slash between them, none that moves. And none that is
/// the name of a temporary file: what is called so is removed without anybody asking for it.
pub(super) fn check(path: &[u8]) -> Result<(), FileError> {
    let is_wrong = |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.contains(&0);
    if !path.is_empty() && components(path).any(is_wrong) {
        return Err(FileError::Path);
    }
    if components(path).any(|name| Maker::of(name).is_some()) { Err(FileError::Reserved) } else { Ok(()) }
}

/// The folder of a path and the last name in it; the root has none.
pub(super) fn split(path: &[u8]) -> Result<(&[u8], &[u8]), FileError> {
    match path.iter().rposition(|byte| *byte == b'/') {
        _ if path.is_empty() => Err(FileError::Root),
        None => Ok((b"", path)),
        Some(slash) => Ok((path.get(..slash).unwrap_or_default(), path.get(slash + 1..).unwrap_or_default())),
    }
}

/// A name in a folder.
pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

/// Whether a path is another, or lies below it.
pub(super) fn is_at_or_below(path: &[u8], above: &[u8]) -> bool {
    match path.strip_prefix(above) {
        Some(rest) => above.is_empty() || matches!(rest.first(), None | Some(b'/')),
        None => false,
    }
}

pub(super) fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}

/// Whether a folder at this path stays open while what is below it is walked. What is deeper is opened by its path, so
/// that a deep tree takes no more descriptors than a flat one.
pub(super) fn is_held(path: &[u8]) -> bool {
    path.is_empty() || components(path).count() < HELD_DEPTH_MAX
}

/// Bytes of a path below the root: as many as the kernel takes in one call.
pub const PATH_BYTES_MAX: usize = 4_095;
/// Folders inside each other that are open at a time.
const HELD_DEPTH_MAX: usize = 64;
/// As many as the kernel follows.
const LINKS_MAX: usize = 40;
/// How often a path is resolved again because links change while it is.
const TRIES_MAX: usize = 8;
