//! What was measured -> the figures with their limits, and the numbers behind them.

use std::fmt::Write as _;

use super::Figures;
use super::asking::Asked;
use super::reading::Read;
use super::rounds::Took;
use crate::goal::Limit::{AtLeast, Below};
use crate::goal::{Firmness, Goal, Limit, Measured, short};

impl Figures {
    pub(super) fn goals(&self) -> Vec<Goal> {
        let spawned = self.spawned.as_ref().map_err(Clone::clone);
        let relative = |ours: Took, other: Took| ours.median / other.median;
        let searched = self.searched.as_ref().map_err(Clone::clone);
        let rate = |asked: &Result<Asked, String>| asked.as_ref().map(|asked| asked.through.rate).map_err(Clone::clone);
        vec![
            ratio(
                "`true` with Landlock and seccomp, to fork and exec",
                Below(1.3),
                spawned.clone().map(|spawned| relative(spawned.landlock_and_seccomp, spawned.plain)),
            ),
            ratio(
                "`true` in the whole sandbox, to fork and exec",
                Below(2.2),
                spawned.clone().map(|spawned| relative(spawned.whole, spawned.plain)),
            ),
            ratio(
                "`true` in the whole sandbox, to `bwrap --unshare-all`",
                Below(0.5),
                spawned.and_then(|spawned| Ok(relative(spawned.whole, spawned.bubblewrap.clone()?))),
            ),
            ratio(
                "file.read of 1 MiB, to open, read and BLAKE3",
                Below(1.5),
                Ok(relative(self.read.tool, self.read.plain)),
            ),
            ratio(
                "fs.grep in 20,000 files, to `rg`",
                Below(1.2),
                searched.clone().map(|searched| relative(searched.ours, searched.rg)),
            ),
            ratio(
                "fs.grep in 20,000 files, sorted, to `rg --sort path`",
                Below(1.5),
                searched.map(|searched| relative(searched.ours, searched.rg_sorted)),
            ),
            per_second("denied and on the record, on one processor", 50_000.0, rate(&self.refused)),
            per_second("a denied line, on the record, on one processor", 50_000.0, rate(&self.refused_line)),
            per_second("file.read of 4 KiB with intent and result on the record", 5_000.0, rate(&self.permitted)),
        ]
    }

    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "load: {} before, {} after\n", self.load.0, self.load.1);
        let _ = writeln!(text, "{:<24} {:>12} {:>12}", "", "median", "best tenth");
        for (name, took) in self.times() {
            let Took { median, quiet } = took;
            let _ = writeln!(text, "{name:<24} {median:>9.0} us {quiet:>9.0} us");
        }
        let _ = writeln!(text, "\na page made durable: {:.2} ms", self.durable_ms);
        let asked =
            [("denied", &self.refused), ("denied line", &self.refused_line), ("file.read of 4 KiB", &self.permitted)];
        for (name, asked) in asked {
            let Ok(asked) = asked else { continue };
            for (way, served) in [("through the executor", &asked.through), ("the ledger alone", &asked.ledger)] {
                let _ = writeln!(
                    text,
                    "{name}, {way}: {} a second ({} of processor time), median {:.2} ms, p99 {:.2} ms, {} in flight",
                    short(served.rate),
                    short(served.processor_rate),
                    served.median_ms,
                    served.p99_ms,
                    asked.in_flight
                );
            }
        }
        text.push('\n');
        text
    }
}

impl Figures {
    /// Whatever was timed in turns.
    fn times(&self) -> Vec<(&'static str, Took)> {
        let mut times = Vec::new();
        if let Ok(spawned) = &self.spawned {
            times.extend([
                ("fork + exec", spawned.plain),
                ("posix_spawn", spawned.posix_spawn),
                ("executor, no layer", spawned.bare),
                ("Landlock + seccomp", spawned.landlock_and_seccomp),
                ("all layers", spawned.whole),
            ]);
            times.extend(spawned.bubblewrap.as_ref().ok().map(|took| ("bwrap --unshare-all", *took)));
        }
        let Read { plain, tool, request } = self.read;
        times.extend([("1 MiB plainly", plain), ("1 MiB by file.read", tool), ("the same as a request", request)]);
        if let Ok(searched) = &self.searched {
            times.extend([("fs.grep", searched.ours), ("rg", searched.rg), ("rg --sort path", searched.rg_sorted)]);
        }
        times
    }
}

fn ratio(claim: &str, limit: Limit, measured: Result<f64, String>) -> Goal {
    goal(claim, limit, " x", measured, Firmness::Ratio)
}

fn per_second(claim: &str, least: f64, measured: Result<f64, String>) -> Goal {
    goal(claim, AtLeast(least), " /s", measured, Firmness::Time)
}

fn goal(claim: &str, limit: Limit, unit: &'static str, measured: Result<f64, String>, firmness: Firmness) -> Goal {
    let measured = measured.map_or_else(Measured::Not, Measured::Value);
    Goal { claim: claim.to_owned(), limit, unit, measured, firmness }
}
