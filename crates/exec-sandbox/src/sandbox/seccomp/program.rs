//! Rules by number -> a program for the kernel's filter machine.
//!
//! `seccompiler` 0.5 cannot replace this assembler: its `SeccompFilter` takes one action for a match and one for everything
//! else beside the fixed kill for a foreign architecture, and this filter needs four (allow, `ENOSYS`, `EPERM`, kill).
//!
//! ```text
//! another machine's calls?  -> kill
//! number                    -> a binary search over ranges of numbers
//!   an exception in a range -> compared by itself
//!   a range                 -> allow (`ALLOW`) or `ENOSYS` (`REFUSE`)
//!   a guarded number        -> the argument, compared: `ALLOW`, `REFUSE`, or `EPERM` for a file mode (`FORBID`)
//! ```
//!
//! Installing a filter takes the kernel 0.2 us for each instruction. So a number that differs from both its neighbours is one
//! comparison, not the two that end one range and begin the next, and numbers with the same guard share it.

use std::mem::offset_of;

use libc::sock_filter;

/// The condition on the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    Always,
    OneOf {
        argument: u8,
        values: Vec<u32>,
    },
    NoneOf {
        argument: u8,
        values: Vec<u32>,
    },
    /// None of the bits is set.
    Without {
        argument: u8,
        bits: u32,
    },
    AtMost {
        argument: u8,
        most: u32,
        /// True if the kernel reads both halves of the argument.
        is_wide: bool,
    },
    /// A file mode without the bits.
    Mode {
        argument: u8,
        without: u32,
    },
    /// Flags that create a file, followed by its mode without the bits. Without such flags the mode is not looked at.
    CreatedMode {
        /// The index of the flags argument.
        flags: u8,
        without: u32,
    },
    /// A socket of one of the families, or of `AF_NETLINK` with the protocol `NETLINK_ROUTE`.
    Routed {
        values: Vec<u32>,
    },
}

/// Compiles rules, which are sorted by number, each number once.
///
/// Only the lower half of an argument is compared where the kernel reads no more of it: the upper half must not change the
/// result.
pub(super) fn compile(rules: &[(u32, Rule)]) -> Vec<sock_filter> {
    let mut program = BpfAssembler::new();
    let searched = program.tree(&merge_runs(&runs(rules)));
    let number = program.load(NUMBER_AT, searched);
    let kill = program.put(answer(KILL));
    let known = program.jump(JUMP_IF_EQUAL, ARCHITECTURE, number, kill);
    program.load(ARCHITECTURE_AT, known);
    program.code.reverse();
    program.code
}

/// Consecutive numbers with the same rule.
struct NumberRun<'a> {
    first: u32,
    /// None if they are refused.
    rule: Option<&'a Rule>,
    /// True if it is a single number, and not the last run.
    is_single: bool,
}

/// All numbers up to the next range: exceptions, and a rule for the others.
struct NumberRange<'a> {
    first: u32,
    rule: Option<&'a Rule>,
    exceptions: Vec<(u32, Option<&'a Rule>)>,
}

/// Splits all numbers into runs.
fn runs(rules: &[(u32, Rule)]) -> Vec<NumberRun<'_>> {
    let mut runs: Vec<NumberRun<'_>> = Vec::new();
    let mut put = |first: u32, rule| match runs.last_mut() {
        Some(last) if last.rule == rule => {}
        last => {
            if let Some(last) = last {
                last.is_single = last.first.saturating_add(1) == first;
            }
            runs.push(NumberRun { first, rule, is_single: false });
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

/// Merges runs into as few ranges as possible.
fn merge_runs<'a>(runs: &[NumberRun<'a>]) -> Vec<NumberRange<'a>> {
    let mut ranges = Vec::new();
    let mut rest = runs;
    while let [first, others @ ..] = rest {
        // The first number can be an exception to the rule of the next ones.
        let next = others.first().filter(|_| first.is_single).unwrap_or(first);
        let [one, other] = [first.rule, next.rule].map(|rule| mergeable_runs(rest, rule));
        let (rule, len) = if other > one { (next.rule, other) } else { (first.rule, one) };
        let (range, behind) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        let exceptions = range.iter().filter(|run| run.rule != rule).map(|run| (run.first, run.rule));
        ranges.push(NumberRange { first: first.first, rule, exceptions: exceptions.collect() });
        rest = behind;
    }
    ranges
}

