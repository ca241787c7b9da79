//! Everything the project claims about its speed and size, measured in one run.

mod building;
mod counting;
mod goals;
mod hostile;
mod judging;
mod report;
mod seats;
mod threads;

use std::collections::BTreeMap;

use xtask::generate::Mix;

use crate::child::{NoAnswer, Scratch};
use crate::clock::Clock;
use crate::engines::{Core, Name};
use crate::goal;
use crate::judging::Judging;
use crate::workload::{REQUESTS, SIZES, Workload};
use building::Built;
use counting::{Asks, Count, Snapshot};
use judging::Times;
use seats::{Seat, in_turns};
use threads::Scaling;

pub use child_tasks::{build, count, hostile, largest};

/// What the children of [`run`] do, each started by this program itself.
mod child_tasks {
    use std::path::Path;

    /// Judges requests under callgrind.
    #[must_use]
    pub fn count(engine: &str, folder: &Path, asks: &str, requests: usize) -> String {
        super::counting::judge(engine, folder, asks, requests)
    }

    /// Builds a table.
    #[must_use]
    pub fn build(mix: &str, rules: usize) -> String {
        super::building::build(super::building::mix(mix), rules)
    }

    /// Judges the largest request there may be.
    #[must_use]
    pub fn largest() -> String {
        super::judging::largest()
    }

    /// Builds a set of hostile patterns.
    #[must_use]
    pub fn hostile(set: &str) -> String {
        super::hostile::build(set)
    }
}

/// Measures everything, prints it, and says whether every figure is as firm as it has to be.
///
/// A miss counts when it is larger than the figure's margin: none for counts and sizes, the double for
/// ratios of times, four times for times. What was not measured is said and does not count.
#[must_use]
pub fn run(effort: Effort) -> bool {
    let figures = Figures::measure(effort);
    print!("{}", figures.render());
    goal::all_hold(&figures.goals())
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// The figures that a change is likely to move, on a tenth of the requests.
    Quick,
    /// Everything.
    Full,
}

impl Effort {
    fn requests(self) -> usize {
        match self {
            Self::Quick => REQUESTS / 10,
            Self::Full => REQUESTS,
        }
    }

    /// The engines whose instructions are counted at that size.
    fn counted(self, mix: Mix, rules: usize) -> &'static [Name] {
        match (self, mix) {
            (Self::Full, Mix::Default) => Name::BUILT,
            (Self::Full, Mix::Harder) => &[Name::Core],
            (Self::Quick, _) if SMALLEST_AND_LARGEST.contains(&rules) => &[Name::Core],
            (Self::Quick, _) => &[],
        }
    }
}

