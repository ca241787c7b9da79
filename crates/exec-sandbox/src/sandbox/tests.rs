//! Forbidden and allowed actions of commands.

mod handed;
mod namespaces;

use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use enforce_core::shell::Line;
use exec_base::Exit;

use super::{Folder, Layer, Layers, Limits, OpenPath, Sandbox, Setting, TrialAnswer};
use crate::process::{OutputLimits, Plan, RunError, RunResult, SafeEnv, SearchPath, StopEvent, Task, run};

fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(&[]).unwrap())
}

/// A workspace, and beside it what no command may touch.
struct House {
    place: tempfile::TempDir,
    write: [Folder; 1],
    read: [Folder; 1],
}

impl House {
    fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = place.path().join(name);
            std::fs::create_dir(&path).unwrap();
            Folder::open(&path).unwrap()
        };
        let (write, read) = ([folder("write")], [folder("read")]);
        std::fs::write(place.path().join("read/book"), "readable").unwrap();
        std::fs::write(place.path().join("secret"), "secret").unwrap();
        Self { place, write, read }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.place.path().join(name)
    }

    fn plan(&self, script: &str) -> Plan<'_> {
        let shell = SearchPath::default().interpreter("sh").unwrap();
        Plan {
            task: Task::script(shell, "sh", script.as_bytes().to_owned()),
            working_directory: &self.write[0],
            environment: SafeEnv::new(&SearchPath::default()),
            stdin: b"",
            timeout: Duration::from_secs(60),
            output_limits: OutputLimits::Each(1 << 20),
            network: false,
            read: &self.read,
            write: &self.write,
            limits: Limits::default(),
        }
    }

    fn python(&self, script: &str) -> Plan<'_> {
        let python = SearchPath::default().interpreter("python3").unwrap();
        Plan { task: Task::script(python, "python3", script.as_bytes().to_owned()), ..self.plan("") }
    }
}

fn ran(sandbox: &Sandbox, plan: Plan<'_>) -> RunResult {
    run(sandbox, plan, &StopEvent::new().unwrap()).unwrap()
}

fn text(ran: &RunResult) -> String {
    format!("{}{}", String::from_utf8_lossy(&ran.stdout.bytes), String::from_utf8_lossy(&ran.stderr.bytes))
}

fn without(layers: &[Layer]) -> Sandbox {
    sandbox().only(layers.iter().fold(Layers::all(), |all, layer| all.without(*layer)))
}

#[test]
fn trust_proc_granted_folders_are_read_and_written_and_nothing_else_is_there() {
    let house = House::new();
    let [secret, book] = ["secret", "read/book"].map(|name| house.path(name).display().to_string());
    let ran = ran(
        sandbox(),
        house.plan(&format!("cat {book}; echo new > made; cat made; cat {secret} /etc/shadow; ls /root")),
    );
    assert_eq!(ran.exit, Exit::Code(2));
    assert!(text(&ran).starts_with("readablenew\n"), "{}", text(&ran));
    assert!(!text(&ran).contains("secret\n") && !text(&ran).contains("root:"), "{}", text(&ran));
    for script in
        [format!("echo x > {book}"), format!("chmod 777 {book}"), format!("touch {book}"), "touch /usr/x".to_owned()]
    {
        assert_ne!(super::tests::ran(sandbox(), house.plan(&script)).exit, Exit::Code(0), "{script}");
    }
}

/// They are the machine's own, and would stay as a command leaves them.
#[test]
fn trust_proc_devices_are_written_to_and_never_changed() {
    let house = House::new();
    let wrote =
        ran(sandbox(), house.plan("echo x > /dev/null && echo y >> /dev/zero && head -c 2 /dev/urandom | wc -c"));
    assert_eq!(text(&wrote), "2\n");
    for device in ["/dev/null", "/dev/zero", "/dev/urandom", "/proc/cmdline"] {
        // Neither changes anything where it is not refused.
        for act in ["chmod --reference={} {}", "touch -r {} {}", "chown --reference={} {}"] {
            let refused = ran(sandbox(), house.plan(&act.replace("{}", device)));
            assert!(text(&refused).contains("Read-only file system"), "{act} {device}: {}", text(&refused));
        }
    }
}

