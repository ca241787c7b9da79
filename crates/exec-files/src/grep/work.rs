//! A start directory -> all its files searched, by as many threads as there are cores.
//!
//! Directories and batches of files are tasks on one stack. Taking the newest first keeps few directories open, and every thread
//! finds work whatever the shape of the tree.

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::fd::OwnedFd;
use rustix::io::Errno;

use super::MatchCollector;
use super::file::{FileSearch, FileSkipped};
use super::pattern::Pattern;
use crate::{Contents, FileError, Folder, IgnoreRules, Search, is_held, join};

pub(super) fn all(
    search: &Search<'_>,
    start: Folder,
    pattern: &Pattern,
    found: &MatchCollector,
) -> Result<(), FileError> {
    let stack = TaskStack::of(Task::Start(start));
    let work = || {
        let files = FileSearch::new(pattern, found.kept_max(), &search.workspace.device, search.stop);
        Worker { search, found, stack: &stack, files }.run();
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    thread::scope(|scope| {
        for _ in 1..threads {
            // If a thread cannot be started, the others do its work.
            let _ = thread::Builder::new().name("grep".to_owned()).spawn_scoped(scope, work);
        }
        work();
    });
    stack.into_result()
}

enum Task {
    Start(Folder),
    Folder {
        /// None if it was closed to save descriptors.
        above: Option<Arc<OwnedFd>>,
        path: Vec<u8>,
        ignored: Arc<IgnoreRules>,
    },
    Files {
        folder: Arc<OwnedFd>,
        path: Arc<Vec<u8>>,
        names: Vec<Vec<u8>>,
    },
}

struct Worker<'w> {
    search: &'w Search<'w>,
    found: &'w MatchCollector,
    stack: &'w TaskStack,
    files: FileSearch<'w>,
}

impl Worker<'_> {
    fn run(&mut self) {
        while let Some((task, mut running)) = self.stack.take() {
            running.result = self.task(task);
        }
    }

    fn task(&mut self, task: Task) -> Result<(), FileError> {
        match task {
            Task::Start(folder) => self.folder(folder),
            Task::Folder { above, path, ignored } => match self.search.enter(above.as_deref(), path, &ignored) {
                Ok(Some(folder)) => self.folder(folder),
                Ok(None) => Ok(()),
                Err(error) => self.skip_unreadable(error),
            },
            Task::Files { folder, path, names } => self.files(&folder, &path, &names),
        }
    }

    fn folder(&mut self, folder: Folder) -> Result<(), FileError> {
        let Contents { folders, mut files, ignored, .. } = match self.search.contents(&folder) {
            Ok(contents) => contents,
            Err(error) => return self.skip_unreadable(error),
        };
        let Folder { handle, path, .. } = folder;
        let (handle, path) = (Arc::new(handle), Arc::new(path));
        let above = is_held(&path).then_some(&handle);
        let mut tasks: Vec<Task> = folders
            .into_iter()
            .map(|name| Task::Folder { above: above.cloned(), path: join(&path, &name), ignored: Arc::clone(&ignored) })
            .collect();
        // Batches for other threads; this one takes the rest, while the directory is in the cache.
        while files.len() > FILES_AT_ONCE {
            let names = files.split_off(files.len() - FILES_AT_ONCE);
            tasks.push(Task::Files { folder: Arc::clone(&handle), path: Arc::clone(&path), names });
        }
        self.stack.add(tasks);
        self.files(&handle, &path, &files)
    }

    fn files(&mut self, folder: &OwnedFd, above: &[u8], names: &[Vec<u8>]) -> Result<(), FileError> {
        for name in names {
            let path = join(above, name);
            if self.found.is_beyond(&path) {
                continue;
            }
            match self.files.search(folder, name, &path) {
                Ok(matches) if matches.is_empty() => {}
                Ok(matches) => self.found.add(&path, matches),
                Err(FileSkipped::Gone) => {}
                Err(FileSkipped::Unread) => self.found.count_unread(),
                Err(FileSkipped::Stopped(error)) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Counts a directory that cannot be opened; any other error ends the search.
    fn skip_unreadable(&self, error: FileError) -> Result<(), FileError> {
        match error {
            FileError::Io { .. } | FileError::FileSystem { .. } => {
                self.found.count_unread();
                Ok(())
            }
            error => Err(error),
        }
    }
}

struct TaskStack {
    state: Mutex<StackState>,
    has_changed: Condvar,
}

struct StackState {
    tasks: Vec<Task>,
    /// Running tasks, which can add others.
    busy: usize,
    failed: Option<FileError>,
}

impl TaskStack {
    fn of(task: Task) -> Self {
        let state = Mutex::new(StackState { tasks: vec![task], busy: 0, failed: None });
        Self { state, has_changed: Condvar::new() }
    }

    /// Waits for the next task; none when all are done or one has failed.
    fn take(&self) -> Option<(Task, RunningTask<'_>)> {
        let mut state = self.state();
        loop {
            if state.failed.is_some() {
                return None;
            }
            if let Some(task) = state.tasks.pop() {
                state.busy += 1;
                let result = Err(FileError::of("searching")(Errno::CANCELED));
                return Some((task, RunningTask { stack: self, result }));
            }
            if state.busy == 0 {
                return None;
            }
            state = self.has_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn add(&self, tasks: Vec<Task>) {
        if !tasks.is_empty() {
            self.state().tasks.extend(tasks);
            self.has_changed.notify_all();
        }
    }

    fn into_result(self) -> Result<(), FileError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failed.map_or(Ok(()), Err)
    }

    fn state(&self) -> MutexGuard<'_, StackState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task in progress. If its thread panics, dropping this fails the search, so that the other threads do not wait for ever.
struct RunningTask<'p> {
    stack: &'p TaskStack,
    result: Result<(), FileError>,
}

impl Drop for RunningTask<'_> {
    fn drop(&mut self) {
        let mut state = self.stack.state();
        state.busy -= 1;
        if let Err(error) = std::mem::replace(&mut self.result, Ok(())) {
            state.failed.get_or_insert(error);
        }
        if state.busy == 0 || state.failed.is_some() {
            self.stack.has_changed.notify_all();
        }
    }
}

const THREADS_MAX: usize = 8;
const FILES_AT_ONCE: usize = 32;
