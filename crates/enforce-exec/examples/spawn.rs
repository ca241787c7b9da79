//! How long it takes to run `true`: plainly, with some layers, with all of them, and in bubblewrap.
//!
//! Every way takes its turn in each round, so that a busy machine disturbs all of them alike.
//!
//! ```text
//! cargo run --release -p enforce-exec --example spawn -- [rounds]
//! ```

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use enforce_exec::process::{Caps, Exit, Plan, SafeEnv, SearchPath, Stop, Task, run};
    use enforce_exec::sandbox::{Folder, Layer, Layers, Limits, Sandbox};

    type Way<'a> = (&'a str, Box<dyn Fn() -> Result<(), Box<dyn Error>> + 'a>);

    pub(super) fn main() -> Result<(), Box<dyn Error>> {
        let rounds: usize = std::env::args().nth(1).map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
        let place = std::env::temp_dir();
        let workspace = place.join(format!("spawn-{}", std::process::id()));
        std::fs::create_dir(&workspace)?;
        let folders = [Folder::open(&workspace)?];
        let whole = Sandbox::new(&[])?;
        let some = |layers: &[Layer]| whole.only(layers.iter().copied().collect());
        let (own_process, files) = (
            some(&[Layer::PidNamespace, Layer::UserNamespace]),
            some(&[Layer::NoNewPrivileges, Layer::Landlock, Layer::Seccomp]),
        );
        let no_network = whole.only(Layers::all().without(Layer::NetworkNamespace));
        let none = some(&[]);
        let ways: Vec<Way<'_>> = vec![
            ("fork + exec", Box::new(plain)),
            ("posix_spawn", Box::new(spawned)),
            ("no layer", Box::new(|| sandboxed(&none, &folders))),
            ("user + pid namespaces", Box::new(|| sandboxed(&own_process, &folders))),
            ("Landlock + seccomp", Box::new(|| sandboxed(&files, &folders))),
            ("all but the network namespace", Box::new(|| sandboxed(&no_network, &folders))),
            ("all layers", Box::new(|| sandboxed(&whole, &folders))),
            ("bwrap --unshare-all", Box::new(bubblewrap)),
        ];
        let ways: Vec<Way<'_>> = ways.into_iter().filter(|(name, way)| works(name, way)).collect();
        let mut times: Vec<Vec<Duration>> = vec![Vec::with_capacity(rounds); ways.len()];
        for _ in 0..rounds {
            for ((_, way), times) in ways.iter().zip(&mut times) {
                let started = Instant::now();
                way()?;
                times.push(started.elapsed());
            }
        }
        std::fs::remove_dir(&workspace)?;
        table(&ways, times);
        Ok(())
    }

    fn table(ways: &[Way<'_>], mut times: Vec<Vec<Duration>>) {
        let mut base: Option<(f64, f64)> = None;
        println!("{:32} {:>12} {:>7} {:>12} {:>7}", "", "median", "ratio", "best tenth", "ratio");
        for ((name, _), times) in ways.iter().zip(&mut times) {
            times.sort_unstable();
            let at = |place: usize| times.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6);
            let (median, quiet) = (at(times.len() / 2), at(times.len() / 10));
            let (base_median, base_quiet) = *base.get_or_insert((median, quiet));
            let (ratio, quiet_ratio) = (median / base_median, quiet / base_quiet);
            println!("{name:32} {median:>9.0} us {ratio:>6.2}x {quiet:>9.0} us {quiet_ratio:>6.2}x");
        }
    }

    fn works(name: &str, way: &dyn Fn() -> Result<(), Box<dyn Error>>) -> bool {
        way().inspect_err(|error| eprintln!("{name} is left out: {error}")).is_ok()
    }

    /// The standard library forks when it is to set a user.
    fn plain() -> Result<(), Box<dyn Error>> {
        finished(Command::new(TRUE).uid(rustix::process::getuid().as_raw()))
    }

    fn spawned() -> Result<(), Box<dyn Error>> {
        finished(&mut Command::new(TRUE))
    }

    fn bubblewrap() -> Result<(), Box<dyn Error>> {
        finished(Command::new("bwrap").args(["--ro-bind", "/", "/", "--unshare-all", TRUE]))
    }

    fn finished(command: &mut Command) -> Result<(), Box<dyn Error>> {
        // The same streams as in the sandbox.
        let output = command.stdin(Stdio::null()).output()?;
        if output.status.success() { Ok(()) } else { Err(output.status.to_string().into()) }
    }

    fn sandboxed(sandbox: &Sandbox, folders: &[Folder]) -> Result<(), Box<dyn Error>> {
        let plan = Plan {
            task: Task::argv(TRUE.into(), vec![b"true".to_vec()]),
            working_directory: folders.first().ok_or("no folder")?,
            environment: SafeEnv::new(&SearchPath::default()),
            stdin: b"",
            timeout: Duration::from_secs(10),
            caps: Caps::Each(1_000),
            network: false,
            read: &[],
            write: folders,
            limits: Limits::default(),
        };
        let ran = run(sandbox, plan, &Stop::new()?)?;
        if ran.exit == Exit::Code(0) { Ok(()) } else { Err(ran.exit.to_string().into()) }
    }

    const TRUE: &str = "/usr/bin/true";
    const ROUNDS: usize = 300;
}