/// Whatever layers there are, a descriptor is a way to what it leads to: to its mode and its owner as well.
#[test]
fn trust_proc_no_descriptor_leads_to_a_file_of_the_machine_that_could_be_changed() {
    let house = House::new();
    // Nothing here changes anything where it is not refused.
    let script = r#"
import os
def tried(call):
    try:
        call()
        return 'done'
    except OSError as error:
        return os.strerror(error.errno)
for number in range(64):
    try:
        mode = os.fstat(number).st_mode & 0o7777
    except OSError:
        continue
    path = f'/proc/self/fd/{number}'
    print(number, os.readlink(path).split(':')[0], tried(lambda: os.fchown(number, -1, -1)),
          tried(lambda: os.fchmod(number, mode)), tried(lambda: os.chown(path, -1, -1)),
          tried(lambda: os.chmod(path, mode)), sep=', ')
try:
    os.truncate('/proc/self/fd/0', 1 << 20)
    print('it grows')
except OSError:
    pass
"#;
    let program = SearchPath::default().interpreter("python3").unwrap();
    let words = ["python3", "-c", script].map(|word| word.as_bytes().to_vec());
    let started_with = |stdin: &'static [u8]| {
        let task = Task::argv(program.clone(), words.to_vec());
        text(&ran(sandbox(), Plan { task, stdin, ..house.plan("") }))
    };
    let refused = ["Read-only file system"; 4].join(", ");
    let own = ["done"; 4].join(", ");
    let outputs = format!("1, pipe, {own}\n2, pipe, {own}\n");
    assert_eq!(started_with(b""), format!("0, /dev/null, {refused}\n{outputs}"));
    assert_eq!(started_with(b"text"), format!("0, /memfd, {own}\n{outputs}"));
    // What is at its end stays a device: some programs search their input when it is a file or a pipe.
    assert_eq!(text(&ran(sandbox(), house.plan("cat; test -c /dev/stdin && echo device"))), "device\n");
}

/// Either layer alone keeps files away: neither hides that the other is broken.
#[test]
fn trust_proc_landlock_and_the_file_tree_each_deny_alone() {
    let house = House::new();
    let secret = house.path("secret").display().to_string();
    let marker = house.path("write").display().to_string();
    for missing in [Layer::MountNamespace, Layer::Landlock] {
        let ran = ran(
            &without(&[missing]),
            house.plan(&format!("cat {secret} || echo kept-out; echo x > {secret}; echo fine > {marker}/file")),
        );
        assert!(text(&ran).contains("kept-out\n"), "{}", text(&ran));
        assert_eq!(std::fs::read_to_string(house.path("secret")).unwrap(), "secret");
        assert_eq!(std::fs::read_to_string(house.path("write/file")).unwrap(), "fine\n");
    }
    // And without both of them it is read, so that the test can tell.
    let ran = ran(&without(&[Layer::MountNamespace, Layer::Landlock]), house.plan(&format!("cat {secret}")));
    assert_eq!(text(&ran), "secret");
}

/// Where rulesets are used again, a line is granted what it was given, whatever the one before it was.
#[test]
fn trust_proc_no_line_has_what_another_was_granted() {
    let (house, other) = (House::new(), House::new());
    let sandbox = without(&[Layer::MountNamespace]);
    // No script, which would lie in the private folder, and none is used again that something was put into.
    fn plan<'a>(house: &'a House, program: &str, path: &str) -> Plan<'a> {
        let words = [program.as_bytes().to_vec(), path.as_bytes().to_vec()];
        Plan { task: Task::argv(format!("/usr/bin/{program}").into(), words.to_vec()), ..house.plan("") }
    }
    let [book, new] = ["read/book", "read/new"].map(|name| house.path(name).display().to_string());
    for _ in 0..2 {
        assert_eq!(text(&ran(&sandbox, plan(&house, "cat", &book))), "readable");
        assert_eq!(ran(&sandbox, plan(&other, "cat", &book)).exit, Exit::Code(1));
        assert_eq!(ran(&sandbox, plan(&house, "touch", &new)).exit, Exit::Code(1));
        let written = [Folder::open(&house.path("read")).unwrap()];
        assert_eq!(ran(&sandbox, Plan { write: &written, ..plan(&house, "touch", &new) }).exit, Exit::Code(0));
        std::fs::remove_file(&new).unwrap();
    }
}

