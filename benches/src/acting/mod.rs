//! Everything the project claims about acting on what was permitted, measured in one run: starting a command in the
//! sandbox, reading and searching files, and the whole way of a request with its record.

mod asking;
mod goals;
mod house;
mod reading;
mod rounds;
mod searching;
mod serving;
mod spawning;

use crate::child::Scratch;
use crate::clock::Clock;
use crate::goal;
use asking::Asked;
use reading::Read;
use searching::Searched;
use spawning::Spawned;

pub use asking::{Kind, ask};

/// Measures everything, prints it, and says whether every figure is as firm as it has to be.
///
/// A miss counts when it is larger than the figure's margin: the double for ratios of times, four times for rates. What
/// was not measured is said and does not count.
#[must_use]
pub fn run(effort: Effort) -> bool {
    let figures = Figures::measure(effort);
    print!("{}", figures.render());
    goal::all_hold(&figures.goals())
}

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    /// Fewer rounds, and fewer requests in each.
    Quick,
    /// As many as it takes on a busy machine.
    Full,
}

/// Everything that was measured. What could not be has the reason in its place.
struct Figures {
    spawned: Result<Spawned, String>,
    read: Read,
    searched: Result<Searched, String>,
    /// Milliseconds for making a page durable.
    durable_ms: f64,
    refused: Result<Asked, String>,
    refused_line: Result<Asked, String>,
    permitted: Result<Asked, String>,
    /// Processes that wanted to run, on average of the last minute: before and after.
    load: (String, String),
}

impl Figures {
    fn measure(effort: Effort) -> Self {
        let (scratch, clock) = (Scratch::new(), Clock::start());
        let before = load();
        clock.say("starting commands in turns");
        let spawned = spawning::measure(scratch.path(), effort.rounds(SPAWN_ROUNDS));
        clock.say("reading 1 MiB in turns");
        let read = reading::measure(scratch.path(), effort.rounds(READ_ROUNDS));
        clock.say(format!("searching {} files in turns", searching::FILES));
        let searched = searching::measure(scratch.path(), effort.rounds(SEARCH_ROUNDS));
        let durable_ms = asking::durable_ms(scratch.path());
        clock.say("refusing requests on one processor");
        let refused = asking::measure(Kind::Refused, effort);
        clock.say("refusing lines on one processor");
        let refused_line = asking::measure(Kind::RefusedLine, effort);
        clock.say("permitting requests");
        let permitted = asking::measure(Kind::Permitted, effort);
        Self { spawned, read, searched, durable_ms, refused, refused_line, permitted, load: (before, load()) }
    }
}

impl Effort {
    fn rounds(self, full: usize) -> usize {
        match self {
            Self::Quick => full.div_ceil(QUICK_PART),
            Self::Full => full,
        }
    }
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

const SPAWN_ROUNDS: usize = 1_600;
const READ_ROUNDS: usize = 300;
const SEARCH_ROUNDS: usize = 25;
/// A quick run takes this part of the rounds.
const QUICK_PART: usize = 5;
