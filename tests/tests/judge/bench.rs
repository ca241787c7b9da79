//! Policies frozen, requests encoded, and what the judge answers, in words that tests compare.

use enforce_core::Policy;
use enforce_core::judge::{Approval, Layer, Outcome, Piece, Refusal, Scope, Session, judge};
use enforce_core::path::Root;
use policy_syntax::Sources;
use policy_table::{blake3, freeze};
use prost::Message;
use table_format::{Pin, Table};
use tests::check_text;
use tool_proto::ToolRequest;
use tool_proto::tool_request::Tool;

/// A policy as a session has it.
pub(crate) struct Frozen {
    bytes: Vec<u8>,
}

impl Frozen {
    pub(crate) fn new(rules: &str) -> Self {
        let text = format!("policy judged language 1\n{rules}\n");
        let checked = check_text(&text);
        let model = checked.model.unwrap_or_else(|| panic!("{text}{:#?}", checked.diagnostics));
        Self { bytes: freeze(&model, &Sources::default()).unwrap().bytes }
    }

    pub(crate) fn table(&self) -> Table<'_> {
        Table::open(&self.bytes, Pin::Unpinned, blake3).unwrap()
    }
}

/// What a session is beside its policies.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) working_directory: &'a str,
    pub(crate) scope: Scope<'a>,
    pub(crate) approval: Approval,
    pub(crate) roles: &'a [&'a str],
    pub(crate) buffer_bytes: usize,
}

pub(crate) const PLAIN: Setting<'static> = Setting {
    working_directory: "",
    scope: Scope::Everything,
    approval: Approval::Missing,
    roles: &[],
    buffer_bytes: 1 << 20,
};

/// `PERMIT`, or rule, code and sentence of a refusal.
pub(crate) fn answer(policies: &[&Frozen], setting: Setting<'_>, bytes: &[u8]) -> String {
    let tables: Vec<Table<'_>> = policies.iter().map(|policy| policy.table()).collect();
    let bound: Vec<Policy<'_>> = tables.iter().map(|table| Policy::new(table).unwrap()).collect();
    let roles: Vec<Vec<_>> =
        tables.iter().map(|table| setting.roles.iter().map(|role| table.find_role(role).unwrap()).collect()).collect();
    let layers: Vec<Layer<'_>> =
        bound.iter().zip(&roles).map(|(policy, roles)| Layer { policy, roles: roles.as_slice() }).collect();
    let session = Session {
        root: Root::new(b"/workspace").unwrap(),
        working_directory: setting.working_directory.as_bytes(),
        scope: setting.scope,
        layers: &layers,
        approval: setting.approval,
    };
    let find = |request: &enforce_core::wire::Request<'_>| (request.session_token == *TOKEN).then_some(session);
    let mut buffer = vec![0; setting.buffer_bytes];
    match judge(bytes, find, &mut buffer, &mut [None; 64], &mut |_| {}) {
        Outcome::Permit(offer) => {
            let (_, permit) = offer.accept();
            assert_eq!(permit.request().request_id.as_str(), "r-1");
            "PERMIT".to_owned()
        }
        Outcome::Refuse(refused) => {
            let refusal = refused.refusal;
            format!("{} {}: {}", refusal.rule_id(), refusal.code(), sentence(&refusal))
        }
    }
}

pub(crate) fn sentence(refusal: &Refusal<'_>) -> String {
    let mut said = String::new();
    refusal.say(&mut |piece| match piece {
        Piece::Words(words) => said.push_str(words),
        Piece::Quoted(text) => said.push_str(&format!("`{}`", String::from_utf8_lossy(text))),
        Piece::Number(number) => said.push_str(&number.to_string()),
    });
    said
}

/// The bytes of a request for a tool.
pub(crate) fn encoded(tool: Tool) -> Vec<u8> {
    ToolRequest {
        request_id: "r-1".to_owned(),
        session_token: TOKEN.to_owned(),
        dedupe_key: String::new(),
        tool: Some(tool),
    }
    .encode_to_vec()
}

pub(crate) const TOKEN: &str = "token";