#[test]
fn trust_proc_links_lead_nowhere_that_is_not_granted() {
    let house = House::new();
    std::os::unix::fs::symlink(house.path("secret"), house.path("write/link")).unwrap();
    for sandbox in [sandbox(), &without(&[Layer::MountNamespace]), &without(&[Layer::Landlock])] {
        let ran = ran(
            sandbox,
            house.plan("cat link ../secret /proc/self/root/../secret /proc/1/root/etc/shadow; ls .. /proc/1/cwd/.."),
        );
        assert!(!text(&ran).contains("secret\n") && !text(&ran).contains("root:"), "{}", text(&ran));
        assert_ne!(ran.exit, Exit::Code(0));
    }
}

#[test]
fn trust_proc_the_temporary_folder_is_private_and_gone_afterwards() {
    let house = House::new();
    let name = format!("{:x}", fastrand::u64(..));
    let script =
        format!("echo x > /tmp/{name} && echo y > /dev/shm/{name} && echo z > $HOME/{name} && cat /tmp/{name}");
    for sandbox in [sandbox(), &without(&[Layer::Landlock])] {
        assert_eq!(text(&ran(sandbox, house.plan(&script))), "x\n");
        assert!(!Path::new("/tmp").join(&name).exists() && !Path::new("/dev/shm").join(&name).exists());
    }
    let script = format!("echo x > $TMPDIR/{name} && cat $TMPDIR/{name} && echo z > $HOME/{name} && echo $TMPDIR");
    let ran = ran(&without(&[Layer::MountNamespace]), house.plan(&script));
    let place = text(&ran).strip_prefix("x\n").unwrap().trim().to_owned();
    assert!(place.starts_with('/') && !Path::new(&place).exists(), "{place}");
}

#[test]
fn trust_proc_nothing_of_the_executor_is_inherited() {
    let house = House::new();
    let file = std::fs::File::open(house.path("secret")).unwrap();
    // A descriptor that would be passed on.
    let held = rustix::io::dup(&file).unwrap();
    let ran = ran(sandbox(), house.plan("ls -l /proc/self/fd; cat /proc/1/environ /proc/1/maps /proc/1/mem; for d in 0 1 2 3 4 5 6 7 8 9; do echo forged > /proc/1/fd/$d; done"));
    let open: Vec<String> = text(&ran).lines().filter(|line| line.contains(" -> ")).map(str::to_owned).collect();
    // Three streams, and the folder that is listed.
    assert_eq!(open.len(), 4, "{open:#?}");
    assert!(!text(&ran).contains("CARGO"), "{}", text(&ran));
    let missing = text(&ran).matches("No such file").count() + text(&ran).matches("nonexistent").count();
    assert_eq!((missing, text(&ran).contains("forged")), (13, false), "{}", text(&ran));
    drop(held);
}

#[test]
fn trust_proc_no_privileges_and_no_way_to_get_them() {
    let house = House::new();
    let ran = ran(sandbox(), house.plan("cat /proc/self/status"));
    for (name, value) in [
        ("NoNewPrivs", "1"),
        ("Seccomp", "2"),
        ("CapEff", "0000000000000000"),
        ("CapPrm", "0000000000000000"),
        ("CapInh", "0000000000000000"),
        ("CapAmb", "0000000000000000"),
    ] {
        let line = format!("{name}:\t{value}");
        assert!(text(&ran).lines().any(|it| it == line), "{line}\n{}", text(&ran));
    }
}

#[test]
fn trust_proc_other_processes_are_not_seen() {
    let house = House::new();
    let ran = ran(sandbox(), house.plan("ls /proc"));
    let pids = text(&ran).lines().filter(|line| line.parse::<u32>().is_ok()).count();
    assert_eq!(pids, 2, "the shell, and ls: {}", text(&ran));
}

#[test]
fn trust_proc_neither_the_executors_command_line_nor_the_machines_is_read() {
    let house = House::new();
    let ran = ran(sandbox(), house.plan("cat /proc/1/cmdline; cat /proc/cmdline; cat /proc/self/cmdline"));
    let [stdout, stderr] = [&ran.stdout, &ran.stderr].map(|stream| String::from_utf8_lossy(&stream.bytes).into_owned());
    assert_eq!(stdout, "cat\0/proc/self/cmdline\0");
    assert_eq!(stderr, "cat: /proc/1/cmdline: No such file or directory\n");
}

