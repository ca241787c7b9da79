//! The filter, the lists and the text about them say the same; and an independent compiler agrees with ours.

use std::collections::{BTreeMap, BTreeSet};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::program::{
    ANSWER, ARCHITECTURE, ARCHITECTURE_AT, ARGUMENTS_AT, CREATES, FORBID, JUMP_FAR, JUMP_IF_ABOVE, JUMP_IF_ANY_BIT,
    JUMP_IF_EQUAL, JUMP_IF_NOT_BELOW, LOAD, NETLINK, NUMBER_AT, ROUTE,
};
use super::*;

/// A call as the kernel shows it to a filter.
#[derive(Debug, Clone, Copy)]
struct SystemCall {
    architecture: u32,
    number: u32,
    arguments: [u64; 6],
}

impl SystemCall {
    fn new(number: u32, arguments: [u64; 6]) -> Self {
        Self { architecture: ARCHITECTURE, number, arguments }
    }

    fn word(&self, at: u32) -> u32 {
        match at {
            NUMBER_AT => self.number,
            ARCHITECTURE_AT => self.architecture,
            _ => {
                let from_arguments = (at - ARGUMENTS_AT) as usize;
                let argument = self.arguments[from_arguments / 8];
                (argument >> (from_arguments % 8 * 8)) as u32
            }
        }
    }
}

/// The kernel's machine, as far as either compiler uses it.
fn answer(program: &[sock_filter], call: SystemCall) -> u32 {
    let (mut at, mut accumulator) = (0, 0);
    loop {
        let sock_filter { code, jt, jf, k: operand } = program[at];
        let jump = |is_true: bool| usize::from(if is_true { jt } else { jf });
        at += 1 + match code {
            LOAD => {
                accumulator = call.word(operand);
                0
            }
            // BPF_ALU | BPF_AND | BPF_K
            0x54 => {
                accumulator &= operand;
                0
            }
            JUMP_FAR => operand as usize,
            JUMP_IF_EQUAL => jump(accumulator == operand),
            JUMP_IF_NOT_BELOW => jump(accumulator >= operand),
            JUMP_IF_ABOVE => jump(accumulator > operand),
            JUMP_IF_ANY_BIT => jump(accumulator & operand != 0),
            ANSWER => return operand,
            code => panic!("no instruction {code:#x}"),
        };
    }
}

/// The same rules, compiled by others.
fn oracle(grants: Grants) -> Vec<sock_filter> {
    let condition = |argument: u8, operator, value: u32| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, u64::from(value)).unwrap()
    };
    let one = |argument, value| SeccompRule::new(vec![condition(argument, SeccompCmpOp::Eq, value)]).unwrap();
    let without = |argument, bits: u32| {
        let masked = SeccompCmpOp::MaskedEq(u64::from(bits));
        SeccompRule::new(vec![condition(argument, masked, 0)]).unwrap()
    };
    let chain = |rule: &Rule| match rule {
        Rule::Always => Vec::new(),
        Rule::OneOf { argument, values } => values.iter().map(|value| one(*argument, *value)).collect(),
        Rule::NoneOf { argument, values } => {
            let all = values.iter().map(|value| condition(*argument, SeccompCmpOp::Ne, *value)).collect();
            vec![SeccompRule::new(all).unwrap()]
        }
        Rule::AtMost { argument, most, is_wide } => {
            let length = if *is_wide { SeccompCmpArgLen::Qword } else { SeccompCmpArgLen::Dword };
            let condition = SeccompCondition::new(*argument, length, SeccompCmpOp::Le, u64::from(*most)).unwrap();
            vec![SeccompRule::new(vec![condition]).unwrap()]
        }
        Rule::Without { argument, bits } | Rule::Mode { argument, without: bits } => vec![without(*argument, *bits)],
        Rule::CreatedMode { flags, without: bits } => vec![without(*flags, CREATES), without(flags + 1, *bits)],
        Rule::Routed { values } => {
            let both = [condition(0, SeccompCmpOp::Eq, NETLINK), condition(2, SeccompCmpOp::Eq, ROUTE)];
            let routes = SeccompRule::new(both.into()).unwrap();
            values.iter().map(|value| one(0, *value)).chain([routes]).collect()
        }
    };
    let rules: BTreeMap<i64, Vec<SeccompRule>> =
        rules(grants).iter().map(|(number, rule)| (i64::from(*number), chain(rule))).collect();
    let architecture = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Errno(38), SeccompAction::Allow, architecture).unwrap();
    let program = BpfProgram::try_from(filter).unwrap();
    program.iter().map(|it| sock_filter { code: it.code, jt: it.jt, jf: it.jf, k: it.k }).collect()
}

