//! A folder to start in -> every file of the search searched, by as many threads as there are cores.
//!
//! Folders and handfuls of files lie on one pile, the newest on top: so few folders are open at a time, and a thread
//! that has nothing to do finds something whatever the shape of the tree.

use std::num::NonZero;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::fd::OwnedFd;
use rustix::io::Errno;

use super::file::{FileSearch, Skipped};
use super::found::Found;
use super::pattern::Pattern;
use crate::{Contents, FileError, Folder, IgnoreRules, Search, is_held, join};

/// Searches everything.
pub(super) fn all(search: &Search<'_>, start: Folder, pattern: &Pattern, found: &Found) -> Result<(), FileError> {
    let pile = Pile::of(Task::Start(start));
    let work = || {
        let files = FileSearch::new(pattern, found.kept_max(), &search.workspace.device, search.stop);
        Worker { search, found, pile: &pile, files }.run();
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(THREADS_MAX);
    thread::scope(|scope| {
        for _ in 1..threads {
            // With fewer threads it takes longer, no more.
            let _ = thread::Builder::new().name("grep".to_owned()).spawn_scoped(scope, work);
        }
        work();
    });
    pile.into_result()
}

enum Task {
    Start(Folder),
    /// A folder that has been seen in another.
    Folder {
        /// Where it is open still.
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
    found: &'w Found,
    pile: &'w Pile,
    files: FileSearch<'w>,
}

impl Worker<'_> {
    fn run(&mut self) {
        while let Some((task, mut turn)) = self.pile.take() {
            turn.result = self.task(task);
        }
    }

    fn task(&mut self, task: Task) -> Result<(), FileError> {
        match task {
            Task::Start(folder) => self.folder(folder),
            Task::Folder { above, path, ignored } => match self.search.enter(above.as_deref(), path, &ignored) {
                Ok(Some(folder)) => self.folder(folder),
                Ok(None) => Ok(()),
                Err(error) => self.pass_over(error),
            },
            Task::Files { folder, path, names } => self.files(&folder, &path, &names),
        }
    }

    fn folder(&mut self, folder: Folder) -> Result<(), FileError> {
        let Contents { folders, mut files, ignored, .. } = match self.search.contents(&folder) {
            Ok(contents) => contents,
            Err(error) => return self.pass_over(error),
        };
        let Folder { handle, path, .. } = folder;
        let (handle, path) = (Arc::new(handle), Arc::new(path));
        let above = is_held(&path).then_some(&handle);
        let mut tasks: Vec<Task> = folders
            .into_iter()
            .map(|name| Task::Folder { above: above.cloned(), path: join(&path, &name), ignored: Arc::clone(&ignored) })
            .collect();
        // A handful for others at a time; the rest is for this thread, while the folder is warm.
        while files.len() > FILES_AT_ONCE {
            let names = files.split_off(files.len() - FILES_AT_ONCE);
            tasks.push(Task::Files { folder: Arc::clone(&handle), path: Arc::clone(&path), names });
        }
        self.pile.add(tasks);
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
                Err(Skipped::Gone) => {}
                Err(Skipped::Unread) => self.found.pass_over(),
                Err(Skipped::Stopped(error)) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// A folder that the system does not let us into is counted; anything else ends the search.
    fn pass_over(&self, error: FileError) -> Result<(), FileError> {
        match error {
            FileError::Io { .. } | FileError::FileSystem { .. } => {
                self.found.pass_over();
                Ok(())
            }
            error => Err(error),
        }
    }
}

struct Pile {
    state: Mutex<State>,
    has_changed: Condvar,
}

struct State {
    tasks: Vec<Task>,
    /// Threads that may still add tasks.
    busy: usize,
    failed: Option<FileError>,
}

impl Pile {
    fn of(task: Task) -> Self {
        let state = Mutex::new(State { tasks: vec![task], busy: 0, failed: None });
        Self { state, has_changed: Condvar::new() }
    }

    /// The next task; nothing when all is done, or there is no use in going on.
    fn take(&self) -> Option<(Task, Turn<'_>)> {
        let mut state = self.state();
        loop {
            if state.failed.is_some() {
                return None;
            }
            if let Some(task) = state.tasks.pop() {
                state.busy += 1;
                let result = Err(FileError::of("searching")(Errno::CANCELED));
                return Some((task, Turn { pile: self, result }));
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that is being done. A thread that panics has not done it, and must not leave the others waiting.
struct Turn<'p> {
    pile: &'p Pile,
    result: Result<(), FileError>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.pile.state();
        state.busy -= 1;
        if let Err(error) = std::mem::replace(&mut self.result, Ok(())) {
            state.failed.get_or_insert(error);
        }
        if state.busy == 0 || state.failed.is_some() {
            self.pile.has_changed.notify_all();
        }
    }
}

const THREADS_MAX: usize = 8;
const FILES_AT_ONCE: usize = 32;