/// Counts the runs that can be one range with this rule.
fn mergeable_runs(runs: &[NumberRun<'_>], rule: Option<&Rule>) -> usize {
    let mut exceptions: usize = 0;
    let fits = |run: &&NumberRun<'_>| {
        if run.rule != rule {
            exceptions = exceptions.saturating_add(1);
        }
        run.rule == rule || (run.is_single && exceptions <= EXCEPTIONS_MAX)
    };
    runs.iter().take_while(fits).count()
}

/// Writes a program from its end: jumps only lead forward, so their targets are known.
struct BpfAssembler<'a> {
    /// The last instruction first.
    code: Vec<sock_filter>,
    /// Written already.
    guards: Vec<(&'a Rule, Position)>,
}

/// The position of an instruction: how many follow it.
#[derive(Debug, Clone, Copy)]
struct Position(usize);

impl<'a> BpfAssembler<'a> {
    const REFUSE: Position = Position(0);
    const ALLOW: Position = Position(1);
    const FORBID: Position = Position(2);

    fn new() -> Self {
        Self { code: vec![answer(REFUSE), answer(ALLOW), answer(FORBID)], guards: Vec::new() }
    }

    fn tree(&mut self, ranges: &[NumberRange<'a>]) -> Position {
        let (below, above) = ranges.split_at(ranges.len() / 2);
        let (Some(_), Some(middle)) = (below.first(), above.first()) else {
            return ranges.first().map_or(Self::REFUSE, |range| self.range(range));
        };
        let upper = self.tree(above);
        let lower = self.tree(below);
        self.jump(JUMP_IF_NOT_BELOW, middle.first, upper, lower)
    }

    fn range(&mut self, range: &NumberRange<'a>) -> Position {
        let mut next = self.rule_position(range.rule);
        // Guards are written first, so that a comparison that fails falls through to the next one.
        let exceptions: Vec<(u32, Position)> =
            range.exceptions.iter().map(|(number, rule)| (*number, self.rule_position(*rule))).collect();
        for (number, at) in exceptions {
            next = self.jump(JUMP_IF_EQUAL, number, at, next);
        }
        next
    }

    fn rule_position(&mut self, rule: Option<&'a Rule>) -> Position {
        let Some(rule) = rule else { return Self::REFUSE };
        if let Some((_, at)) = self.guards.iter().find(|(written, _)| *written == rule) {
            return *at;
        }
        let at = self.write_guard(rule);
        self.guards.push((rule, at));
        at
    }

    fn write_guard(&mut self, rule: &Rule) -> Position {
        match rule {
            Rule::Always => Self::ALLOW,
            Rule::OneOf { argument, values } => self.compare(*argument, values, Self::ALLOW, Self::REFUSE),
            Rule::NoneOf { argument, values } => self.compare(*argument, values, Self::REFUSE, Self::ALLOW),
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
                let protocol = self.compare(2, &[ROUTE], Self::ALLOW, Self::REFUSE);
                let netlink = self.jump(JUMP_IF_EQUAL, NETLINK, protocol, Self::REFUSE);
                self.compare(0, values, Self::ALLOW, netlink)
            }
        }
    }

    fn mode(&mut self, argument: u8, without: u32) -> Position {
        let jump = self.jump(JUMP_IF_ANY_BIT, without, Self::FORBID, Self::ALLOW);
        self.load(argument_at(argument), jump)
    }