#[test]
fn trust_net_there_is_no_network_unless_it_is_granted() {
    let house = House::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("import socket\ns = socket.create_connection(('127.0.0.1', {port}), 5)\nprint('connected')");
    // Each of three layers denies it alone.
    let [seccomp, landlock, network] = [Layer::Seccomp, Layer::Landlock, Layer::NetworkNamespace];
    for sandbox in
        [sandbox(), &without(&[seccomp, landlock]), &without(&[seccomp, network]), &without(&[landlock, network])]
    {
        let ran = ran(sandbox, house.python(&script));
        assert_eq!(ran.exit, Exit::Code(1), "{}", text(&ran));
        assert!(!text(&ran).contains("connected"));
    }
    let granted = ran(sandbox(), Plan { network: true, ..house.python(&script) });
    assert_eq!(text(&granted), "connected\n");
    let ran = ran(&without(&[seccomp, landlock, network]), house.python(&script));
    assert_eq!(text(&ran), "connected\n", "the test can tell");
}

#[test]
fn trust_net_sockets_with_a_path_outside_are_not_reached_even_with_the_network() {
    let house = House::new();
    let path = house.path("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let script = format!(
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect('{}')\nprint('connected')",
        path.display()
    );
    let ran = ran(sandbox(), Plan { network: true, ..house.python(&script) });
    assert!(!text(&ran).contains("connected"), "{}", text(&ran));
}

#[test]
fn trust_proc_limits_hold() {
    let house = House::new();
    let limits = Limits {
        cpu_seconds: 1,
        memory_bytes: 64 << 20,
        open_files: 32,
        file_bytes: 1 << 20,
        temp_bytes: 1 << 20,
        ..Limits::default()
    };
    let with = |script: &str| ran(sandbox(), Plan { limits, ..house.python(script) });
    let busy = with("while True: pass");
    assert!(matches!(busy.exit, Exit::Signal(9 | 24)), "{:?}", busy.exit);
    assert!(text(&with("x = bytearray(200 << 20)")).contains("MemoryError"));
    assert!(text(&with("f = [open('/dev/null') for _ in range(64)]")).contains("Too many open files"));
    let file =
        with("import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nopen('big', 'wb').write(bytes(2 << 20))");
    assert!(text(&file).contains("File too large"), "{}", text(&file));
    assert!(std::fs::metadata(house.path("write/big")).unwrap().len() <= 1 << 20);
    let temp = ran(
        sandbox(),
        Plan { limits: Limits { file_bytes: 8 << 20, ..limits }, ..house.plan("head -c 4000000 /dev/zero > /tmp/big") },
    );
    assert!(text(&temp).contains("No space left"), "{}", text(&temp));
    let core = ran(sandbox(), house.plan("ulimit -c"));
    assert_eq!(text(&core), "0\n");
}

/// What nobody has mapped counts for no process, and no process that is killed gives it back.
#[test]
fn trust_proc_memory_that_is_no_processs_is_bounded() {
    let house = House::new();
    let script = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
shmget = lambda size: libc.shmget(0, ctypes.c_size_t(size), 0o600)
def said(answer):
    return 'made' if answer >= 0 else os.strerror(ctypes.get_errno())
print('one', said(shmget(2 << 20)))
print('few', sum(shmget(100 << 10) >= 0 for _ in range(100)))
print('semaphores', said(libc.semget(0, 512, 0o600)), '-', said(libc.semget(0, 513, 0o600)))
try:
    os.memfd_create('memory')
    print('memory made')
except OSError as error:
    print('memory', os.strerror(error.errno))
"#;
    let limits = Limits { temp_bytes: 1 << 20, ..Limits::default() };
    let bounded = text(&ran(sandbox(), Plan { limits, ..house.python(script) }));
    // An ordinary user cannot tell the kernel how much, and has the filter's bound.
    let segments = match sandbox().bounds_shared_memory {
        true => "one No space left on device\nfew 10",
        false => "one Function not implemented\nfew 100",
    };
    let others = "semaphores made - Function not implemented\nmemory Function not implemented";
    assert_eq!(bounded, format!("{segments}\n{others}\n"));
    let unbounded = Plan { limits, ..house.python(script) };
    let unbounded = text(&ran(&without(&[Layer::ResourceLimits, Layer::Seccomp]), unbounded));
    assert_eq!(unbounded, "one made\nfew 100\nsemaphores made - made\nmemory made\n", "the test can tell");
}