const EVERYTHING: Grants = Grants { network: true, ipc: true, segments_are_bounded: true };

fn all_grants() -> impl Iterator<Item = Grants> {
    (0..8).map(|bits| Grants { network: bits & 1 != 0, ipc: bits & 2 != 0, segments_are_bounded: bits & 4 != 0 })
}

/// Arguments at which something could change.
fn arguments() -> Vec<[u64; 6]> {
    let mut values: Vec<u64> = (0..48).collect();
    values.extend((0..32).map(|bit| 1 << bit));
    values.extend([0x5412, 0x541c, 0x541d, 0x5423, 0x0004_0000, 0x0004_0008, 0xffff_ffff, 0x5401, 0x5413]);
    values.extend([calls::SEGMENT_BYTES_MAX, calls::SEMAPHORES_MAX].iter().flat_map(|most| {
        let most = u64::from(*most);
        [most - 1, most, most + 1]
    }));
    values.extend(values.clone().into_iter().map(|value| value | 0xdead_beef_0000_0000));
    let mut arguments = Vec::new();
    for value in values {
        arguments.push([value, value, 0, 0, 0, 0]);
        arguments.push([value, value, value, 0, 0, 0]);
        arguments.push([16, value, value, 0, 0, 0]);
        arguments.push([0, 0, 0, 0, value, 0]);
        for flags in [0, 0o100, 0o20_200_000] {
            arguments.push([0, flags, value, 0, 0, 0]);
            arguments.push([0, 0, flags, value, 0, 0]);
        }
    }
    arguments
}

#[test]
fn our_program_and_the_oracles_answer_alike() {
    let arguments = arguments();
    for grants in all_grants() {
        let (ours, theirs) = (filter(grants), oracle(grants));
        let guarded: Vec<u32> = GUARDED.iter().chain(IPC_GUARDED).map(|guarded| guarded.call.1).collect();
        let numbers = (0..1_024).chain([1 << 30, (1 << 30) + 59, u32::MAX - 1, u32::MAX]);
        for number in numbers {
            let few = &arguments[..1];
            for arguments in if guarded.contains(&number) { &arguments[..] } else { few } {
                let call = SystemCall::new(number, *arguments);
                // The oracle has one way to say no.
                let said = if answer(&ours, call) == FORBID { REFUSE } else { answer(&ours, call) };
                assert_eq!(said, answer(&theirs, call), "{grants:?} {call:?}");
            }
        }
        assert!(ours.len() <= 120, "{} instructions, against {}", ours.len(), theirs.len());
    }
}

#[test]
fn calls_of_another_machine_end_the_process() {
    let filter = filter(EVERYTHING);
    for architecture in [0, 0x4000_0003, ARCHITECTURE ^ 1] {
        let call = SystemCall { architecture, ..SystemCall::new(0, [0; 6]) };
        assert_eq!(answer(&filter, call), KILL);
    }
}

#[test]
fn what_must_be_unreachable_is() {
    let names = "ptrace process_vm_readv process_vm_writev mount umount2 pivot_root chroot keyctl add_key request_key bpf \
                 io_uring_setup io_uring_enter io_uring_register userfaultfd perf_event_open kexec_load kexec_file_load \
                 init_module finit_module delete_module reboot swapon swapoff setns unshare clone3 open_by_handle_at \
                 name_to_handle_at acct quotactl iopl ioperm";
    let refused = written("## Refused");
    for name in names.split_whitespace() {
        assert!(refused.contains(name), "{name} is not among the refused");
    }
}

