//! The file tools: judged requests -> operations of [`crate::files`], and their results.

use std::time::Duration;

use enforce_core::Operation;
use enforce_core::judge::RequestAttributes;
use enforce_core::wire::{FileEdit, FilePatch, FileRead, FileWriteExtended, FsCopy, FsDelete, FsGrep, FsList, FsMove};
use tool_proto::folder_of;

use super::{Acting, json};
use crate::act::{Failed, Output};
use crate::charges::ImpliedOperation;
use crate::fault::{Fault, FaultCode};
use crate::files::{
    self, Copy, Delete, Effect, Entry, FileError, FileKind, FileRole, Grep, List, Move, Patch, PatchError, PatchTarget,
    Scope, Span, Stop, Touch, Write, WriteKind,
};
use crate::measures::{FOUND, LISTED, bytes_max};
use crate::path_judge::{PathDenied, PathJudge};
use crate::results::{Copied, Deleted, Edited, Found, Listed, Match, Moved, Other, Patched, Written};

impl<'a> Acting<'_, 'a> {
    pub(super) fn read(&self, read: &FileRead<'_>) -> Result<Output, Failed> {
        let path = self.path(read.path)?;
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let span = Span { offset: read.offset, limit: read.limit, bytes_max: bytes_max(self.obligations) };
        let content = self.workspace.read(&path, span, &mut |path| self.judge(path), &stop);
        let content = content.map_err(|error| match error {
            FileError::TooLarge { bytes, .. } => Failed::TooLarge { bytes, why: error.at(&path).to_string() },
            error => error.at(&path).into(),
        })?;
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        Ok(Output { result: content, files: 1, bytes, returned: bytes, exit: None })
    }

    pub(super) fn write(&self, write: &FileWriteExtended<'_>) -> Result<Output, Failed> {
        let path = self.path(write.path)?;
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let kind = match (write.create_only, write.append) {
            (true, _) => WriteKind::CreateOnly,
            (false, true) => WriteKind::Append,
            (false, false) => WriteKind::Replace,
        };
        let mode = Some(write.mode).filter(|mode| *mode != 0);
        let wanted = Write { kind, create_dirs: write.create_dirs, mode };
        let workspace = &self.workspace;
        let effect = workspace.write(&path, write.content, wanted, &mut |path| self.judge(path), &stop);
        let effect = effect.map_err(|error| match error {
            FileError::NoFolder { .. } => {
                Failed::Fault(Fault::new(FaultCode::NotFound, format!("{error}; `create_dirs` makes it")))
            }
            error => error.at(&path).into(),
        })?;
        let bytes = u64::try_from(write.content.len()).unwrap_or(u64::MAX);
        json(&Written { written: true, bytes: effect.size_bytes, sha256: sha256(&effect) }, 1, bytes)
    }

    pub(super) fn edit(&self, edit: &FileEdit<'_>) -> Result<Output, Failed> {
        let path = self.path(edit.path)?;
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let (old, new) = (edit.old_content.as_bytes(), edit.new_content.as_bytes());
        let effect = self.workspace.edit(&path, old, new, &mut |path| self.judge(path), &stop);
        let effect = effect.map_err(|error| error.at(&path))?;
        let result = Edited { edited: true, bytes: effect.size_bytes, sha256: sha256(&effect) };
        json(&result, 1, effect.size_bytes)
    }

    /// A diff names files of its own. Each of them is judged, whatever the request names.
    pub(super) fn patch(&self, patch: &FilePatch<'_>) -> Result<Output, Failed> {
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let read = self.diff(patch)?;
        for target in read.targets() {
            self.touch(&target.path, target.touch)?;
        }
        // A diff cannot say that it creates directories, as a request to write can: where it does, it is judged as if it had.
        let creating = self.paths.attributes().with_flag(CREATE_DIRS);
        let mut folders = |path: &[u8], touch: Touch| {
            let implied = match implied_by(touch).filter(|implied| implied.operation() == Operation::FileWrite) {
                Some(write) => self.paths.with(write.with_flag(CREATE_DIRS)).reach(path),
                None => Ok(()),
            };
            let judged = implied.and_then(|()| self.paths.with(creating).reach(path));
            judged.map_err(|denied| files::Denial::new(NamedPath(denied)))
        };
        let mut judge = |path: &[u8], touch: Touch| self.touch(path, touch).map_err(files::Denial::new);
        let applied = self.workspace.patch(&read, &mut judge, &mut folders, &stop)?;
        let bytes = applied.effects.iter().map(|effect| effect.size_bytes).fold(0, u64::saturating_add);
        let files: Vec<String> = applied.effects.iter().map(|effect| text(&effect.path)).collect();
        let count = files.len();
        let hunks_applied = u64::try_from(applied.hunks_applied).unwrap_or(u64::MAX);
        json(&Patched { patched: true, hunks_applied, files }, count, bytes)
    }

    /// The operations that a diff implies. A diff that cannot be read implies none, and changes nothing.
    pub(super) fn implied_by_patch(&self, patch: &FilePatch<'_>) -> Result<Vec<ImpliedOperation>, PathDenied> {
        let Ok(read) = self.diff(patch) else { return Ok(Vec::new()) };
        let mut implied = Vec::new();
        for PatchTarget { path, touch } in read.targets() {
            self.paths.check(&path)?;
            let Some(attributes) = implied_by(touch) else { continue };
            let charges = self.paths.with(attributes).charges(&path)?;
            // A move has two paths and is charged once.
            if touch != Touch::RenameTo {
                implied.push(ImpliedOperation { attributes, charges });
            }
        }
        Ok(implied)
    }

    fn diff<'d>(&self, patch: &FilePatch<'d>) -> Result<Patch<'d>, Failed> {
        let (path, diff) = (self.path(patch.path)?, patch.unified_diff.as_bytes());
        let read = match Patch::parse_for(&path, diff) {
            Err(PatchError::OtherPath { .. } | PatchError::Names { .. }) => Patch::parse(diff),
            read => read,
        };
        Ok(read.map_err(FileError::from)?)
    }

    /// Judges a change of a diff: as a patch, and as the operation that it implies.
    fn touch(&self, path: &[u8], touch: Touch) -> Result<(), PathDenied> {
        self.paths.reach(path)?;
        implied_by(touch).map_or(Ok(()), |implied| self.paths.with(implied).reach(path))
    }

    pub(super) fn list(&self, list: &FsList<'_>) -> Result<Output, Failed> {
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let Some(most) = LISTED.most(list.max_results, self.obligations) else {
            let none = Listed { files: Vec::new(), folders: Vec::new(), others: Vec::new(), truncated: true };
            return json(&none, 0, 0);
        };
        if let Some(folder) = self.folder(list)? {
            return self.list_folder(&folder, most.get(), &stop);
        }
        let (folder, glob) = self.scope(list.glob)?;
        let wanted = List {
            scope: Scope { folder: &folder, glob },
            max_results: most.get(),
            include_hidden: list.include_hidden,
        };
        let listed = self.workspace.list(wanted, &self.visible(), &stop)?;
        let files: Vec<String> = listed.files.iter().map(|file| text(file)).collect();
        let folders: Vec<String> = listed.folders.iter().map(|folder| text(folder)).collect();
        let count = files.len() + folders.len();
        let listed = Listed { files, folders, others: Vec::new(), truncated: listed.is_truncated };
        Ok(json(&listed, count, 0)?.returning(count))
    }

    /// The directory to list, if the glob names one, once it is judged. The core has judged the glob: with escapes in it, only the
    /// directory above them, and not as a hidden one.
    pub(super) fn folder(&self, list: &FsList<'_>) -> Result<Option<Vec<u8>>, PathDenied> {
        let Some(folder) = folder_of(list.glob) else { return Ok(None) };
        let path = self.path(folder)?;
        self.found(&path).reach(&path)?;
        Ok(Some(path))
    }

    /// Lists every visible entry of a directory, of whatever kind (INVOKE-LIST).
    fn list_folder(&self, folder: &[u8], most: usize, stop: &Stop) -> Result<Output, Failed> {
        let mut judge = |path: &[u8]| self.found(path).reach(path).map_err(files::Denial::new);
        let entries = self.workspace.list_dir(folder, &self.visible(), &mut judge, stop);
        let entries = entries.map_err(|error| error.at_folder(folder))?;
        let truncated = entries.len() > most;
        let mut listed = Listed { files: Vec::new(), folders: Vec::new(), others: Vec::new(), truncated };
        let count = entries.len().min(most);
        for Entry { name, kind } in entries.into_iter().take(most) {
            let path = text(&if folder.is_empty() { name } else { [folder, b"/", &name].concat() });
            match kind {
                FileKind::File => listed.files.push(path),
                FileKind::Folder => listed.folders.push(path),
                FileKind::Link | FileKind::Pipe | FileKind::Socket | FileKind::Device | FileKind::Unknown => {
                    listed.others.push(Other { path, kind });
                }
            }
        }
        Ok(json(&listed, count, 0)?.returning(count))
    }

    pub(super) fn grep(&self, grep: &FsGrep<'_>) -> Result<Output, Failed> {
        let stop = self.call.stop_after(self.time(GREP_TIME));
        let Some(most) = FOUND.most(grep.max_results, self.obligations) else {
            return json(&Found { matches: Vec::new(), truncated: true, unread: 0 }, 0, 0);
        };
        let (folder, glob) = self.scope(grep.glob)?;
        let wanted = Grep {
            pattern: grep.pattern,
            scope: Scope { folder: &folder, glob },
            case_sensitive: grep.case_sensitive,
            max_results: most.get(),
        };
        let found = self.workspace.grep(wanted, &self.visible(), &stop)?;
        let told = |found: files::Match| Match {
            file: text(&found.file),
            line: found.line,
            col: found.col,
            snippet: found.snippet,
        };
        let matches: Vec<Match> = found.matches.into_iter().map(told).collect();
        let count = matches.len();
        let unread = u64::try_from(found.unread).unwrap_or(u64::MAX);
        Ok(json(&Found { matches, truncated: found.is_truncated, unread }, count, 0)?.returning(count))
    }

    pub(super) fn move_(&self, both: &FsMove<'_>) -> Result<Output, Failed> {
        let (src, dst) = (self.path(both.src)?, self.path(both.dst)?);
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let how = Move { overwrite: both.overwrite };
        let effects = self.workspace.move_(&src, &dst, how, &mut self.judge_all(), &stop);
        let effects = effects.map_err(|error| of_two(error, &src, &dst))?;
        json(&Moved { moved: true }, effects.len(), 0)
    }

    pub(super) fn copy(&self, both: &FsCopy<'_>) -> Result<Output, Failed> {
        let (src, dst) = (self.path(both.src)?, self.path(both.dst)?);
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let how = Copy { overwrite: both.overwrite, preserve_mode: both.preserve_mode };
        let effects = self.workspace.copy(&src, &dst, how, &mut self.judge_all(), &stop);
        let effects = effects.map_err(|error| of_two(error, &src, &dst))?;
        let bytes = effects.iter().map(|effect| effect.size_bytes).fold(0, u64::saturating_add);
        json(&Copied { copied: true }, effects.len(), bytes)
    }

    pub(super) fn delete(&self, delete: &FsDelete<'_>) -> Result<Output, Failed> {
        let path = self.path(delete.path)?;
        let stop = self.call.stop_after(self.time(FILES_TIME));
        let how = Delete { recursive: delete.recursive, force: delete.force };
        let effects = self.workspace.delete(&path, how, &mut self.judge_all(), &stop);
        let effects = effects.map_err(|error| error.at(&path))?;
        json(&Deleted { deleted: !effects.is_empty() }, effects.len(), 0)
    }

    /// Judges a path that an operation on files comes upon.
    pub(super) fn judge(&self, path: &[u8]) -> Result<(), files::Denial> {
        self.paths.reach(path).map_err(files::Denial::new)
    }

    /// Judges all paths below a directory. After a denial nothing is done, so nothing further is noted as reached.
    fn judge_all(&self) -> impl FnMut(&[u8]) -> Result<(), files::Denial> {
        let mut is_denied = false;
        move |path| {
            let judged = if is_denied { self.paths.check(path) } else { self.paths.reach(path) };
            is_denied |= judged.is_err();
            judged.map_err(files::Denial::new)
        }
    }

    /// Judges the files that a search comes upon.
    fn visible(&self) -> impl Fn(&[u8], FileRole) -> bool + Sync {
        move |path, role| {
            let named = match role {
                FileRole::Entry => path,
                // Ignore files are hidden by their names, and a search for nothing hidden still reads them.
                FileRole::IgnoreFile => {
                    let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                    path.get(..end).unwrap_or_default()
                }
            };
            self.found(named).check(path).is_ok()
        }
    }

    /// The judge of a path that a search has found. A hidden path is judged as hidden, however the glob came by it.
    fn found(&self, path: &[u8]) -> PathJudge<'_, 'a> {
        let is_hidden = path.split(|byte| *byte == b'/').any(|name| name.first() == Some(&b'.'));
        if is_hidden { self.paths.with(self.paths.attributes().with_flag("hidden")) } else { self.paths }
    }

    /// The directory that a glob is relative to, and the glob.
    fn scope<'g>(&self, glob: &'g str) -> Result<(Vec<u8>, &'g str), Failed> {
        let root = self.workspace.path().as_os_str().as_encoded_bytes();
        let below = glob.as_bytes().strip_prefix(root).and_then(|rest| rest.strip_prefix(b"/"));
        match below.and_then(|below| std::str::from_utf8(below).ok()) {
            Some(below) => Ok((Vec::new(), below)),
            None => Ok((self.path("")?, glob)),
        }
    }
}

