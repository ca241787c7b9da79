//! What runs between the copy of the executor and the command takes no memory: another thread of the executor may hold
//! the allocator's lock for ever.
#![cfg(target_os = "linux")]
#![expect(unsafe_code, reason = "an allocator that watches who uses it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use enforce_core::shell::Line;
use exec_sandbox::{Exit, OutputLimits, Plan, SafeEnv, SearchPath, StopEvent, Task, run};
use exec_sandbox::{Folder, Layer, Layers, Limits, Sandbox};

/// Ends every process but the one that the test runs in, at its first use.
struct Watched;

static EXECUTOR: AtomicU32 = AtomicU32::new(0);

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn check() {
    let executor = EXECUTOR.load(Ordering::Relaxed);
    if executor != 0 && executor != std::process::id() {
        // SAFETY: it ends this process, and runs nothing of it.
        unsafe { libc::_exit(99) }
    }
}

// SAFETY: memory is the system allocator's; what is added takes none.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check();
        // SAFETY: as asked of this one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        check();
        // SAFETY: as asked of this one.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[test]
fn no_process_of_a_sandbox_takes_or_gives_memory_before_it_is_a_command() {
    EXECUTOR.store(std::process::id(), Ordering::Relaxed);
    let place = tempfile::tempdir().unwrap();
    let folders = [Folder::open(place.path()).unwrap()];
    // Probing runs in such processes too: one that took memory would end without a word, and be missing.
    let whole = Sandbox::new(&[]).unwrap();
    let line = Line::new(b"echo a | cat && false || nothing-executable ; echo b").unwrap();
    let data = place.path().join("nothing-executable");
    std::fs::write(&data, "no program").unwrap();
    let find = |name: &[u8]| match name {
        b"nothing-executable" => Ok(data.clone()),
        name => SearchPath::default().find(name).ok_or(()),
    };
    for layers in [Layers::all(), Layers::all().without(Layer::PidNamespace).without(Layer::MountNamespace)] {
        let plan = |task| Plan {
            task,
            working_directory: &folders[0],
            environment: SafeEnv::new(&SearchPath::default()),
            stdin: b"input",
            timeout: Duration::from_secs(30),
            output_limits: OutputLimits::Each(1_000),
            network: false,
            read: &[],
            write: &folders,
            limits: Limits::default(),
        };
        let run = |task| run(&whole.only(layers), plan(task), &StopEvent::new().unwrap()).unwrap();
        let ran = run(Task::line(&line, find).unwrap());
        assert_eq!((ran.exit, ran.stdout.bytes.as_slice()), (Exit::Code(0), b"a\nb\n".as_slice()), "{ran:?}");
        assert_eq!(ran.stderr.bytes, b"cannot execute `nothing-executable`\n");
        let shell = SearchPath::default().interpreter("sh").unwrap();
        assert_eq!(run(Task::script(shell, "sh", b"exit 3".to_vec())).exit, Exit::Code(3));
    }
}