/// A limit of no time ends a process as a signal does, and Landlock has no scope for it.
#[test]
fn trust_proc_limits_of_other_processes_are_neither_seen_nor_set() {
    let house = House::new();
    let script = "import os, resource\n\
                  print(resource.prlimit(0, resource.RLIMIT_CORE))\n\
                  print(resource.prlimit(os.getppid(), resource.RLIMIT_CORE))";
    let said = text(&ran(&without(&[Layer::PidNamespace]), house.python(script)));
    assert!(said.starts_with("(0, 0)\n") && said.ends_with("OSError: [Errno 38] Function not implemented\n"), "{said}");
    let unfiltered = text(&ran(&without(&[Layer::PidNamespace, Layer::Seccomp]), house.python(script)));
    assert_eq!(unfiltered.lines().count(), 2, "the test can tell: {unfiltered}");
}

#[test]
fn trust_proc_refused_calls_do_not_exist() {
    let house = House::new();
    let script = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n\
                  for number in [101, 165, 250, 272, 425, 321, 310, 435, 304, 155, 161, 175, 246, 323, 298]:\n\
                  \x20   r = libc.syscall(number, 0, 0, 0, 0, 0, 0)\n\
                  \x20   print(number, r, ctypes.get_errno())";
    let answers = text(&ran(sandbox(), house.python(script)));
    assert_eq!(answers.lines().count(), 15, "{answers}");
    for line in answers.lines() {
        assert!(line.ends_with(" -1 38"), "{line}");
    }
}

/// What a command leaves in the root is run by others, outside, where no mount takes these bits away.
#[test]
fn trust_proc_no_program_with_its_owners_rights_is_left_in_the_root() {
    let house = House::new();
    let script = r#"
import os, stat
def tried(name, call):
    try:
        call()
        print(name, 'done')
    except OSError as error:
        print(name, error.errno)
open('file', 'w').close()
os.mkdir('folder')
for bits in (0o4755, 0o2755):
    tried('chmod', lambda: os.chmod('file', bits))
    tried('chmod of a folder', lambda: os.chmod('folder', bits))
    tried('fchmod', lambda: os.fchmod(os.open('file', os.O_RDWR), bits))
    tried('open', lambda: os.open('opened', os.O_CREAT | os.O_WRONLY, bits))
    tried('open without a name', lambda: os.open('.', os.O_TMPFILE | os.O_WRONLY, bits))
    tried('mknod', lambda: os.mknod('made', stat.S_IFREG | bits))
    tried('fifo', lambda: os.mknod('fifo', stat.S_IFIFO | bits))
tried('device', lambda: os.mknod('device', stat.S_IFCHR | 0o600, os.makedev(1, 3)))
os.mkdir('set-id', 0o2777)
os.chmod('file', 0o1755)
tried('plain open', lambda: os.open('plain', os.O_CREAT | os.O_WRONLY, 0o755))
tried('plain fifo', lambda: os.mkfifo('plain-fifo'))
"#;
    let said = text(&ran(sandbox(), house.python(script)));
    let (tried, plain) = said.split_once("plain open").unwrap();
    assert_eq!(tried.lines().count(), 15, "{said}");
    assert!(tried.lines().all(|line| line.ends_with(" 1")), "{said}");
    assert_eq!(plain, " done\nplain fifo done\n");
    for entry in std::fs::read_dir(house.path("write")).unwrap().map(Result::unwrap) {
        let mode = std::os::unix::fs::MetadataExt::mode(&entry.metadata().unwrap());
        assert_eq!(mode & 0o6000, 0, "{entry:?} {mode:o}");
    }
    // Without the filter they are left, so that the test can tell.
    let unfiltered = text(&ran(&without(&[Layer::Seccomp]), house.python("import os\nos.chmod('file', 0o4755)")));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(house.path("write/file")).unwrap());
    assert_eq!((mode & 0o7777, unfiltered.as_str()), (0o4755, ""));
}

#[test]
fn a_folder_that_was_swapped_is_refused() {
    for name in ["write", "read"] {
        let house = House::new();
        let plan = house.plan("pwd");
        std::fs::rename(house.path(name), house.path("moved")).unwrap();
        std::fs::create_dir(house.path(name)).unwrap();
        let error = run(sandbox(), plan, &StopEvent::new().unwrap()).unwrap_err();
        assert!(matches!(error, RunError::Sandbox { error: rustix::io::Errno::STALE, .. }), "{name}: {error}");
    }
}