    /// Loads an argument and compares it with some values.
    fn compare(&mut self, argument: u8, values: &[u32], if_one: Position, if_none: Position) -> Position {
        let mut next = if_none;
        for value in values {
            next = self.jump(JUMP_IF_EQUAL, *value, if_one, next);
        }
        self.load(argument_at(argument), next)
    }

    fn load(&mut self, at: u32, next: Position) -> Position {
        if next.0.saturating_add(1) != self.code.len() {
            self.far(next);
        }
        self.put(sock_filter { code: LOAD, jt: 0, jf: 0, k: at })
    }

    fn jump(&mut self, code: u16, operand: u32, if_true: Position, if_false: Position) -> Position {
        let (if_true, if_false) = (self.near(if_true), self.near(if_false));
        let [jt, jf] = [if_true, if_false].map(|to| u8::try_from(self.distance(to)).unwrap_or(u8::MAX));
        self.put(sock_filter { code, jt, jf, k: operand })
    }

    /// Returns an instruction in reach of a conditional jump: `to`, or a jump to it.
    fn near(&mut self, to: Position) -> Position {
        if self.distance(to) > NEAR { self.far(to) } else { to }
    }

    fn far(&mut self, to: Position) -> Position {
        // A program has at most 4096 instructions; the kernel refuses a distance that is too large.
        let operand = u32::try_from(self.distance(to)).unwrap_or(u32::MAX);
        self.put(sock_filter { code: JUMP_FAR, jt: 0, jf: 0, k: operand })
    }

    /// Counts the instructions between the next one to be written and `to`.
    fn distance(&self, to: Position) -> usize {
        self.code.len().saturating_sub(to.0).saturating_sub(1)
    }

    fn put(&mut self, instruction: sock_filter) -> Position {
        self.code.push(instruction);
        Position(self.code.len().saturating_sub(1))
    }
}

/// Returns the offset of the lower half.
fn argument_at(argument: u8) -> u32 {
    ARGUMENTS_AT.saturating_add(u32::from(argument).saturating_mul(8))
}

fn answer(action: u32) -> sock_filter {
    sock_filter { code: ANSWER, jt: 0, jf: 0, k: action }
}

/// About as many comparisons as it takes to find a range.
const EXCEPTIONS_MAX: usize = 4;
/// A conditional jump reaches 255 instructions, and one may be inserted before it.
const NEAR: usize = 254;

pub(super) const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
/// `ENOSYS`: programs know what to do about a call that the kernel does not have.
pub(super) const REFUSE: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
/// `EPERM`, like a file system: the call exists, but not with this mode.
pub(super) const FORBID: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
pub(super) const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;

/// The flags of `open` that create a file. `O_TMPFILE` contains `O_DIRECTORY`, which creates none.
pub(super) const CREATES: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u32;

pub(super) const NETLINK: u32 = libc::AF_NETLINK as u32;
pub(super) const ROUTE: u32 = libc::NETLINK_ROUTE as u32;

pub(super) const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
pub(super) const JUMP_FAR: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
pub(super) const JUMP_IF_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
pub(super) const JUMP_IF_NOT_BELOW: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
pub(super) const JUMP_IF_ABOVE: u16 = (libc::BPF_JMP | libc::BPF_JGT | libc::BPF_K) as u16;
pub(super) const JUMP_IF_ANY_BIT: u16 = (libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K) as u16;
pub(super) const ANSWER: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

pub(super) const NUMBER_AT: u32 = offset_of!(libc::seccomp_data, nr) as u32;
pub(super) const ARCHITECTURE_AT: u32 = offset_of!(libc::seccomp_data, arch) as u32;
/// Each argument has eight bytes, the lower half first.
pub(super) const ARGUMENTS_AT: u32 = offset_of!(libc::seccomp_data, args) as u32;
const HALF: u32 = 4;

#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;
