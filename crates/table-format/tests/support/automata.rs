//! States as one would say them -> runs, cells and other states, in the places where a table has them.

use table_format::{After, Cell, Class, Direction, Jump, RUN_BYTES_MAX, Run, State, Target};

use super::sketch::LaneSketch;

/// A state. A [`Target::State`] in it is the number of a sketch, whatever it becomes.
#[derive(Debug, Clone)]
pub(crate) enum StateSketch {
    /// Longer ones become several.
    Run {
        run: Vec<u8>,
        after: After,
        next: Target,
        miss: Class,
    },
    Choice {
        edges: Vec<(u8, Target)>,
        otherwise: Target,
        end: Class,
    },
    Skip {
        stop: u8,
        next: Target,
        end: Class,
    },
    /// A segment whose first byte has no edge says nothing.
    Hop {
        edges: Vec<(u8, Target)>,
        stop: u8,
        end: Class,
    },
    Emit {
        class: Class,
        next: Target,
    },
}

impl StateSketch {
    /// A choice with a target for each byte from `low` on.
    pub(crate) fn range(low: u8, targets: &[Target], otherwise: Target, end: Class) -> Self {
        Self::Choice { edges: (low..=u8::MAX).zip(targets.iter().copied()).collect(), otherwise, end }
    }

    fn targets(&self) -> Vec<Target> {
        match self {
            Self::Run { next, .. } | Self::Skip { next, .. } | Self::Emit { next, .. } => vec![*next],
            Self::Choice { edges, otherwise, .. } => {
                edges.iter().map(|(_, target)| *target).chain([*otherwise]).collect()
            }
            Self::Hop { edges, .. } => edges.iter().map(|(_, target)| *target).collect(),
        }
    }
}

/// All states, and where each sketch has gone.
pub(crate) struct Automata {
    pub(crate) states: Vec<State>,
    pub(crate) runs: Vec<Run>,
    pub(crate) cells: Vec<Cell>,
    places: Vec<Target>,
}

impl Automata {
    pub(crate) fn new(sketches: &[StateSketch], lanes: &[LaneSketch]) -> Self {
        let backward = read_backward(sketches, lanes);
        let mut automata = Self { states: Vec::new(), runs: Vec::new(), cells: Vec::new(), places: Vec::new() };
        let (mut runs, mut states) = (0, 0);
        let mut choices = Vec::new();
        for sketch in sketches {
            let choice = match sketch {
                StateSketch::Choice { edges, .. } => {
                    automata.room(edges, edges.iter().map(|(byte, _)| *byte).max().unwrap_or_default())
                }
                StateSketch::Hop { edges, .. } => automata.room(edges, u8::MAX),
                StateSketch::Run { .. } | StateSketch::Skip { .. } | StateSketch::Emit { .. } => 0,
            };
            choices.push(choice);
            let place = match sketch {
                StateSketch::Choice { .. } => Target::Choice(choice),
                StateSketch::Run { run, .. } => {
                    runs += number(run.chunks(RUN_BYTES_MAX).count());
                    Target::Run(runs - number(run.chunks(RUN_BYTES_MAX).count()))
                }
                StateSketch::Skip { .. } | StateSketch::Hop { .. } | StateSketch::Emit { .. } => {
                    states += 1;
                    Target::State(states - 1)
                }
            };
            automata.places.push(place);
        }
        for ((sketch, choice), backward) in sketches.iter().zip(choices).zip(backward) {
            automata.add(sketch, choice, backward);
        }
        automata
    }

    /// A target between sketches as one of the table. One that leads to no sketch leads to no state either.
    pub(crate) fn jump(&self, target: Target) -> Jump {
        Jump::from(match target {
            Target::State(sketch) => self.places.get(usize::try_from(sketch).unwrap()).copied().unwrap_or(target),
            Target::Choice(_) | Target::Run(_) | Target::Done(_) => target,
        })
    }

