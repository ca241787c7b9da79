//! `interdict ledger`: verifies and prints the ledger.

mod records;

use std::io::{self, Write as _};

use exec_record::{Digest, Ledger, Verdict};
use serde_json::json;

use super::state_directory;
use crate::cli::{Format, ShowArgs, VerifyArgs};
use crate::exit::{Outcome, RunError};

pub(crate) fn verify(args: &VerifyArgs) -> Result<Outcome, RunError> {
    let folder = state_directory(args.state.as_ref())?;
    let expect = args.expect.as_ref().map(|digits| digits.parse::<Digest>()).transpose().map_err(|_| {
        RunError::new("`--expect` must be a digest").help("a digest has 64 hexadecimal digits in lower case")
    })?;
    let cannot = |error| RunError::new(format!("cannot read the ledger in `{}`: {error}", folder.display()));
    let verdict = Ledger::open(&folder).and_then(|ledger| ledger.verify(expect.as_ref())).map_err(cannot)?;
    let text = match args.format {
        Format::Human if expect.is_none() => format!("{}\n{UNPINNED}", human(&verdict)),
        Format::Human => human(&verdict),
        Format::Json => json_of(&verdict),
    };
    writeln!(io::stdout(), "{text}").map_err(RunError::new)?;
    Ok(match verdict {
        Verdict::Whole(_) => Outcome::Fine,
        Verdict::Broken(_) => Outcome::Findings,
    })
}

/// Prints record by record. A reader that closes the output ends it.
pub(crate) fn show(args: &ShowArgs) -> Result<Outcome, RunError> {
    let folder = state_directory(args.state.as_ref())?;
    let cannot = |error| RunError::new(format!("cannot read the ledger in `{}`: {error}", folder.display()));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    let ledger = Ledger::open(&folder).map_err(cannot)?;
    let read = ledger.each(|record, hash| {
        if written.is_ok() && args.session.is_none_or(|session| session == record.chain) {
            written = match args.format {
                Format::Human => out.write_all(records::human(&record).as_bytes()),
                Format::Json => writeln!(out, "{}", records::json(&record, &hash)),
            };
        }
    });
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(RunError::new(error)),
        _ => {}
    }
    read.map_err(cannot)?;
    Ok(Outcome::Fine)
}

/// What the chain of hashes cannot show by itself.
const UNPINNED: &str = "note: a state that was rewritten or truncated as a whole is found only with a digest that you kept: --expect DIGEST";

fn human(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Whole(verified) => {
            let checkpoint = verified.checkpoint.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
            format!(
                "the ledger is intact: {} records of {} sessions\nlast checkpoint {checkpoint}, followed by {} records",
                verified.records, verified.sessions, verified.after_checkpoint
            )
        }
        Verdict::Broken(faults) => {
            let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
            let noun = if faults.len() == 1 { "finding" } else { "findings" };
            format!("{}\nthe ledger was changed: {} {noun}", lines.join("\n"), faults.len())
        }
    }
}

fn json_of(verdict: &Verdict) -> String {
    let value = match verdict {
        Verdict::Whole(verified) => json!({
            "whole": true,
            "records": verified.records,
            "sessions": verified.sessions,
            "checkpoint": verified.checkpoint.map(|digest| digest.to_string()),
            "after_checkpoint": verified.after_checkpoint,
            "faults": [],
        }),
        Verdict::Broken(faults) => {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            json!({ "whole": false, "faults": faults })
        }
    };
    value.to_string()
}
