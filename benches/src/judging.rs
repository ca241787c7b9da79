//! Encoded requests -> verdicts in three ways: in place by the core, and by way of owned messages as a service would
//! do it that decodes with prost, with facts that it numbers by hand or that it holds by name.

use std::collections::BTreeMap;

use enforce_core::judge::{Approval, Layer, Outcome, Scope, Session, judge};
use enforce_core::path::{Contained, Root};
use enforce_core::{Facts, Operation, Policy, decide};
use policy_model::evaluate;
use policy_table::blake3;
use prost::Message;
use table_format::{Pin, RoleId, Slot, Table};
use tool_proto::tool_request::Tool;
use tool_proto::{FileRead, ToolRequest};
use tool_proto::{ToolRequest as Owned, Validator};

use crate::ask::Ask;
use crate::workload::Workload;

/// Requests to read files with paths of sixty bytes, as they come over the wire, and who sends them.
#[derive(Debug)]
pub struct Judging {
    policy: &'static Policy<'static>,
    sessions: Vec<Session<'static>>,
    requests: Vec<Vec<u8>>,
    /// What the reference evaluator permits.
    pub permitted: Vec<bool>,
}

impl Judging {
    /// Everything stays until the process ends, as in [`crate::Core`].
    ///
    /// # Panics
    /// When the workload has no table.
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        let bytes: &'static [u8] = workload.table.clone().leak();
        let table: &'static Table<'static> =
            Box::leak(Box::new(Table::open(bytes, Pin::Unpinned, blake3).expect("a frozen table opens")));
        let policy: &'static Policy<'static> =
            Box::leak(Box::new(Policy::new(table).expect("its operations are known")));
        let (mut sessions, mut requests, mut permitted) = (Vec::new(), Vec::new(), Vec::new());
        for (place, ask) in workload.sixty.asks.iter().enumerate() {
            let path = ask.string("path").expect("asks for a path");
            let name = path.rsplit('/').next().unwrap_or_default().to_owned();
            let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, end)| end.to_owned());
            let mut strings = vec![("path".to_owned(), path.to_owned()), ("name".to_owned(), name)];
            strings.extend(extension.map(|extension| ("extension".to_owned(), extension)));
            let numbers = vec![("bytes".to_owned(), READ_BYTES), ("offset".to_owned(), 0)];
            let operation = Operation::FileRead.name().to_owned();
            let read = Ask { operation, role: ask.role.clone(), strings, numbers, flags: Vec::new() };
            let decision = evaluate(&workload.model, &read.in_model(&workload.model));
            permitted.push(decision.verdict == policy_syntax::Effect::Allow);
            let roles: &'static [RoleId] = vec![table.find_role(&ask.role).expect("a role of the table")].leak();
            let layers: &'static [Layer<'static>] = vec![Layer { policy, roles }].leak();
            sessions.push(Session {
                root: Root::new(b"/workspace").expect("is absolute"),
                working_directory: b"",
                scope: Scope::Only(&["git.status", "file.*"]),
                layers,
                approval: Approval::Missing,
            });
            let message = ToolRequest {
                request_id: format!("request-{place:08}"),
                session_token: format!("{place:064x}"),
                dedupe_key: String::new(),
                tool: Some(Tool::FileRead(FileRead { path: path.to_owned(), offset: 0, limit: READ_BYTES })),
            };
            requests.push(message.encode_to_vec());
        }
        Self { policy, sessions, requests, permitted }
    }

    /// How many requests there are.
    #[must_use]
    pub fn requests(&self) -> usize {
        self.requests.len()
    }

    /// In place, whether a request is permitted.
    #[inline]
    #[must_use]
    pub fn in_place(&self, place: usize) -> bool {
        let (session, places) = (self.sessions[place], &mut [None; 1]);
        let outcome = judge(&self.requests[place], |_| Some(session), &mut [], places, &mut |_| {});
        matches!(outcome, Outcome::Permit(_))
    }

    /// By way of owned messages: decoded, checked, made into facts of its own and decided. The session is found and
    /// the lease is looked at in the same way.
    #[inline]
    #[must_use]
    pub fn owned(&self, place: usize) -> bool {
        let Ok(request) = Owned::decode(&*self.requests[place]) else {
            return false;
        };
        if request.validate().is_err() {
            return false;
        }
        let session = &self.sessions[place];
        let Some(Tool::FileRead(read)) = &request.tool else {
            return false;
        };
        let is_covered = match session.scope {
            Scope::Everything => true,
            Scope::Only(names) => names.iter().any(|name| matches!(*name, "file.read" | "file.*")),
        };
        let Ok(contained) = Contained::new(session.root, session.working_directory, read.path.as_bytes()) else {
            return false;
        };
        let path: Vec<u8> = contained.components().collect::<Vec<_>>().join(&b'/');
        let name = contained.name().map(<[u8]>::to_vec);
        let extension = contained.extension().map(<[u8]>::to_vec);
        let strings = [Some(path.as_slice()), name.as_deref(), extension.as_deref()];
        let numbers = [(read.limit != 0).then_some(read.limit), Some(read.offset)];
        let operation = self.policy.operation(Operation::FileRead).expect("is in every table");
        let is_allowed = session.layers.iter().all(|layer| {
            let facts = Facts { operation, roles: layer.roles, strings: &strings, numbers: &numbers, flags: 0 };
            decide(layer.policy.table(), &facts).verdict() == enforce_core::Verdict::Allow
        });
        is_covered && is_allowed
    }
}