impl From<FileError> for Failed {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        let (path, error) = match error {
            FileError::At { path, error } => (path, *error),
            error => (Box::default(), error),
        };
        let code = match error {
            FileError::Denied { path, denied } => {
                let denied = match denied.into_reason::<NamedPath>() {
                    Ok(NamedPath(denied)) => denied,
                    Err(denied) => reason(denied, &path).without_path("a link leads to what is denied"),
                };
                return Self::Denied(denied);
            }
            FileError::DeniedBelow { count, denied } => {
                let what = match count {
                    1 => "something below it is denied".to_owned(),
                    count => format!("{count} files and folders below it are denied"),
                };
                return Self::Denied(reason(denied, b"").without_path(&what));
            }
            FileError::Escape | FileError::Link | FileError::LinkLoop | FileError::Path => {
                return Self::Denied(PathDenied::link(&path, &error.to_string()));
            }
            FileError::PartlyDeleted { removed, .. } => {
                let fault = Fault::new(FaultCode::PartlyDone, message);
                return Self::Partly(fault, u64::try_from(removed).unwrap_or(u64::MAX));
            }
            FileError::NotFound | FileError::NoFolder { .. } => FaultCode::NotFound,
            FileError::Exists => FaultCode::Exists,
            FileError::NotAFile { .. }
            | FileError::NotAFolder
            | FileError::Folder
            | FileError::FileSystem { .. }
            | FileError::Root
            | FileError::Reserved
            | FileError::HardLinked { .. } => FaultCode::NotAFile,
            FileError::TooLarge { .. } | FileError::TooMany { .. } | FileError::LongPath { .. } => FaultCode::TooLarge,
            FileError::NoMatch => FaultCode::NoMatch,
            FileError::ManyMatches { .. } => FaultCode::ManyMatches,
            FileError::Patch(_) => FaultCode::PatchRejected,
            FileError::Glob(_) | FileError::Pattern(_) | FileError::Mode { .. } => FaultCode::BadPattern,
            FileError::Busy => FaultCode::Busy,
            FileError::Cancelled => FaultCode::Cancelled,
            FileError::TimedOut => FaultCode::Timeout,
            FileError::NoSpace => FaultCode::NoSpace,
            FileError::Overlap
            | FileError::OtherFileSystem
            | FileError::Changed
            | FileError::Io { .. }
            | FileError::At { .. } => FaultCode::FileIo,
            FileError::Unfinished { .. } => FaultCode::PartlyDone,
        };
        Self::Fault(Fault::new(code, message))
    }
}