#[test]
fn trust_proc_nothing_runs_where_something_cannot_be_granted_or_put_in_its_place() {
    let all = sandbox().layers;
    let landlock = Layers::default().with(Layer::NoNewPrivileges).with(Layer::Landlock);
    for (layers, said) in [
        (landlock, "Landlock cannot grant `/nowhere/at/all`: "),
        (all.without(Layer::Landlock), "putting the file tree together: No such file or directory (os error 2)"),
    ] {
        let mut broken = sandbox().only(layers);
        // Nothing that has a place in a file tree.
        let handle = rustix::pipe::pipe().unwrap().0;
        broken.system.folders.push(OpenPath { handle, path: "/nowhere/at/all".into() });
        let TrialAnswer::NotMade(why) = broken.attempt(&Limits::default(), Box::new(|| 0)) else {
            panic!("it was made")
        };
        assert!(why.starts_with(said), "{why}");
        // What is in `/etc` may come and go.
        let mut without = sandbox().only(layers);
        let path = std::path::PathBuf::from("/etc/nowhere-at-all");
        without.system.settings.push(path.clone());
        without.system.other_settings.push(Setting { path, is_folder: false, is_for_network: false });
        assert!(matches!(without.attempt(&Limits::default(), Box::new(|| 7)), TrialAnswer::Answered(7)));
    }
}

#[test]
fn common_programs_run() {
    let house = House::new();
    let path = SearchPath::default();
    let mut missing = Vec::new();
    for line in [
        "sh -c 'echo hello'",
        "bash -c 'echo hello'",
        "ls -la",
        "cat /etc/passwd",
        "python3 -c 'import ssl, subprocess, threading; subprocess.run([\"true\"], check=True)'",
        "git --version",
        "git init -q repo",
        "perl -e 'print 1'",
        "node -e 'console.log(1)'",
        "cargo --version",
        "make --version",
        "tar cf a.tar /usr/share/doc/tar",
        "find /usr/bin -name ls",
        "mkfifo fifo",
        "df /",
        "id",
        "date",
        "sort /etc/passwd",
        "awk 'BEGIN { print 1 }'",
        "gcc --version",
        // What would take a file in memory without a name, were there one.
        "sh -c 'echo \"int main(void) { return 0; }\" > a.c && gcc -O2 -flto a.c -o a && ./a'",
        "bash -c 'cat <<< text; cat <(echo text)'",
        "python3 -c 'from multiprocessing import Pool, shared_memory as s; Pool(2).map(abs, [1, 2]); s.SharedMemory(create=True, size=4096).unlink()'",
        "node -e 'new (require(\"worker_threads\").Worker)(\"new SharedArrayBuffer(1 << 20)\", { eval: true })'",
    ] {
        let line = Line::new(line.as_bytes()).unwrap();
        let find = |name: &[u8]| path.find(name).ok_or(());
        let Ok(task) = Task::line(&line, find) else {
            missing.push(String::from_utf8_lossy(line.commands().next().unwrap().text()).into_owned());
            continue;
        };
        let ran = ran(sandbox(), Plan { task, ..house.plan("") });
        assert_eq!(ran.exit, Exit::Code(0), "{line:?}: {}", text(&ran));
    }
    println!("not on this machine: {missing:?}");
}

#[test]
fn a_rust_project_builds_with_a_toolchain_that_was_granted() {
    let home = std::path::PathBuf::from(std::env::var("HOME").unwrap());
    let (cargo, rustup) = (home.join(".cargo"), home.join(".rustup"));
    let path = SearchPath::with(&[cargo.join("bin")]);
    if path.find(b"cargo").is_none() || !rustup.exists() {
        println!("NOT TRIED: no toolchain in `{}`", cargo.display());
        return;
    }
    let house = House::new();
    let read = [Folder::open(&cargo.join("bin")).unwrap(), Folder::open(&rustup).unwrap()];
    let rustup = format!("RUSTUP_HOME={}", rustup.display());
    let environment = SafeEnv::new(&path).request([rustup.as_str()]).unwrap();
    let script = "cargo init -q --vcs none --name hello . && cargo build -q --offline && ./target/debug/hello";
    let ran = ran(sandbox(), Plan { read: &read, environment, ..house.plan(script) });
    assert_eq!((ran.exit, text(&ran).as_str()), (Exit::Code(0), "Hello, world!\n"));
}
