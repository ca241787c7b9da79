//! Path with links -> the path that they lead to, inside the root. Walks by handles and opens no file.

use std::collections::VecDeque;

use crate::{FileError, FileKind, Judge, Links, Maker, PATH_ONLY, Workspace, allowed, beneath};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{FileType, fstat, readlinkat};
use rustix::io::Errno;

/// The treatment of a link at the end of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    Follow,
    /// Moving or deleting affects the link itself.
    Keep,
}

impl Workspace {
    /// Acts on a path as it is or, if a link is in the way, on the path that it leads to, once that is allowed. `act` must
    /// open its path literally, and fail with [`FileError::Link`] when it cannot.
    pub(super) fn with_links_resolved<T>(
        &self,
        path: &[u8],
        judge: &mut Judge<'_>,
        mut act: impl FnMut(&[u8]) -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        check(path)?;
        match act(path) {
            Err(FileError::Link) => self.retry_on_link_race(|| act(&self.resolve_links(path, Leaf::Follow, judge)?)),
            result => result,
        }
    }

    /// Returns the canonical path. If it differs from `path`, it is judged first.
    pub(super) fn resolve_links(&self, path: &[u8], leaf: Leaf, judge: &mut Judge<'_>) -> Result<Vec<u8>, FileError> {
        check(path)?;
        let canonical = self.canonical(path, leaf)?;
        check(&canonical)?;
        if canonical != path {
            allowed(judge, &canonical)?;
        }
        Ok(canonical)
    }

    /// Judges the path that links lead to, for a program that opens `path` by its name. The file need not exist.
    ///
    /// # Errors
    /// When a link leads out of the root, or to a path that is not allowed.
    pub fn judge_links(&self, path: &[u8], judge: &mut Judge<'_>) -> Result<(), FileError> {
        self.resolve_links(path, Leaf::Follow, judge).map(|_| ())
    }

    /// Tries again, a limited number of times, when a link has appeared where there was none before.
    pub(super) fn retry_on_link_race<T>(&self, mut act: impl FnMut() -> Result<T, FileError>) -> Result<T, FileError> {
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
        let ahead = components(path).map(<[u8]>::to_vec).collect();
        let mut walk = Walk { handles: VecDeque::new(), names: Vec::new(), ahead, links: 0 };
        while let Some(name) = walk.ahead.pop_front() {
            match name.as_slice() {
                b"" | b"." => {}
                b".." => {
                    walk.handles.pop_back();
                    walk.names.pop().ok_or(FileError::Escape)?;
                }
                _ => match self.open_component(&walk, &name) {
                    Ok(handle) => self.enter(&mut walk, name, handle, leaf)?,
                    Err(Errno::NOENT) => return walk.without_file(name),
                    Err(errno) => return Err(FileError::of("resolving the path")(errno)),
                },
            }
        }
        Ok(walk.names.join(&b'/'))
    }

    fn open_component(&self, walk: &Walk, name: &[u8]) -> Result<OwnedFd, Errno> {
        match walk.handles.back() {
            Some(parent) => beneath::open(parent.as_fd(), name, PATH_ONLY),
            // The parent is the root, or its handle was closed to save descriptors.
            None => beneath::open(self.root(), &join(&walk.names.join(&b'/'), name), PATH_ONLY),
        }
    }

    /// Goes on to a component or, if it is a link, puts its target before the rest of the path.
    fn enter(&self, walk: &mut Walk, name: Vec<u8>, handle: OwnedFd, leaf: Leaf) -> Result<(), FileError> {
        let stat = fstat(&handle).map_err(FileError::of("resolving the path"))?;
        let is_link = FileKind::of(FileType::from_raw_mode(stat.st_mode)) == FileKind::Link;
        if !is_link || walk.ahead.is_empty() && leaf == Leaf::Keep {
            walk.handles.push_back(handle);
            if walk.handles.len() > HELD_DEPTH_MAX {
                walk.handles.pop_front();
            }
            walk.names.push(name);
            return Ok(());
        }
        if self.links == Links::Refuse {
            return Err(FileError::Link);
        }
        walk.links += 1;
        if walk.links > LINKS_MAX {
            return Err(FileError::LinkLoop);
        }
        // Read from the handle: something else may have the name by now.
        let target = readlinkat(&handle, c"", Vec::new()).map_err(FileError::of("reading the link"))?.into_bytes();
        if target.first() == Some(&b'/') {
            return Err(FileError::Escape);
        }
        for component in components(&target).rev() {
            walk.ahead.push_front(component.to_vec());
        }
        Ok(())
    }
}

struct Walk {
    /// One for each of the last names.
    handles: VecDeque<OwnedFd>,
    names: Vec<Vec<u8>>,
    ahead: VecDeque<Vec<u8>>,
    links: usize,
}

impl Walk {
    /// Ends the walk at a name that does not exist: there are no links below it.
    fn without_file(mut self, missing: Vec<u8>) -> Result<Vec<u8>, FileError> {
        self.names.push(missing);
        for name in self.ahead {
            match name.as_slice() {
                b"" | b"." => {}
                // `..` of a missing directory is missing, too.
                b".." => return Err(FileError::NotFound),
                _ => self.names.push(name),
            }
        }
        Ok(self.names.join(&b'/'))
    }
}

/// Fails unless a path is in the form that judges see: components separated by one slash, none of them `.` or `..`. Names of
/// temporary files are refused, too, because a sweep removes such files.
pub(super) fn check(path: &[u8]) -> Result<(), FileError> {
    let is_wrong = |name: &[u8]| matches!(name, b"" | b"." | b"..") || name.contains(&0);
    if !path.is_empty() && components(path).any(is_wrong) {
        return Err(FileError::Path);
    }
    if components(path).any(|name| Maker::of(name).is_some()) { Err(FileError::Reserved) } else { Ok(()) }
}

/// Splits a path into its parent and its last name. Fails for the root.
pub(super) fn split(path: &[u8]) -> Result<(&[u8], &[u8]), FileError> {
    match path.iter().rposition(|byte| *byte == b'/') {
        _ if path.is_empty() => Err(FileError::Root),
        None => Ok((b"", path)),
        Some(slash) => Ok((path.get(..slash).unwrap_or_default(), path.get(slash + 1..).unwrap_or_default())),
    }
}

pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

pub(super) fn is_at_or_below(path: &[u8], above: &[u8]) -> bool {
    match path.strip_prefix(above) {
        Some(rest) => above.is_empty() || matches!(rest.first(), None | Some(b'/')),
        None => false,
    }
}

pub(super) fn components(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/')
}

/// True if a directory stays open while its content is walked. Deeper ones are opened by their path, so that a deep tree
/// takes no more descriptors than a flat one.
pub(super) fn is_held(path: &[u8]) -> bool {
    path.is_empty() || components(path).count() < HELD_DEPTH_MAX
}

/// Bytes of a path below the root: the kernel's limit.
pub const PATH_BYTES_MAX: usize = 4_095;
const HELD_DEPTH_MAX: usize = 64;
/// The kernel's limit.
const LINKS_MAX: usize = 40;
const TRIES_MAX: usize = 8;
