//! Encoded requests: read, checked and judged, whatever the bytes are.

use std::cell::RefCell;

use enforce_core::judge::{Approval, Layer, Outcome, Scope, Session, judge};
use enforce_core::path::Root;
use enforce_core::wire::Request;
use enforce_core::{Policy, Verdict, validate};
use table_format::{Digest, Pin, Table};
use tool_proto::{ToolRequest, Validator as _};
use verify::cases::Premise;
use verify::oracles::messages;

use super::OPEN_TABLE;

/// What the core reads, prost reads with equal fields.
pub fn what_is_read_prost_reads_alike(bytes: &[u8]) -> Premise {
    messages::what_is_read_prost_reads_alike(bytes)
}

/// The owned message and the bytes break the same rules.
pub fn owned_messages_break_the_same_rules(bytes: &[u8]) -> Premise {
    let (Ok(request), Ok(message)) = (Request::read(bytes), <ToolRequest as prost::Message>::decode(bytes)) else {
        return Premise::Missed;
    };
    let mut count = 0;
    validate::validate(&request, &mut |_| count += 1);
    assert_eq!(message.validate().err().map_or(0, |errors| errors.len()), count, "{message:?}");
    Premise::Met
}

/// Nothing is permitted but what is valid and allowed, target by target, by a policy that allows everything.
#[expect(clippy::expect_used, reason = "without a policy there is nothing to ask")]
pub fn whatever_is_permitted_is_valid_and_allowed(bytes: &[u8]) -> Premise {
    let claimed = OPEN_TABLE.get(16..48).and_then(|digest| digest.first_chunk()).expect("the table has a digest");
    let vouched = Digest(*claimed);
    thread_local! {
        static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; 1 << 20]);
    }
    let table = Table::open(OPEN_TABLE, Pin::Unpinned, |_| vouched).expect("the committed table opens");
    let policy = Policy::new(&table).expect("the committed table has every operation");
    let layers = [Layer { policy: &policy, roles: &[] }];
    let session = Session {
        root: Root::new(b"/workspace").expect("is a root"),
        working_directory: b"",
        scope: Scope::Everything,
        layers: &layers,
        approval: Approval::Missing,
    };
    let (mut verdicts, mut obligations) = (Vec::new(), [None; 64]);
    BUFFER.with_borrow_mut(|buffer| {
        let outcome = judge(bytes, |_| Some(session), buffer, &mut obligations, &mut |judged| {
            verdicts.push(judged.decision.verdict());
        });
        let Outcome::Permit(offer) = outcome else {
            return Premise::Missed;
        };
        let (_, permit) = offer.accept();
        assert_eq!(Request::read(bytes).as_ref(), Ok(permit.request()), "another request is permitted");
        validate::validate(permit.request(), &mut |violation| unreachable!("permitted with {violation:?}"));
        assert!(!verdicts.is_empty(), "permitted and not judged");
        assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Allow), "permitted with {verdicts:?}");
        Premise::Met
    })
}
