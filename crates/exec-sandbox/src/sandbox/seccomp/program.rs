//! Rules by number -> a program for the kernel's filter machine.
//!
//! ```text
//! another machine's calls?  -> kill
//! number                    -> a binary search over ranges of numbers
//!   an exception in a range -> compared by itself
//!   a range                 -> allow, or refuse
//!   a guarded number        -> the argument, compared; allow or refuse, or forbid what is a file's mode
//! ```
//!
//! Whoever installs it waits for the kernel to compile it, which takes 0.2 us for each instruction. So a number that differs
//! from both its neighbours is one comparison, and not the two that end one range and begin the next; and numbers with
//! the same guard share it.

use crate::sandbox::sys::Instruction;

/// What is asked of the arguments of a call that is let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    Always,
    /// An argument is one of some values.
    OneOf {
        argument: u8,
        values: Vec<u32>,
    },
    /// An argument is none of some values.
    NoneOf {
        argument: u8,
        values: Vec<u32>,
    },
    /// An argument has none of some bits.
    Without {
        argument: u8,
        bits: u32,
    },
    /// An argument is a number that is not too large.
    AtMost {
        argument: u8,
        most: u32,
        /// Whether the kernel reads both halves of it.
        is_wide: bool,
    },
    /// An argument is the mode of a file, and has none of some bits.
    Mode {
        argument: u8,
        without: u32,
    },
    /// Where an argument of flags makes a file, the argument behind it is its mode, and has none of some bits. Where they
    /// make none, whatever stands there means nothing.
    CreatedMode {
        /// Which argument has the flags, from 0.
        flags: u8,
        without: u32,
    },
    /// A socket: one of some families, or `AF_NETLINK` with the protocol `NETLINK_ROUTE`.
    Routed {
        values: Vec<u32>,
    },
}

/// The program for rules, which are in the order of their numbers, each once.
///
/// Arguments are compared by their lower half alone where that is all the kernel reads of them: what stands above it
/// changes nothing there, and so must change nothing here.
pub(super) fn compile(rules: &[(u32, Rule)]) -> Vec<Instruction> {
    let mut program = Backwards::new();
    let searched = program.tree(&ranges(&runs(rules)));
    let number = program.load(NUMBER_AT, searched);
    let kill = program.put(answer(KILL));
    let known = program.jump(JUMP_IF_EQUAL, ARCHITECTURE, number, kill);
    program.load(ARCHITECTURE_AT, known);
    program.code.reverse();
    program.code
}

/// Numbers that follow each other and are treated alike.
struct Run<'a> {
    first: u32,
    /// Nothing for what is refused.
    rule: Option<&'a Rule>,
    /// Whether it is one number, with others behind it.
    is_single: bool,
}

/// Numbers from its first one to the next range's: exceptions, and what is done for all others.
struct Range<'a> {
    first: u32,
    rule: Option<&'a Rule>,
    exceptions: Vec<(u32, Option<&'a Rule>)>,
}

/// The runs that cover every number.
fn runs(rules: &[(u32, Rule)]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut put = |first: u32, rule| match runs.last_mut() {
        Some(last) if last.rule == rule => {}
        last => {
            if let Some(last) = last {
                last.is_single = last.first.saturating_add(1) == first;
            }
            runs.push(Run { first, rule, is_single: false });
        }
    };
    let mut next = 0;
    for (number, rule) in rules {
        if *number > next {
            put(next, None);
        }
        put(*number, Some(rule));
        next = number.saturating_add(1);
    }
    put(next, None);
    runs
}

/// As few ranges as runs can be put into from the first one on.
fn ranges<'a>(runs: &[Run<'a>]) -> Vec<Range<'a>> {
    let mut ranges = Vec::new();
    let mut rest = runs;
    while let [first, others @ ..] = rest {
        // What the first number is can be an exception from what the next ones are.
        let next = others.first().filter(|_| first.is_single).unwrap_or(first);
        let [one, other] = [first.rule, next.rule].map(|rule| together(rest, rule));
        let (rule, len) = if other > one { (next.rule, other) } else { (first.rule, one) };
        let (range, behind) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        let exceptions = range.iter().filter(|run| run.rule != rule).map(|run| (run.first, run.rule));
        ranges.push(Range { first: first.first, rule, exceptions: exceptions.collect() });
        rest = behind;
    }
    ranges
}

