//! What the golden tables of `table-format` decide: bytes that are kept keep their meaning.

#![cfg(test)]

mod support;

use std::fs;
use std::path::Path;

use enforce_core::{Facts, decide};
use support::golden;
use table_format::{Digest, FORMAT_VERSION, Pin, Slot, Table};

#[test]
fn the_golden_table_decides_as_it_always_has() {
    let bytes = file("every-row.table");
    let table = Table::open(&bytes, Pin::Unpinned, |_| carried(&bytes)).unwrap();
    for (request, expected) in CASES {
        assert_eq!(answer(&table, request), *expected, "{request}");
    }
    for operation in golden::every_row().operations {
        assert!(CASES.iter().any(|(request, _)| request.contains(operation.name)), "{}", operation.name);
    }
}

#[test]
fn a_table_of_an_empty_policy_knows_no_operation() {
    let (empty, every_row) = (file("empty.table"), file("every-row.table"));
    let empty = Table::open(&empty, Pin::Unpinned, |_| carried(&empty)).unwrap();
    let every_row = Table::open(&every_row, Pin::Unpinned, |_| carried(&every_row)).unwrap();
    for operation in every_row.operations() {
        let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags: u64::MAX };
        assert_eq!(decide(&empty, &facts).code().as_str(), "OPERATION_NOT_ALLOWED");
    }
}

/// A request (roles, an operation, what is said of it), and the verdict, rule, code and obligations it comes to.
const CASES: &[(&str, &str)] = &[
    ("coder file.read path=src/main.rs bytes=10", "Allow read-sources ALLOWED, charges reads"),
    ("coder file.read path=src/main.rs", "Allow read-sources ALLOWED, at most 1073741824 bytes, charges reads"),
    ("coder file.read path=src/a bytes=2147483648", "Deny read-sources LIMIT_EXCEEDED"),
    ("coder file.read path=notes", "Allow read-notes ALLOWED, at most 4096 bytes, charges reads"),
    ("coder file.read path=notes/a bytes=4096", "Allow read-notes ALLOWED, charges reads"),
    ("coder file.read path=notes/a bytes=4097", "Deny read-notes LIMIT_EXCEEDED"),
    ("coder file.read path=notesx", "Deny default-deny FILE_READ_DENIED"),
    ("coder file.read path=src/.env", "Deny secret-files SECRET_PATH"),
    ("coder file.read path=src/.x/-/.e", "Deny secret-files SECRET_PATH"),
    ("coder file.read path=src/x.env", "Allow read-sources ALLOWED, at most 1073741824 bytes, charges reads"),
    ("coder file.read", "Deny default-deny FILE_READ_DENIED"),
    ("reader file.read path=src/a.rs", "Allow read-sources ALLOWED, at most 1073741824 bytes, charges reads"),
    ("reader file.read path=src/a.c", "Deny default-deny FILE_READ_DENIED"),
    ("coder,reader file.read path=src/a.c bytes=1", "Allow read-sources ALLOWED, charges reads"),
    ("reader file.read path=src/.env", "Deny secret-files SECRET_PATH"),
    ("- file.read path=src/a.rs", "Deny default-deny FILE_READ_DENIED"),
    ("- file.read path=.e", "Deny secret-files SECRET_PATH"),
    (
        "coder git.push ref=refs/heads/feature",
        "Ask push-feature APPROVAL_REQUIRED, requires clean-tree, requires secrets.scan, charges pushes",
    ),
    ("coder git.push ref=refs/heads/main", "Deny default-deny GIT_PUSH_DENIED"),
    ("coder git.push", "Deny default-deny GIT_PUSH_DENIED"),
    ("reader git.push ref=x", "Deny default-deny GIT_PUSH_DENIED"),
    ("coder http.request host=", "Allow browse ALLOWED"),
    ("- http.request host=example.com", "Allow browse ALLOWED"),
    ("coder http.request method=GET", "Deny default-deny HTTP_REQUEST_DENIED"),
    ("coder inference.call", "Allow talk ALLOWED, charges calls"),
    ("coder inference.call temperature=0", "Deny default-deny INFERENCE_CALL_DENIED"),
    ("coder inference.call temperature=1", "Allow talk ALLOWED, charges calls"),
    ("coder inference.call temperature=200", "Allow talk ALLOWED, charges calls"),
    ("coder inference.call temperature=201", "Deny default-deny INFERENCE_CALL_DENIED"),
    ("reader inference.call temperature=201", "Allow talk ALLOWED, charges results, charges calls"),
    ("coder shell.exec command=cargo timeout=1", "Allow build ALLOWED, at most 5242880 output"),
    ("coder shell.exec command=cargo timeout=600001", "Deny build LIMIT_EXCEEDED"),
    ("coder shell.exec command=cargo complex", "Deny default-deny SHELL_COMPLEX"),
    ("coder shell.exec command=cargos", "Deny default-deny SHELL_EXEC_DENIED"),
    ("coder shell.exec command=carg", "Deny default-deny SHELL_EXEC_DENIED"),
];

/// Judges a request as the cases spell it: roles with commas between them or `-`, then `name=value` or a flag.
fn answer(table: &Table<'_>, request: &str) -> String {
    let mut words = request.split(' ');
    let roles = words.next().unwrap().split(',').filter(|role| *role != "-");
    let roles: Vec<_> = roles.map(|role| table.find_role(role).unwrap()).collect();
    let operation = table.find_operation(words.next().unwrap()).unwrap();
    let (mut strings, mut numbers, mut flags) = ([None; 4], [None; 4], 0);
    for said in words {
        let (name, value) = said.split_once('=').unwrap_or((said, ""));
        let slot = table.slots(operation).find(|(_, attribute)| table.text(attribute.name) == name).unwrap().0;
        match slot {
            Slot::String(place) => strings[place] = Some(value.as_bytes()),
            Slot::Number(place) => numbers[place] = Some(value.parse().unwrap()),
            Slot::Flag(place) => flags |= 1 << place,
        }
    }
    let facts = Facts { operation, roles: &roles, strings: &strings, numbers: &numbers, flags };
    let decision = decide(table, &facts);
    let mut answer = format!("{:?} {} {}", decision.verdict(), decision.rule_name(), decision.code().as_str());
    for limit in decision.limits() {
        let attribute = table.text(table.attribute(limit.attribute).unwrap().name);
        answer.push_str(&format!(", at most {} {attribute}", limit.most));
    }
    decision.requirements().for_each(|requirement| answer.push_str(&format!(", requires {requirement}")));
    decision.budgets().for_each(|budget| answer.push_str(&format!(", charges {}", table.text(budget.name))));
    answer
}

fn file(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../table-format/tests/golden");
    fs::read(folder.join(format!("v{FORMAT_VERSION}")).join(name)).unwrap()
}

/// The digest of a golden file is held by `table-format`'s own tests.
fn carried(bytes: &[u8]) -> Digest {
    Digest(*bytes[16..].first_chunk().unwrap())
}
