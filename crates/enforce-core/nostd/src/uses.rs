//! Input -> which use of the core does not understand it. Every public function is reached from here: a new
//! one is a line in a function below, a new module is a function and its line in [`EVERYTHING`].

use core::fmt::{self, Write as _};
use core::hint::black_box;
use core::net::{IpAddr, Ipv4Addr};

use enforce_core::git::{self, Verb};
use enforce_core::judge::{
    Approval, Layer, Obligations, Offer, Outcome, Refusal, Refused, RequestAttributes, Scope, Session, judge,
    judge_request,
};
use enforce_core::net::{Host, Url, fold, is_private_ip};
use enforce_core::path::{Contained, Root, tested};
use enforce_core::shell::Line;
use enforce_core::validate::validate;
use enforce_core::wire::{Request, Texts};
use enforce_core::{Asked, Decision, Facts, Operation, Policy, decide, decide_all, is_matched};
use table_format::{
    Child, Digest, Edge, Effect, Jump, OpenError, OperationId, Parts, Pin, Position, RoleId, RuleId, Section, Table,
    TextRef, When, WriteError, encoded_len, walk_words, write,
};

/// Bytes of each kind that the core reads.
pub(crate) struct Input<'a> {
    pub(crate) table: &'a [u8],
    pub(crate) root: &'a [u8],
    pub(crate) path: &'a [u8],
    pub(crate) line: &'a [u8],
    pub(crate) url: &'a [u8],
    pub(crate) address: &'a [u8],
    pub(crate) request: &'a [u8],
}

/// The place of the first of these uses that does not understand its input.
pub(crate) fn not_understood(uses: &[Use], input: &Input<'_>) -> Option<usize> {
    uses.iter().position(|uses| black_box(uses(input)).is_none())
}