/// How many runs can be one range with this rule.
fn together(runs: &[Run<'_>], rule: Option<&Rule>) -> usize {
    let mut exceptions: usize = 0;
    let fits = |run: &&Run<'_>| {
        if run.rule != rule {
            exceptions = exceptions.saturating_add(1);
        }
        run.rule == rule || (run.is_single && exceptions <= EXCEPTIONS_MAX)
    };
    runs.iter().take_while(fits).count()
}

/// A program that is written from its end: jumps only lead forward, so that where they lead to is known.
struct Backwards<'a> {
    /// The last instruction first.
    code: Vec<Instruction>,
    /// Guards that are written already.
    guards: Vec<(&'a Rule, At)>,
}

/// An instruction, by how many stand behind it.
#[derive(Debug, Clone, Copy)]
struct At(usize);

impl<'a> Backwards<'a> {
    const REFUSE: At = At(0);
    const ALLOW: At = At(1);
    const FORBID: At = At(2);

    fn new() -> Self {
        Self { code: vec![answer(REFUSE), answer(ALLOW), answer(FORBID)], guards: Vec::new() }
    }

    fn tree(&mut self, ranges: &[Range<'a>]) -> At {
        let (below, above) = ranges.split_at(ranges.len() / 2);
        let (Some(_), Some(middle)) = (below.first(), above.first()) else {
            return ranges.first().map_or(Self::REFUSE, |range| self.range(range));
        };
        let upper = self.tree(above);
        let lower = self.tree(below);
        self.jump(JUMP_IF_NOT_BELOW, middle.first, upper, lower)
    }

    fn range(&mut self, range: &Range<'a>) -> At {
        let mut next = self.ruled(range.rule);
        // Guards first, so that every comparison leads to the one behind it where it does not hold.
        let exceptions: Vec<(u32, At)> =
            range.exceptions.iter().map(|(number, rule)| (*number, self.ruled(*rule))).collect();
        for (number, at) in exceptions {
            next = self.jump(JUMP_IF_EQUAL, number, at, next);
        }
        next
    }

    fn ruled(&mut self, rule: Option<&'a Rule>) -> At {
        let Some(rule) = rule else { return Self::REFUSE };
        if let Some((_, at)) = self.guards.iter().find(|(written, _)| *written == rule) {
            return *at;
        }
        let at = self.guarded(rule);
        self.guards.push((rule, at));
        at
    }

    fn guarded(&mut self, rule: &Rule) -> At {
        match rule {
            Rule::Always => Self::ALLOW,
            Rule::OneOf { argument, values } => self.compared(*argument, values, Self::ALLOW, Self::REFUSE),
            Rule::NoneOf { argument, values } => self.compared(*argument, values, Self::REFUSE, Self::ALLOW),
            Rule::Without { argument, bits } => {
                let jump = self.jump(JUMP_IF_ANY_BIT, *bits, Self::REFUSE, Self::ALLOW);
                self.load(argument_at(*argument), jump)
            }
            Rule::AtMost { argument, most, is_wide } => {
                let jump = self.jump(JUMP_IF_ABOVE, *most, Self::REFUSE, Self::ALLOW);
                let lower = self.load(argument_at(*argument), jump);
                if !is_wide {
                    return lower;
                }
                let jump = self.jump(JUMP_IF_EQUAL, 0, lower, Self::REFUSE);
                self.load(argument_at(*argument).saturating_add(HALF), jump)
            }
            Rule::Mode { argument, without } => self.mode(*argument, *without),
            Rule::CreatedMode { flags, without } => {
                let mode = self.mode(flags.saturating_add(1), *without);
                let jump = self.jump(JUMP_IF_ANY_BIT, CREATES, mode, Self::ALLOW);
                self.load(argument_at(*flags), jump)
            }
            Rule::Routed { values } => {
                let protocol = self.compared(2, &[ROUTE], Self::ALLOW, Self::REFUSE);
                let netlink = self.jump(JUMP_IF_EQUAL, NETLINK, protocol, Self::REFUSE);
                self.compared(0, values, Self::ALLOW, netlink)
            }
        }
    }

    fn mode(&mut self, argument: u8, without: u32) -> At {
        let jump = self.jump(JUMP_IF_ANY_BIT, without, Self::FORBID, Self::ALLOW);
        self.load(argument_at(argument), jump)
    }

    /// Loads an argument, and goes one way if it is one of some values, another if it is none of them.
    fn compared(&mut self, argument: u8, values: &[u32], if_one: At, if_none: At) -> At {
        let mut next = if_none;
        for value in values {
            next = self.jump(JUMP_IF_EQUAL, *value, if_one, next);
        }
        self.load(argument_at(argument), next)
    }

    /// Loads a word, and goes on.
    fn load(&mut self, at: u32, next: At) -> At {
        if next.0.saturating_add(1) != self.code.len() {
            self.far(next);
        }
        self.put(Instruction { code: LOAD, if_true: 0, if_false: 0, operand: at })
    }

    fn jump(&mut self, code: u16, operand: u32, if_true: At, if_false: At) -> At {
        let (if_true, if_false) = (self.near(if_true), self.near(if_false));
        let [if_true, if_false] = [if_true, if_false].map(|to| u8::try_from(self.distance(to)).unwrap_or(u8::MAX));
        self.put(Instruction { code, if_true, if_false, operand })
    }

    /// An instruction that a conditional jump reaches: the same, or one that leads to it.
    fn near(&mut self, to: At) -> At {
        if self.distance(to) > NEAR { self.far(to) } else { to }
    }

    fn far(&mut self, to: At) -> At {
        // A program has 4096 instructions at most; one that cannot be said is refused by the kernel.
        let operand = u32::try_from(self.distance(to)).unwrap_or(u32::MAX);
        self.put(Instruction { code: JUMP_FAR, if_true: 0, if_false: 0, operand })
    }

    /// How many instructions stand between the next one that is written and another.
    fn distance(&self, to: At) -> usize {
        self.code.len().saturating_sub(to.0).saturating_sub(1)
    }

    fn put(&mut self, instruction: Instruction) -> At {
        self.code.push(instruction);
        At(self.code.len().saturating_sub(1))
    }
}

/// Where the lower half of an argument is.
fn argument_at(argument: u8) -> u32 {
    ARGUMENTS_AT.saturating_add(u32::from(argument).saturating_mul(8))
}

fn answer(action: u32) -> Instruction {
    Instruction { code: ANSWER, if_true: 0, if_false: 0, operand: action }
}

/// How many numbers of a range are compared one after the other: about as many as it takes to find the range.
const EXCEPTIONS_MAX: usize = 4;
/// How far a conditional jump is let lead: it could 255 instructions, and one may come between.
const NEAR: usize = 254;

/// `SECCOMP_RET_ALLOW`
pub(super) const ALLOW: u32 = 0x7fff_0000;
/// `SECCOMP_RET_ERRNO` with `ENOSYS`: programs know what to do about a call that the kernel does not have.
pub(super) const REFUSE: u32 = 0x0005_0000 | 38;
/// `SECCOMP_RET_ERRNO` with `EPERM`, as a file system says it: the call is there, and this mode is not for them.
pub(super) const FORBID: u32 = 0x0005_0000 | 1;
/// `SECCOMP_RET_KILL_PROCESS`
pub(super) const KILL: u32 = 0x8000_0000;

/// The flags of `open` by which a file is made. `O_TMPFILE` has the flag for folders in it, which makes none.
pub(super) const CREATES: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u32;

pub(super) const NETLINK: u32 = 16;
pub(super) const ROUTE: u32 = 0;

/// `BPF_LD | BPF_W | BPF_ABS`
pub(super) const LOAD: u16 = 0x20;
/// `BPF_JMP | BPF_JA`
pub(super) const JUMP_FAR: u16 = 0x05;
/// `BPF_JMP | BPF_JEQ | BPF_K`
pub(super) const JUMP_IF_EQUAL: u16 = 0x15;
/// `BPF_JMP | BPF_JGE | BPF_K`
pub(super) const JUMP_IF_NOT_BELOW: u16 = 0x35;
/// `BPF_JMP | BPF_JGT | BPF_K`
pub(super) const JUMP_IF_ABOVE: u16 = 0x25;
/// `BPF_JMP | BPF_JSET | BPF_K`
pub(super) const JUMP_IF_ANY_BIT: u16 = 0x45;
/// `BPF_RET | BPF_K`
pub(super) const ANSWER: u16 = 0x06;

/// `struct seccomp_data`: number, architecture, instruction pointer, six arguments (little-endian).
pub(super) const NUMBER_AT: u32 = 0;
pub(super) const ARCHITECTURE_AT: u32 = 4;
pub(super) const ARGUMENTS_AT: u32 = 16;
/// Bytes of half an argument.
const HALF: u32 = 4;

#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;
