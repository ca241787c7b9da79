//! Rules by number -> a program for the kernel's filter machine.
//!
//! ```text
//! another machine's calls?  -> kill
//! number                    -> a binary search over ranges of numbers
//!   a range                 -> allow, or refuse
//!   a guarded number        -> the argument, compared; allow or refuse
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
/// Arguments are compared by their lower half alone, because that is all the kernel reads of those that are looked
/// at: what stands above it changes nothing there, and so must change nothing here.
pub(super) fn compile(rules: &[(u32, Rule)]) -> Vec<Instruction> {
    let mut program =
        vec![load(ARCHITECTURE_AT), jump(JUMP_IF_EQUAL, ARCHITECTURE, 1, 0), answer(KILL), load(NUMBER_AT)];
    program.extend(tree(&leaves(rules)));
    program
}

/// A range of numbers, from its first one to the next leaf's, and what is done for them.
struct Leaf {
    first: u32,
    code: Vec<Instruction>,
}

/// The ranges that cover every number, neighbours that do the same in one.
fn leaves(rules: &[(u32, Rule)]) -> Vec<Leaf> {
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut put = |first: u32, code: Vec<Instruction>| match leaves.last() {
        Some(last) if last.code == code => {}
        Some(_) | None => leaves.push(Leaf { first, code }),
    };
    let mut next = 0;
    for (number, rule) in rules {
        if *number > next {
            put(next, vec![answer(REFUSE)]);
        }
        put(*number, guarded(rule));
        next = number.saturating_add(1);
    }
    put(next, vec![answer(REFUSE)]);
    leaves
}

fn tree(leaves: &[Leaf]) -> Vec<Instruction> {
    let (below, above) = leaves.split_at(leaves.len() / 2);
    let (Some(_), Some(middle)) = (below.first(), above.first()) else {
        return leaves.first().map_or_else(|| vec![answer(REFUSE)], |leaf| leaf.code.clone());
    };
    let lower = tree(below);
    let mut program = match u8::try_from(lower.len()) {
        Ok(distance) => vec![jump(JUMP_IF_NOT_BELOW, middle.first, distance, 0)],
        // A conditional jump reaches 255 instructions.
        Err(_) => vec![jump(JUMP_IF_NOT_BELOW, middle.first, 0, 1), far(lower.len())],
    };
    program.extend(lower);
    program.extend(tree(above));
    program
}

fn guarded(rule: &Rule) -> Vec<Instruction> {
    match rule {
        Rule::Always => vec![answer(ALLOW)],
        Rule::OneOf { argument, values } => {
            let mut code = vec![load(argument_at(*argument))];
            for value in values {
                code.extend([jump(JUMP_IF_EQUAL, *value, 0, 1), answer(ALLOW)]);
            }
            code.push(answer(REFUSE));
            code
        }
        Rule::NoneOf { argument, values } => {
            let mut code = vec![load(argument_at(*argument))];
            for value in values {
                code.extend([jump(JUMP_IF_EQUAL, *value, 0, 1), answer(REFUSE)]);
            }
            code.push(answer(ALLOW));
            code
        }
        Rule::Without { argument, bits } => {
            vec![load(argument_at(*argument)), jump(JUMP_IF_ANY_BIT, *bits, 0, 1), answer(REFUSE), answer(ALLOW)]
        }
        Rule::Family { values, routes } => {
            let mut code = guarded(&Rule::OneOf { argument: 0, values: values.clone() });
            if *routes {
                code.pop();
                code.extend([jump(JUMP_IF_EQUAL, NETLINK, 1, 0), answer(REFUSE)]);
                code.extend(guarded(&Rule::OneOf { argument: 2, values: vec![ROUTE] }));
            }
            code
        }
    }
}

/// Where the lower half of an argument is.
fn argument_at(argument: u8) -> u32 {
    ARGUMENTS_AT.saturating_add(u32::from(argument).saturating_mul(8))
}

fn load(at: u32) -> Instruction {
    Instruction { code: LOAD, if_true: 0, if_false: 0, operand: at }
}

fn jump(code: u16, operand: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction { code, if_true, if_false, operand }
}

fn far(distance: usize) -> Instruction {
    // A program has 4096 instructions at most; one that cannot be said is refused by the kernel.
    Instruction { code: JUMP_FAR, if_true: 0, if_false: 0, operand: u32::try_from(distance).unwrap_or(u32::MAX) }
}

fn answer(action: u32) -> Instruction {
    Instruction { code: ANSWER, if_true: 0, if_false: 0, operand: action }
}

/// `SECCOMP_RET_ALLOW`
pub(super) const ALLOW: u32 = 0x7fff_0000;
/// `SECCOMP_RET_ERRNO` with `ENOSYS`: programs know what to do about a call that the kernel does not have.
pub(super) const REFUSE: u32 = 0x0005_0000 | 38;
/// `SECCOMP_RET_KILL_PROCESS`
pub(super) const KILL: u32 = 0x8000_0000;

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
/// `BPF_JMP | BPF_JSET | BPF_K`
pub(super) const JUMP_IF_ANY_BIT: u16 = 0x45;
/// `BPF_RET | BPF_K`
pub(super) const ANSWER: u16 = 0x06;

/// `struct seccomp_data`: number, architecture, instruction pointer, six arguments (little-endian).
pub(super) const NUMBER_AT: u32 = 0;
pub(super) const ARCHITECTURE_AT: u32 = 4;
pub(super) const ARGUMENTS_AT: u32 = 16;

#[cfg(target_arch = "x86_64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(super) const ARCHITECTURE: u32 = 0xc000_00b7;
