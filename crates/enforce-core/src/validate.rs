//! Request -> every rule it breaks: INV-0001 to INV-0034, and the same kinds of rules for the other tools.
//!
//! Nothing is stored: a visitor sees each violation (CTR-0033). The cost is the length of the request.

mod violation;

pub use violation::{Rule, Violation};

use crate::git::Verb;
use crate::limits::{HASH_SIZE, MAX_ARG_LEN, MAX_ID_LEN, MAX_PATH_LEN, MAX_REPEATED_ITEMS};
use crate::path::{parent, tested};
use crate::text::{after_last, characters, numbered, split_once, starts_with};
use crate::wire::{Argument, Bound, Call, Repeated, Request, Texts, Value};

/// Shows every violation to `report`, in the order of the fields. A request without any is valid (CTR-0034).
pub fn validate(request: &Request<'_>, report: &mut dyn FnMut(Violation)) {
    let mut check = Check { report, field: "request_id", item: None };
    check.id(request.request_id.as_bytes());
    check.field = "session_token";
    check.id(request.session_token.as_bytes());
    check.field = "dedupe_key";
    check.length(request.dedupe_key.as_bytes(), MAX_ID_LEN);
    match request.call() {
        Some(call) => {
            for (field, value) in call.each() {
                check.field = field.name;
                check.value(field.bound, value, call);
            }
        }
        None => {
            check.field = "tool";
            check.say(Rule::Required);
        }
    }
}

/// Who is told, and what about: a field, or an entry of its list.
struct Check<'r> {
    report: &'r mut dyn FnMut(Violation),
    field: &'static str,
    item: Option<usize>,
}