/// An error of a move or a copy, with the path that it is about.
fn of_two(error: FileError, src: &[u8], dst: &[u8]) -> FileError {
    match error {
        FileError::Exists => error.at(dst),
        FileError::NotFound | FileError::TooLarge { .. } | FileError::TooMany { .. } | FileError::LongPath { .. } => {
            error.at(src)
        }
        error => error,
    }
}

/// The denial of a path that the diff itself names.
struct NamedPath(PathDenied);

/// The reason of a denial, which was made here.
fn reason(denied: files::Denial, path: &[u8]) -> PathDenied {
    denied.into_reason().unwrap_or_else(|_| PathDenied::escape(path))
}

/// The operation that a diff implies for a file that it deletes, renames or creates.
fn implied_by(touch: Touch) -> Option<RequestAttributes<'static>> {
    match touch {
        Touch::Modify => None,
        Touch::Delete => Some(RequestAttributes::new(Operation::FsDelete)),
        Touch::RenameFrom | Touch::RenameTo => Some(RequestAttributes::new(Operation::FsMove)),
        Touch::Create { bytes } => {
            let write = RequestAttributes::new(Operation::FileWrite);
            Some(write.with_number("bytes", bytes).with_flag("create-only"))
        }
    }
}

/// A path as text for JSON. Bytes that are not UTF-8 are replaced.
fn text(path: &[u8]) -> String {
    String::from_utf8_lossy(path).into_owned()
}

fn sha256(effect: &Effect) -> String {
    effect.sha256.iter().flatten().map(|byte| format!("{byte:02x}")).collect()
}

/// Operations on files, searches included (SDK-DEFAULTS).
const FILES_TIME: Duration = Duration::from_secs(10);
const GREP_TIME: Duration = Duration::from_secs(10);
/// The flag of a request that creates directories.
const CREATE_DIRS: &str = "create-dirs";
