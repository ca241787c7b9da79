//! (condition, URL) -> verdict: a URL's way through the reader, the facts and the frozen table.

use enforce_core::net::{HOST_BYTES_MAX, SCHEME_BYTES_MAX, Url, fold};
use enforce_core::{Facts, Verdict, decide};
use policy_syntax::Sources;
use policy_table::{blake3, freeze};
use table_format::{Pin, Slot, Table};
use tests::check_text;

/// A frozen policy with one rule, which allows requests to the network.
pub(crate) struct Gate {
    bytes: Vec<u8>,
}

impl Gate {
    pub(crate) fn new(condition: &str) -> Self {
        let text = format!("policy gate language 1\nrule web: allow anyone to http.request where {condition}\n");
        let checked = check_text(&text);
        let model = checked.model.unwrap_or_else(|| panic!("{text}{:#?}", checked.diagnostics));
        Self { bytes: freeze(&model, &Sources::default()).unwrap().bytes }
    }

    /// What cannot be read is denied, as an executor has to do it.
    pub(crate) fn judge(&self, url: &[u8]) -> Verdict {
        let Ok(url) = Url::new(url) else {
            return Verdict::Deny;
        };
        let (mut scheme, mut host) = ([0; SCHEME_BYTES_MAX], [0; HOST_BYTES_MAX]);
        let scheme = fold(url.scheme, &mut scheme).unwrap();
        let host = fold(url.host.text(), &mut host).unwrap();
        let table = Table::open(&self.bytes, Pin::Unpinned, blake3).unwrap();
        let operation = table.find_operation("http.request").unwrap();
        let (mut strings, mut numbers) = (Vec::new(), Vec::new());
        for (slot, attribute) in table.slots(operation) {
            let name = table.text(attribute.name);
            match slot {
                Slot::String(_) => strings.push(match name {
                    "scheme" => Some(scheme),
                    "host" => Some(host),
                    "url-path" => Some(url.path),
                    _ => None,
                }),
                Slot::Number(_) => numbers.push(url.port.filter(|_| name == "port").map(u64::from)),
                Slot::Flag(_) => {}
            }
        }
        let facts = Facts { operation, roles: &[], strings: &strings, numbers: &numbers, flags: 0 };
        decide(&table, &facts).verdict()
    }
}