/// Everything that was measured.
struct Figures {
    workloads: Vec<About>,
    seats: Vec<Seat>,
    /// The core at every size, without other engines in between, which leave nothing of it in the caches.
    alone: Vec<Seat>,
    counts: BTreeMap<Counted, Result<Count, String>>,
    tail: (f64, f64),
    scaling: Scaling,
    built: BTreeMap<(&'static str, usize), Result<Built, String>>,
    hostile: Vec<(&'static str, Result<hostile::Ended, NoAnswer>)>,
    judging: Times,
}

/// A workload in short.
struct About {
    mix: &'static str,
    rules: usize,
    requests: usize,
    hits: usize,
    allowed: usize,
    mean_bytes: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Counted {
    engine: Name,
    mix: &'static str,
    rules: usize,
    is_sixty: bool,
}

impl Figures {
    fn measure(effort: Effort) -> Self {
        let (scratch, clock) = (Scratch::new(), Clock::start());
        let workloads: Vec<Workload> = [Mix::Default, Mix::Harder]
            .into_iter()
            .flat_map(|mix| SIZES.map(|rules| (mix, rules)))
            .filter(|(mix, rules)| *mix == Mix::Default || SMALLEST_AND_LARGEST.contains(rules))
            .map(|(mix, rules)| {
                clock.say(format!("making requests for {rules} rules of the {} mix", building::name(mix)));
                Workload::new(mix, rules, effort.requests())
            })
            .collect();
        let (built, hostile) = (measure_building(effort, &clock), measure_hostile(&clock));
        let counts = measure_counts(&workloads, effort, &scratch, &clock);
        let compared = workloads.iter().filter(|workload| workload.mix == Mix::Default);
        let mut seats = Vec::new();
        for workload in compared {
            for name in Name::BUILT {
                clock.say(format!("checking {} at {} rules", name.as_str(), workload.rules));
                seats.push(Seat::new(*name, workload));
            }
        }
        clock.say("timing interdict alone");
        let compared = workloads.iter().filter(|workload| workload.mix == Mix::Default);
        let mut alone: Vec<Seat> = compared.map(|workload| Seat::new(Name::Core, workload)).collect();
        in_turns(&mut alone, TURNS);
        clock.say(format!("timing {} engines in turns", seats.len()));
        in_turns(&mut seats, TURNS);
        let largest = workloads.iter().filter(|workload| workload.mix == Mix::Default).max_by_key(|one| one.rules);
        let largest = largest.expect("there are workloads");
        let core = Core::new(&largest.table, &largest.mixed.asks);
        clock.say("judging encoded requests");
        let judged = workloads.iter().find(|workload| workload.rules == JUDGED_RULES).expect("there are workloads");
        let judging = Times::measure(&Judging::new(judged), JUDGING_TURNS);
        clock.say("timing single decisions and two threads");
        Self {
            tail: threads::tail(&core, TAIL_TURNS),
            scaling: threads::scaling(&core, SCALING_TURNS),
            workloads: workloads.iter().map(About::new).collect(),
            seats,
            alone,
            counts,
            built,
            hostile,
            judging,
        }
    }
}

impl About {
    fn new(workload: &Workload) -> Self {
        let asked = &workload.mixed;
        let target = |ask: &crate::ask::Ask| ask.strings.first().map_or(0, |(_, value)| value.len());
        let bytes: usize = asked.asks.iter().map(target).sum();
        Self {
            mix: building::name(workload.mix),
            rules: workload.rules,
            requests: asked.asks.len(),
            hits: asked.hits,
            allowed: asked.expected.iter().filter(|verdict| **verdict == crate::verdict::Verdict::Allow).count(),
            mean_bytes: bytes as f64 / asked.asks.len() as f64,
        }
    }
}

fn measure_building(effort: Effort, clock: &Clock) -> BTreeMap<(&'static str, usize), Result<Built, String>> {
    let mut wanted = vec![(Mix::Default, 1_000, 9), (Mix::Default, 10_000, 9), (Mix::Harder, 10_000, 3)];
    if effort == Effort::Full {
        wanted.push((Mix::Default, 100_000, 3));
    }
    let measure = |(mix, rules, runs): (Mix, usize, usize)| {
        clock.say(format!("building {rules} rules of the {} mix", building::name(mix)));
        let built = building::measure(mix, rules, runs).map_err(|error| format!("{error:?}"));
        ((building::name(mix), rules), built)
    };
    wanted.into_iter().map(measure).collect()
}

fn measure_hostile(clock: &Clock) -> Vec<(&'static str, Result<hostile::Ended, NoAnswer>)> {
    let measure = |set: &'static str| {
        clock.say(format!("building {set}"));
        (set, hostile::measure(set))
    };
    hostile::SETS.iter().map(|(set, _)| measure(set)).collect()
}

fn measure_counts(
    workloads: &[Workload],
    effort: Effort,
    scratch: &Scratch,
    clock: &Clock,
) -> BTreeMap<Counted, Result<Count, String>> {
    let mut counts = BTreeMap::new();
    if !counting::is_possible() {
        eprintln!("INSTRUCTIONS ARE NOT COUNTED: there is no valgrind (apt-get install -y valgrind)");
        return counts;
    }
    for workload in workloads {
        let mix = building::name(workload.mix);
        let folder = scratch.path().join(format!("{mix}-{}", workload.rules));
        let snapshot = Snapshot::write(folder, workload);
        for engine in effort.counted(workload.mix, workload.rules) {
            for asks in [Asks::Mixed, Asks::Sixty] {
                if *engine != Name::Core && asks == Asks::Sixty {
                    continue;
                }
                let about = format!("{} rules of the {mix} mix", workload.rules);
                clock.say(format!("counting instructions of {} at {about}", engine.as_str()));
                let counted = snapshot.count(*engine, asks, requests_to_count(*engine));
                let is_sixty = asks == Asks::Sixty;
                let key = Counted { engine: *engine, mix, rules: workload.rules, is_sixty };
                counts.insert(key, counted.map_err(|error| format!("{error:?}")));
            }
        }
    }
    counts
}

/// Fewer for engines that take milliseconds.
fn requests_to_count(name: Name) -> usize {
    match name {
        Name::Core | Name::GlobSet | Name::LazyDfa => usize::MAX,
        Name::Cedar | Name::CedarSliced | Name::Regorus | Name::Casbin => 50,
    }
}

const SMALLEST_AND_LARGEST: [usize; 2] = [10, 10_000];
/// The size that judging is measured at.
const JUDGED_RULES: usize = 1_000;
const JUDGING_TURNS: usize = 41;
const TURNS: usize = 60;
const TAIL_TURNS: usize = 25;
const SCALING_TURNS: usize = 25;