impl Check<'_> {
    #[inline(never)]
    fn value(&mut self, bound: Bound, value: &Value<'_>, call: &Call<'_>) {
        match bound {
            Bound::Free => {}
            // Such a path is there.
            Bound::Path | Bound::OptionalPath if matches!(value, Value::Path(_)) => {}
            Bound::Path => {
                self.required(value.bytes());
                self.path(value.bytes());
            }
            Bound::OptionalPath => self.path(value.bytes()),
            Bound::Id => self.id(value.bytes()),
            Bound::OptionalId => self.length(value.bytes(), MAX_ID_LEN),
            Bound::Text(most) => {
                self.required(value.bytes());
                self.size(value.bytes(), most);
            }
            Bound::Size(most) => self.size(value.bytes(), most),
            Bound::Most(most) => self.must(value.number() <= most, Rule::MaxValue { most, found: value.number() }),
            Bound::OptionalHash if value.bytes().is_empty() => {}
            Bound::Hash | Bound::OptionalHash => {
                let found = value.bytes().len();
                self.must(found == HASH_SIZE, Rule::ExactSize { expected: HASH_SIZE, found });
            }
            Bound::NotWith(other) => {
                let with = call.message.fields.get(usize::from(other).wrapping_sub(1));
                let with = with.map_or("", |field| after_last(field.name, |byte| byte == b'.'));
                self.must(value.number() == 0 || call.fields.value(other).number() == 0, Rule::Exclusive { with });
            }
            Bound::GitVerb => self.must(Verb::named(value.bytes()).is_some(), Rule::OneOf),
            Bound::HttpMethod => {
                self.id(value.bytes());
                self.must(value.bytes().iter().all(|byte| is_token(*byte) && !byte.is_ascii_lowercase()), Rule::Token);
            }
            Bound::Arguments => self.arguments(&call.fields.arguments),
            Bound::Items | Bound::Pairs | Bound::Environment | Bound::Headers | Bound::Paths | Bound::TestPaths => {
                self.texts(bound, &call.fields.texts);
            }
        }
    }

    fn texts(&mut self, bound: Bound, texts: &Texts<'_>) {
        if matches!(bound, Bound::Paths | Bound::TestPaths) {
            self.must(!texts.is_empty(), Rule::Required);
        }
        self.count(texts.len());
        for (item, entry) in numbered(texts.iter()) {
            self.item = Some(item);
            if matches!(bound, Bound::Paths | Bound::TestPaths) {
                self.required(entry.as_bytes());
                self.path(entry.as_bytes());
                // After an `@` stands a file with more options.
                let is_option = starts_with(entry, b'-') || starts_with(entry, b'@');
                let is_test = matches!(bound, Bound::TestPaths);
                self.must(!is_test || !is_option, Rule::NoOption);
                self.must(!is_test || !tested(entry.as_bytes()).contains(&b'['), Rule::NoBracket);
                continue;
            }
            self.size(entry.as_bytes(), MAX_ARG_LEN);
            if matches!(bound, Bound::Headers) {
                self.must(is_header(entry), Rule::Header);
            }
            if matches!(bound, Bound::Pairs | Bound::Environment) {
                let found = entry.bytes().fold(0_usize, |found, byte| found.wrapping_add(usize::from(byte == b'=')));
                self.must(found == 1, Rule::KeyValue { found });
            }
            if matches!(bound, Bound::Environment) {
                self.must(!starts_with(entry, b'=') && !entry.as_bytes().contains(&0), Rule::Key);
            }
        }
        self.item = None;
    }

    fn arguments<'a>(&mut self, arguments: &Repeated<'a, Argument<'a>>) {
        self.count(arguments.len());
        for (item, argument) in numbered(arguments.iter()) {
            self.item = Some(item);
            self.must(!argument.name.is_empty() && argument.value.is_some(), Rule::Required);
            self.length(argument.name.as_bytes(), MAX_ID_LEN);
        }
        self.item = None;
    }

    fn id(&mut self, text: &[u8]) {
        self.required(text);
        self.length(text, MAX_ID_LEN);
    }

    fn required(&mut self, text: &[u8]) {
        self.must(!text.is_empty(), Rule::Required);
    }

    fn length(&mut self, text: &[u8], most: usize) {
        // Text has no more characters than bytes.
        if text.len() > most {
            let found = characters(text);
            self.must(found <= most, Rule::MaxLength { most, found });
        }
    }

    fn size(&mut self, bytes: &[u8], most: usize) {
        self.must(bytes.len() <= most, Rule::MaxSize { most, found: bytes.len() });
    }

    fn count(&mut self, found: usize) {
        self.must(found <= MAX_REPEATED_ITEMS, Rule::MaxItems { most: MAX_REPEATED_ITEMS, found });
    }

    fn path(&mut self, path: &[u8]) {
        self.length(path, MAX_PATH_LEN);
        if let Some(at) = path.iter().position(|byte| *byte == 0) {
            self.say(Rule::NoNul { at });
        }
        if let Some(at) = parent(path) {
            self.say(Rule::NoTraversal { at });
        }
    }

    #[inline(always)]
    fn must(&mut self, is_kept: bool, rule: Rule) {
        if !is_kept {
            self.say(rule);
        }
    }

    #[cold]
    #[inline(never)]
    fn say(&mut self, rule: Rule) {
        (self.report)(Violation { field: self.field, item: self.item, rule });
    }
}

/// Whether it is `Name: value` on one line, and the client is left to say where the request goes and how long it is.
fn is_header(header: &str) -> bool {
    let Some((name, value)) = split_once(header, b':') else {
        return false;
    };
    let is_own = |own: &&[u8]| name.bytes().map(|byte| byte.to_ascii_lowercase()).eq(own.iter().copied());
    !name.is_empty()
        && name.bytes().all(is_token)
        && !value.bytes().any(|byte| byte < b' ' && byte != b'\t' || byte == 0x7f)
        && !OWN_HEADERS.iter().any(is_own)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Headers that are the client's own.
const OWN_HEADERS: &[&[u8]] = &[b"host", b"content-length", b"transfer-encoding", b"connection"];

#[cfg(test)]
mod tests;