#[test]
fn guards_look_at_the_half_that_the_kernel_reads() {
    let above = 0xffff_ffff_0000_0000;
    for grants in all_grants() {
        let filter = filter(grants);
        let asks = |number: libc::c_long, arguments| answer(&filter, SystemCall::new(number as u32, arguments));
        for high in [0, above] {
            assert_eq!(asks(libc::SYS_ioctl, [0, 0x5412 | high, 0, 0, 0, 0]), REFUSE, "TIOCSTI");
            assert_eq!(asks(libc::SYS_ioctl, [0, 0x5413 | high, 0, 0, 0, 0]), ALLOW, "TIOCGWINSZ");
            assert_eq!(asks(libc::SYS_clone, [libc::CLONE_NEWUSER as u64 | high, 0, 0, 0, 0, 0]), REFUSE);
            assert_eq!(asks(libc::SYS_clone, [libc::CLONE_VM as u64 | 17, 0, 0, 0, 0, 0]), ALLOW);
            assert_eq!(asks(libc::SYS_socket, [1 | high, 1, 0, 0, 0, 0]), ALLOW, "AF_UNIX");
            let internet = if grants.network { ALLOW } else { REFUSE };
            assert_eq!(asks(libc::SYS_socket, [2 | high, 1, 0, 0, 0, 0]), internet, "AF_INET");
            assert_eq!(asks(libc::SYS_socket, [10 | high, 1, 0, 0, 0, 0]), internet, "AF_INET6");
            assert_eq!(asks(libc::SYS_socket, [16 | high, 3, 0, 0, 0, 0]), internet, "routes");
            for (family, protocol) in [(16, 9), (17, 0), (40, 0), (38, 0), (0, 0)] {
                assert_eq!(asks(libc::SYS_socket, [family | high, 3, protocol, 0, 0, 0]), REFUSE, "{family}");
            }
        }
        let queues = if grants.ipc { ALLOW } else { REFUSE };
        assert_eq!(asks(libc::SYS_shmget, [0; 6]), queues);
    }
}

#[test]
fn memory_that_is_no_processs_is_bounded() {
    let allowed_if = |is_allowed| if is_allowed { ALLOW } else { REFUSE };
    for grants in all_grants() {
        let filter = filter(grants);
        let asks =
            |number: libc::c_long, second| answer(&filter, SystemCall::new(number as u32, [0, second, 0, 0, 0, 0]));
        let largest = u64::from(calls::SEGMENT_BYTES_MAX);
        assert_eq!(asks(libc::SYS_shmget, largest), allowed_if(grants.ipc));
        for larger in [largest + 1, u64::MAX, 1 << 32] {
            let is_allowed = grants.ipc && grants.segments_are_bounded;
            assert_eq!(asks(libc::SYS_shmget, larger), allowed_if(is_allowed), "{larger:#x}");
        }
        let most = u64::from(calls::SEMAPHORES_MAX);
        // The kernel reads a number of 32 bits.
        for high in [0, 0xffff_ffff_0000_0000] {
            assert_eq!(asks(libc::SYS_semget, most | high), allowed_if(grants.ipc));
            assert_eq!(asks(libc::SYS_semget, (most + 1) | high), REFUSE);
        }
        assert_eq!(asks(libc::SYS_memfd_create, 0), REFUSE);
    }
}

#[test]
fn limits_of_other_processes_are_not_set() {
    let filter = filter(EVERYTHING);
    for (process, said) in [(0, ALLOW), (1, REFUSE), (u64::from(u32::MAX), REFUSE)] {
        assert_eq!(answer(&filter, SystemCall::new(libc::SYS_prlimit64 as u32, [process, 0, 0, 0, 0, 0])), said);
    }
}