    /// What a choice finds at the end of a string.
    pub(crate) fn end(&self, choice: u32) -> Class {
        match self.cells[usize::try_from(choice).unwrap() - 1] {
            Cell::Head { end, .. } => end,
            Cell::Byte { .. } | Cell::Free => panic!("{choice} is no choice"),
        }
    }

    fn add(&mut self, sketch: &StateSketch, choice: u32, backward: bool) {
        match sketch {
            StateSketch::Run { run, after, next, miss } => self.run(run, *after, *next, *miss, backward),
            StateSketch::Choice { edges, otherwise, end } => self.fill(choice, edges, *otherwise, *end),
            StateSketch::Skip { stop, next, end } => {
                self.states.push(State::Skip { stop: *stop, next: self.jump(*next), end: *end });
            }
            StateSketch::Hop { edges, stop, end } => {
                self.fill(choice, edges, Target::Done(Class(0)), *end);
                self.states.push(State::Hop { stop: *stop, choice });
            }
            StateSketch::Emit { class, next } => {
                self.states.push(State::Emit { class: *class, next: self.jump(*next) });
            }
        }
    }

    fn run(&mut self, run: &[u8], after: After, next: Target, miss: Class, backward: bool) {
        let chunks: Vec<&[u8]> =
            if backward { run.rchunks(RUN_BYTES_MAX).collect() } else { run.chunks(RUN_BYTES_MAX).collect() };
        for (place, chunk) in chunks.iter().enumerate() {
            let mut bytes = [0; RUN_BYTES_MAX];
            let start = if backward { RUN_BYTES_MAX - chunk.len() } else { 0 };
            bytes[start..start + chunk.len()].copy_from_slice(chunk);
            let is_last = place + 1 == chunks.len();
            let next = if is_last { self.jump(next) } else { Target::Run(number(self.runs.len() + 1)).into() };
            let after = if is_last { after } else { After::Anything };
            self.runs.push(Run { bytes, len: u8::try_from(chunk.len()).unwrap(), after, next, miss });
        }
    }

    fn fill(&mut self, choice: u32, edges: &[(u8, Target)], otherwise: Target, end: Class) {
        let first = usize::try_from(choice).unwrap();
        self.cells[first - 1] = Cell::Head { end, otherwise: self.jump(otherwise) };
        for (byte, next) in edges {
            self.cells[first + usize::from(*byte)] = Cell::Byte { choice, next: self.jump(*next) };
        }
    }

    /// The first choice whose head and edges are free, with cells up to that of the `last` byte.
    fn room(&mut self, edges: &[(u8, Target)], last: u8) -> u32 {
        let is_free = |place: usize| matches!(self.cells.get(place), None | Some(Cell::Free));
        let fits =
            |choice: &usize| is_free(choice - 1) && edges.iter().all(|(byte, _)| is_free(choice + usize::from(*byte)));
        let choice = (1..).find(fits).unwrap();
        let len = self.cells.len().max(choice + usize::from(last) + 1);
        self.cells.resize(len, Cell::Free);
        // Taken, so that the next one goes elsewhere.
        self.fill_places(choice, edges);
        number(choice)
    }

    fn fill_places(&mut self, choice: usize, edges: &[(u8, Target)]) {
        let taken = Cell::Head { end: Class(0), otherwise: Target::Done(Class(0)).into() };
        self.cells[choice - 1] = taken;
        for (byte, _) in edges {
            self.cells[choice + usize::from(*byte)] = taken;
        }
    }
}

/// Which states are walked to from the end of a string.
fn read_backward(sketches: &[StateSketch], lanes: &[LaneSketch]) -> Vec<bool> {
    let mut backward = vec![false; sketches.len()];
    let starts = lanes.iter().filter(|lane| lane.direction == Direction::Backward).map(|lane| lane.start);
    let mut open: Vec<Target> = starts.collect();
    while let Some(target) = open.pop() {
        let Target::State(state) = target else {
            continue;
        };
        let state = usize::try_from(state).unwrap();
        if backward.get(state) == Some(&false) {
            backward[state] = true;
            open.extend(sketches[state].targets());
        }
    }
    backward
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}