impl Judging {
    /// By way of owned messages too, with facts by name, as programs hold them that do not know a table's numbering:
    /// decoded, checked, named, numbered and decided.
    #[inline]
    #[must_use]
    pub fn named(&self, place: usize) -> bool {
        let Ok(request) = Owned::decode(&*self.requests[place]) else {
            return false;
        };
        if request.validate().is_err() {
            return false;
        }
        let session = &self.sessions[place];
        let Some(named) = Named::new(&request, session) else {
            return false;
        };
        let is_covered = match session.scope {
            Scope::Everything => true,
            Scope::Only(names) => names.iter().any(|name| named.operation == *name || *name == "file.*"),
        };
        is_covered && session.layers.iter().all(|layer| named.is_allowed(layer))
    }
}

/// Facts by name.
struct Named {
    operation: String,
    strings: BTreeMap<String, String>,
    numbers: BTreeMap<String, u64>,
}

impl Named {
    fn new(request: &Owned, session: &Session<'_>) -> Option<Self> {
        let Some(Tool::FileRead(read)) = &request.tool else {
            return None;
        };
        let contained = Contained::new(session.root, session.working_directory, read.path.as_bytes()).ok()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let path: Vec<u8> = contained.components().collect::<Vec<_>>().join(&b'/');
        let mut strings = BTreeMap::from([("path".to_owned(), text(&path))]);
        strings.extend(contained.name().map(|name| ("name".to_owned(), text(name))));
        strings.extend(contained.extension().map(|extension| ("extension".to_owned(), text(extension))));
        let mut numbers = BTreeMap::from([("offset".to_owned(), read.offset)]);
        if read.limit != 0 {
            numbers.insert("bytes".to_owned(), read.limit);
        }
        Some(Self { operation: Operation::FileRead.name().to_owned(), strings, numbers })
    }

    fn is_allowed(&self, layer: &Layer<'_>) -> bool {
        let table = layer.policy.table();
        let Some(operation) = table.find_operation(&self.operation) else {
            return false;
        };
        let (mut strings, mut numbers) = (Vec::new(), Vec::new());
        for (slot, attribute) in table.slots(operation) {
            let name = table.text(attribute.name);
            match slot {
                Slot::String(_) => strings.push(self.strings.get(name).map(String::as_bytes)),
                Slot::Number(_) => numbers.push(self.numbers.get(name).copied()),
                Slot::Flag(_) => {}
            }
        }
        let facts = Facts { operation, roles: layer.roles, strings: &strings, numbers: &numbers, flags: 0 };
        decide(table, &facts).verdict() == enforce_core::Verdict::Allow
    }
}

const READ_BYTES: u64 = 4_096;