#[test]
fn no_call_gives_a_file_the_rights_of_its_owner_or_makes_a_device() {
    let filter = filter(EVERYTHING);
    let asks = |number: libc::c_long, arguments| answer(&filter, SystemCall::new(number as u32, arguments));
    let with = |at: usize, value: u64, mut arguments: [u64; 6]| {
        arguments[at] = value;
        arguments
    };
    let create = |at, flags| with(at, flags, [0; 6]);
    let (new, unnamed) = (libc::O_CREAT as u64, libc::O_TMPFILE as u64);
    let modes = [
        (libc::SYS_chmod, 1, [0; 6]),
        (libc::SYS_fchmod, 1, [0; 6]),
        (libc::SYS_fchmodat, 2, [0; 6]),
        (libc::SYS_fchmodat2, 2, [0; 6]),
        (libc::SYS_creat, 1, [0; 6]),
        (libc::SYS_mknod, 1, [0; 6]),
        (libc::SYS_mknodat, 2, [0; 6]),
        (libc::SYS_open, 2, create(1, new)),
        (libc::SYS_open, 2, create(1, unnamed)),
        (libc::SYS_openat, 3, create(2, new)),
        (libc::SYS_openat, 3, create(2, unnamed)),
    ];
    for (number, at, arguments) in modes {
        for mode in [0o4755, 0o2755, 0o6000, 0o10_4755, 0xffff_ffff_0000_0000 | 0o4000] {
            assert_eq!(asks(number, with(at, mode, arguments)), FORBID, "{number} {mode:o}");
        }
        for mode in [0, 0o755, 0o1777, 0o10_0644] {
            assert_eq!(asks(number, with(at, mode, arguments)), ALLOW, "{number} {mode:o}");
        }
    }
    for (number, at) in [(libc::SYS_mknod, 1), (libc::SYS_mknodat, 2)] {
        for (kind, said) in [(0o02_0000, FORBID), (0o06_0000, FORBID), (0o01_0000, ALLOW), (0o14_0000, ALLOW)] {
            assert_eq!(asks(number, with(at, kind | 0o600, [0; 6])), said, "{number} {kind:o}");
        }
    }
    for (flags, said) in [(0, ALLOW), (1, ALLOW), (2, ALLOW), (4, REFUSE), (5, REFUSE), (1 << 32 | 4, REFUSE)] {
        assert_eq!(asks(libc::SYS_renameat2, with(4, flags, [0; 6])), said, "a device is left behind: {flags:#x}");
    }
    // What stands where the mode would be means nothing to an open that makes no file.
    assert_eq!(asks(libc::SYS_openat, with(3, 0o4755, [0; 6])), ALLOW);
    assert_eq!(asks(libc::SYS_openat2, [0; 6]), REFUSE, "its mode is behind an address");
}

#[test]
fn the_text_names_exactly_what_the_filter_lets_through() {
    let names = |calls: &[calls::Call]| -> BTreeSet<String> { calls.iter().map(|(name, _)| plain(name)).collect() };
    assert_eq!(written("## Allowed\n"), &names(ALLOWED) | &names(OLD));
    let names_of = |calls: &[calls::Guarded]| calls.iter().map(|guarded| plain(guarded.call.0)).collect();
    let (guarded, guarded_ipc): (BTreeSet<String>, BTreeSet<String>) = (names_of(GUARDED), names_of(IPC_GUARDED));
    assert_eq!(written("## Allowed where it is private"), &names(IPC) | &guarded_ipc);
    let first_of_each: BTreeSet<String> = section("## Allowed for some arguments")
        .lines()
        .filter_map(|line| line.strip_prefix("- `")?.split_once('`').map(|(name, _)| name.to_owned()))
        .collect();
    assert_eq!(first_of_each, guarded);
    let refused = written("## Refused");
    let allowed = &(&names(ALLOWED) | &names(OLD)) | &(&(&names(IPC) | &guarded_ipc) | &guarded);
    assert_eq!(refused.intersection(&allowed).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn every_number_stands_once() {
    let numbers: Vec<u32> = rules(EVERYTHING).iter().map(|(number, _)| *number).collect();
    assert!(numbers.is_sorted_by(|first, second| first < second));
}

fn plain(name: &str) -> String {
    name.strip_prefix("SYS_").unwrap().to_owned()
}

/// The names in quotes in a section of the text.
fn written(heading: &str) -> BTreeSet<String> {
    section(heading).split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn section(heading: &str) -> &'static str {
    let (_, rest) = include_str!("calls.md").split_once(heading).unwrap();
    rest.split("\n## ").next().unwrap()
}
