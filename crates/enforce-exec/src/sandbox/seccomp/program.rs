//! Rules by number -> a program for the kernel's filter machine.
//!
//! ```text
//! another machine's calls?  -> kill
//! number                    -> a binary search over ranges of numbers
//!   a range                 -> allow, or refuse
//!   a guarded number        -> the argument, compared; allow or refuse, or forbid what is a file's mode
//! ```

use crate::sandbox::sys::Instruction;

/// What is asked of the arguments of a call that is let through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    /// Nothing.
    Always,
    /// An argument is one of some values.
    OneOf {
        /// Which argument, from 0.
        argument: u8,
        /// The values.
        values: Vec<u32>,
    },
    /// An argument is none of some values.
    NoneOf {
        /// Which argument, from 0.
        argument: u8,
        /// The values.
        values: Vec<u32>,
    },
    /// An argument has none of some bits.
    Without {
        /// Which argument, from 0.
        argument: u8,
        /// The bits.
        bits: u32,
    },
    /// An argument is a number that is not too large.
    AtMost {
        /// Which argument, from 0.
        argument: u8,
        /// The largest.
        most: u32,
        /// Whether the kernel reads both halves of it.
        is_wide: bool,
    },
    /// An argument is the mode of a file, and has none of some bits.
    Mode {
        /// Which argument, from 0.
        argument: u8,
        /// The bits.
        without: u32,
    },
    /// Where an argument of flags makes a file, the argument behind it is its mode, and has none of some bits. Where they
    /// make none, whatever stands there means nothing.
    CreatedMode {
        /// Which argument has the flags, from 0.
        flags: u8,
        /// The bits.
        without: u32,
    },
    /// A socket: one of some families, or the kernel's routing messages.
    Family {
        /// The families.
        values: Vec<u32>,
        /// Whether `AF_NETLINK` with the protocol `NETLINK_ROUTE` is let through too.
        routes: bool,
    },
}

/// The program for rules, which are in the order of their numbers, each once.
///
/// Arguments are compared by their lower half alone where that is all the kernel reads of them: what stands above it
/// changes nothing there, and so must change nothing here.
pub(super) fn compile(rules: &[(u32, Rule)]) -> Vec<Instruction> {
    let mut program = Backwards::new();
    let searched = program.tree(&leaves(rules));
    let number = program.load(NUMBER_AT, searched);
    let kill = program.put(answer(KILL));
    let known = program.jump(JUMP_IF_EQUAL, ARCHITECTURE, number, kill);
    program.load(ARCHITECTURE_AT, known);
    program.code.reverse();
    program.code
}

/// A range of numbers, from its first one to the next leaf's, and what is done for them; nothing for what is refused.
struct Leaf<'a> {
    first: u32,
    rule: Option<&'a Rule>,
}

/// The ranges that cover every number, neighbours that do the same in one.
fn leaves(rules: &[(u32, Rule)]) -> Vec<Leaf<'_>> {
    let mut leaves: Vec<Leaf<'_>> = Vec::new();
    let mut put = |first: u32, rule| match leaves.last() {
        Some(last) if last.rule == rule => {}
        Some(_) | None => leaves.push(Leaf { first, rule }),
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
    leaves
}

/// A program that is written from its end: jumps only lead forward, so that where they lead to is known.
struct Backwards {
    /// The last instruction first.
    code: Vec<Instruction>,
}

/// An instruction, by how many stand behind it.
#[derive(Debug, Clone, Copy)]
struct At(usize);

impl Backwards {
    const REFUSE: At = At(0);
    const ALLOW: At = At(1);
    const FORBID: At = At(2);

    fn new() -> Self {
        Self { code: vec![answer(REFUSE), answer(ALLOW), answer(FORBID)] }
    }

    fn tree(&mut self, leaves: &[Leaf<'_>]) -> At {
        let (below, above) = leaves.split_at(leaves.len() / 2);
        let (Some(_), Some(middle)) = (below.first(), above.first()) else {
            return leaves.first().and_then(|leaf| leaf.rule).map_or(Self::REFUSE, |rule| self.guarded(rule));
        };
        let upper = self.tree(above);
        let lower = self.tree(below);
        self.jump(JUMP_IF_NOT_BELOW, middle.first, upper, lower)
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
            Rule::Family { values, routes: false } => self.compared(0, values, Self::ALLOW, Self::REFUSE),
            Rule::Family { values, routes: true } => {
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