pub(crate) type Use = fn(&Input<'_>) -> Option<()>;

/// Every public function of both crates.
pub(crate) const EVERYTHING: &[Use] = &[
    decisions,
    rows,
    automata,
    diagram,
    written,
    messages,
    paths,
    lines,
    urls,
    addresses,
    requests,
    parts_of_requests,
    git_arguments,
];

#[inline(never)]
fn decisions(input: &Input<'_>) -> Option<()> {
    let table = open(input)?;
    let role = table.find_role("coder")?;
    for operation in table.operations() {
        let (roles, strings, numbers) = ([role], [Some(input.path); 4], [Some(1), None]);
        let facts = Facts { operation, roles: &roles, strings: &strings, numbers: &numbers, flags: black_box(1) };
        said(&decide(&table, &facts));
        keep(is_matched(&table, &facts, black_box(0)));
        said(&decide_all([(&table, &facts), (&table, &facts)], |decision| keep(decision.verdict()))?);
    }
    Some(())
}

fn said(decision: &Decision<'_, '_>) {
    keep((decision.verdict(), decision.rule(), decision.rule_name(), decision.code().as_str(), decision.because()));
    keep((decision.exceeded(), decision.operation(), decision.table().digest(), decision.facts()));
    decision.requirements().for_each(keep);
    decision.limits().for_each(keep);
    decision.budgets().for_each(keep);
}

#[inline(never)]
fn rows(input: &Input<'_>) -> Option<()> {
    let table = open(input)?;
    keep((table.header(), table.digest(), table.name()));
    for role in table.roles() {
        keep((table.text(table.role(role)?.name), table.is_role(role, black_box(0))));
    }
    for operation in table.operations() {
        rows_of_operation(&table, operation)?;
    }
    let terms = table.terms(RuleId(black_box(0)))?;
    keep((terms, table.rule(RuleId(black_box(0)))?, table.budget(black_box(0))?));
    let attribute = table.attribute(black_box(0))?;
    keep((attribute, attribute.kind.is_string(), attribute.kind.is_number()));
    keep((table.word(black_box(0)), table.long(black_box(0)), table.edge(black_box(0))));
    table.limits(terms.limits).for_each(keep);
    table.list(terms.requirements).for_each(keep);
    Section::ALL.into_iter().for_each(|section| keep(section.name()));
    Some(())
}

fn rows_of_operation(table: &Table<'_>, id: OperationId) -> Option<()> {
    let operation = table.operation(id)?;
    keep(table.find_operation(table.text(operation.name))?);
    table.slots(id).for_each(keep);
    table.numbers(&operation).for_each(keep);
    table.budgets(&operation).for_each(keep);
    table.asked_once(&operation)?.for_each(|ask| keep((ask.row.when.needed(), table.group(ask.group))));
    table.asked_for_finds(&operation)?.for_each(|ask| keep((ask.words(), ask.row.when.finds_of())));
    for walk in table.walks(&operation)? {
        let lane = table.lane(walk.lane())?;
        keep((walk.words(), walk.start(), walk.string(), walk.mode(), walk.direction()));
        keep(walk_words(walk.lane(), &lane, walk.string(), walk.sieve()));
    }
    Some(())
}

#[inline(never)]
fn automata(input: &Input<'_>) -> Option<()> {
    let table = open(input)?;
    let lane = table.lane(black_box(0))?;
    let jump = lane.start;
    keep((jump.run(), jump.class(), jump.target(), table.bits(&lane, jump.class())));
    keep((
        table.run(black_box(0))?.after.allows(black_box(None)),
        table.cell(black_box(0))?,
        table.state(black_box(0))?,
    ));
    let choice = black_box(0);
    keep((jump.choice(), Jump::from(jump.target()), table.head(choice), table.step(choice, black_box(b'a'))));
    keep(Position::start(jump).after(&table, input.line).map(|position| position.class_at_end(&table)));
    keep(table.cells_of(choice).map(|cells| cells.has(black_box(b'a'))));
    Some(())
}

#[inline(never)]
fn diagram(input: &Input<'_>) -> Option<()> {
    let table = open(input)?;
    keep(table.node(black_box(0))?);
    table.each_edge(black_box(0), &mut |edge| keep(edge));
    let group = table.group(black_box(0))?;
    let edge = table.root(group.first, table.roles().next()?)?;
    keep((edge.node(), edge.child(), edge.rank(), table.root(group.first, RoleId::NONE)));
    keep(Edge::new(Child::Node(black_box(0)), black_box(Effect::Deny)));
    keep((When::found(black_box(0)), When::each(black_box(0))));
    Some(())
}

/// A table without rows, which the optimiser does not know to be without.
#[inline(never)]
fn written(_: &Input<'_>) -> Option<()> {
    let parts = Parts {
        sources: Digest(black_box([0; 32])),
        name: TextRef(0),
        roles: black_box(&[]),
        attributes: black_box(&[]),
        operations: black_box(&[]),
        rules: black_box(&[]),
        terms: black_box(&[]),
        limits: black_box(&[]),
        budgets: black_box(&[]),
        lanes: black_box(&[]),
        groups: black_box(&[]),
        states: black_box(&[]),
        runs: black_box(&[]),
        cells: black_box(&[]),
        nodes: black_box(&[]),
        words: black_box(&[]),
        texts: black_box(b"\x05\0empty"),
    };
    let mut buffer = [0; 256];
    let buffer = buffer.get_mut(..encoded_len(&parts).ok()?)?;
    keep(write(&parts, buffer, |_| black_box(parts.sources)).ok()?);
    Some(())
}

/// What is said to people when a table is cut off, and when a buffer is.
#[inline(never)]
fn messages(input: &Input<'_>) -> Option<()> {
    let mut message = Message { buffer: [0; 128], len: 0 };
    let (digest, cut_off) = (claimed(input.table), input.table.split_last()?.1);
    let error: OpenError = Table::open(cut_off, Pin::Exactly(digest), |_| digest).err()?;
    write!(message, "{error}").ok()?;
    write!(message, "{}", WriteError::Buffer { expected: black_box(1), found: message.len }).ok()?;
    Some(())
}

/// Text without a heap.
struct Message {
    buffer: [u8; 128],
    len: usize,
}

impl fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            *self.buffer.get_mut(self.len).ok_or(fmt::Error)? = black_box(byte);
            self.len = self.len.saturating_add(1);
        }
        Ok(())
    }
}

#[inline(never)]
fn paths(input: &Input<'_>) -> Option<()> {
    let mut buffer = [0; 256];
    let root = Root::new(input.root).ok()?;
    let path = Contained::new(root, input.root, input.path).ok()?;
    keep(path == Contained::new(root, input.path, input.root).ok()?);
    path.components().for_each(keep);
    keep((path.is_root(), path.name(), path.extension(), path.plain(), path.write(&mut buffer).ok()?));
    keep(tested(input.path));
    Some(())
}

#[inline(never)]
fn lines(input: &Input<'_>) -> Option<()> {
    let mut buffer = [0; 256];
    for command in Line::new(input.line).ok()?.commands() {
        keep((command.text(), command.joined_by, command.written_max(), command.write(&mut buffer)?));
        keep(command.subcommand().map(|word| word.plain()));
        for word in command.words() {
            word.bytes().for_each(keep);
            keep(word == *input.line);
            keep(word.write(&mut buffer)?);
        }
    }
    Some(())
}

#[inline(never)]
fn urls(input: &Input<'_>) -> Option<()> {
    let mut buffer = [0; 256];
    let url = Url::new(input.url).ok()?;
    keep((url.scheme, url.port, url.path, fold(url.host.text(), &mut buffer)?));
    Some(())
}

#[inline(never)]
fn addresses(input: &Input<'_>) -> Option<()> {
    let address: Ipv4Addr = Host::new(input.address).ok()?.address()?;
    keep(is_private_ip(IpAddr::V4(address)));
    keep(is_private_ip(IpAddr::V6(black_box(address.to_ipv6_mapped()))));
    Some(())
}

/// What an embedder needs: a table that is opened, and the whole way of a request, with the pieces of what is said
/// when it is refused.
#[inline(never)]
pub(crate) fn requests(input: &Input<'_>) -> Option<()> {
    let table = open(input)?;
    let (mut buffer, mut places) = ([0; 256], [None; 4]);
    let policy = Policy::new(&table);
    let layers = policy.as_ref().ok().map(|policy| [Layer { policy, roles: &[] }]);
    let session = Session {
        root: Root::new(input.root).ok()?,
        working_directory: input.root,
        scope: black_box(Scope::Only(&["file.*"])),
        layers: layers.as_ref().map_or(&[], |layers| layers),
        approval: black_box(Approval::Missing),
    };
    match judge(input.request, |_| black_box(Some(session)), &mut buffer, &mut places, &mut |judged| keep(judged.layer))
    {
        Outcome::Permit(offer) => permitted(offer, input.path)?,
        Outcome::Refuse(Refused { request_id, refusal }) => {
            keep((request_id, refusal.rule_id(), refusal.code()));
            refusal.say(&mut |piece| keep(piece));
        }
    }
    Some(())
}

#[inline(never)]
fn permitted(offer: Offer<'_, '_>, path: &[u8]) -> Option<()> {
    let (obligations, permit) = offer.accept();
    keep((permit.request(), permit.session().working_directory));
    bound(&obligations);
    let attributes = permit.attributes()?.with_flag("hidden").with_number("bytes", 1);
    keep((attributes.operation(), attributes.number("bytes"), RequestAttributes::new(attributes.operation())));
    bound(&permit.judge_path(&attributes, path, &mut [None; 4]).ok()?);
    Some(())
}

fn bound(obligations: &Obligations<'_, '_>) {
    obligations.rules().for_each(|pair| keep((pair.layer, obligations.table(pair.layer))));
    obligations.limits().for_each(|(layer, limit)| keep(obligations.number(layer, limit.attribute)));
    obligations.requirements().for_each(keep);
    obligations.budgets().for_each(keep);
}

/// What requests are made of.
#[inline(never)]
fn parts_of_requests(input: &Input<'_>) -> Option<()> {
    let request = Request::read(input.request).ok()?;
    let text = request.request_id;
    keep((request.tool(), text.as_bytes(), Request::new(text.as_str(), "", "", request.tool()) == request));
    validate(&request, &mut |violation| keep((violation.rule.name(), violation.rule.sentence())));
    let asked = Asked::of(&request)?;
    keep((asked.is_named(black_box("file.read")), black_box(Scope::Everything).covers(&asked)));
    for operation in Operation::ALL {
        keep((operation.name(), operation.attributes()));
    }
    if let Some(Refusal::PolicyDenies(denial)) = black_box(None::<Refusal<'_>>) {
        keep((denial.operation_name(), denial.rule(), denial.table().digest()));
    }
    keep(judge_request(&request, |_| None, &mut [], &mut [], &mut |_| {}));
    let texts = Texts::listed(black_box(&["origin", "main"]));
    keep((texts.len(), texts.is_empty()));
    texts.iter().for_each(keep);
    Some(())
}

#[inline(never)]
fn git_arguments(input: &Input<'_>) -> Option<()> {
    let words = [core::str::from_utf8(input.path).ok()?];
    let verb = Verb::named(black_box(b"ADD"))?;
    keep(verb.wire_name());
    keep(git::read(verb, &Texts::listed(&words), &mut |said| keep(said)).map_err(|error| error.sentence()));
    Some(())
}

fn open<'a>(input: &Input<'a>) -> Option<Table<'a>> {
    let digest = claimed(input.table);
    Table::open(input.table, Pin::Exactly(digest), |_| digest).ok()
}

/// A hash that agrees with every table: which one is asked is not the core's to know.
fn claimed(table: &[u8]) -> Digest {
    Digest(table.get(16..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default())
}

/// What is computed and not used would not be computed.
fn keep<T>(value: T) {
    black_box(value);
}
