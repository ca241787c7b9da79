//! What was measured -> the claims and their limits.

use super::judging::Times;
use super::{Counted, Figures};
use crate::engines::Name;
use crate::goal::Firmness::{Ratio, Stable, Time};
use crate::goal::Limit::{AtLeast, AtMost, Below};
use crate::goal::{Firmness, Goal, Limit, Measured};
use crate::workload::{SIXTY, SIZES};

/// The mix that limits on instructions are for; those of the other one are told.
const MIX: &str = "default";
const FEW: usize = 10;
const MANY: usize = 10_000;
const NO_VALGRIND: &str = "there is no valgrind";
const MIB: f64 = 1_048_576.0;

impl Figures {
    /// In the order in which documents tell of them.
    pub(super) fn goals(&self) -> Vec<Goal> {
        let mut goals = self.counted();
        goals.extend(self.timed());
        goals.extend(self.compared());
        goals.extend(self.judging());
        goals.extend(self.sizes());
        goals.extend(self.building());
        goals.extend(self.against_hostility());
        goals
    }

    fn counted(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        let claim = format!("instructions, {MANY} rules to {FEW}");
        let ratio = self.count(MIX, MANY, false).and_then(|many| Ok(many / self.count(MIX, FEW, false)?));
        goals.push(judged(claim, AtMost(1.2), " x", Stable, ratio));
        for rules in [FEW, MANY] {
            let claim = format!("instructions for each byte of a path of {SIXTY}, {rules} rules");
            let each = self.count(MIX, rules, true).map(|count| count / SIXTY as f64);
            goals.push(judged(claim, AtMost(12.0), "", Stable, each));
        }
        let own = self.counts.iter().filter(|(counted, _)| counted.engine == Name::Core);
        let mut allocations = own.map(|(_, count)| count.clone().map(|count| count.allocations as f64));
        let first = allocations.next().unwrap_or_else(|| Err(NO_VALGRIND.to_owned()));
        let all = allocations.fold(first, |all, count| Ok(all? + count?));
        goals.push(judged("calls of the allocator in all decisions counted", AtMost(0.0), "", Stable, all));
        goals
    }

    fn timed(&self) -> Vec<Goal> {
        let alone = |rules| self.alone.iter().find(|seat| seat.rules == rules).map(super::seats::Seat::median);
        let ratio = alone(MANY).zip(alone(FEW)).map(|(many, few)| many / few).ok_or("was not timed".to_owned());
        let (slow, usual) = self.tail;
        vec![
            judged(format!("median, {MANY} rules to {FEW}"), AtMost(2.0), " x", Ratio, ratio),
            // A tail is what the machine does between decisions as much as what they do.
            judged(format!("99th percentile to median, {MANY} rules"), Below(6.0), " x", Time, Ok(slow / usual)),
            judged(
                "two threads to one, where a loop without memory is 2 x",
                AtLeast(1.9),
                " x",
                Ratio,
                Ok(self.scaling.ratio),
            ),
        ]
    }

    fn compared(&self) -> Vec<Goal> {
        let mut wanted: Vec<(Name, usize, f64)> = Vec::new();
        for peer in [Name::GlobSet, Name::LazyDfa] {
            wanted.extend(SIZES.map(|rules| (peer, rules, if rules < 1_000 { 1.0 } else { 2.0 })));
        }
        wanted.extend([(Name::Cedar, 100, 1_000.0), (Name::Cedar, MANY, 50_000.0)]);
        wanted
            .into_iter()
            .map(|(peer, rules, least)| {
                let faster = self.median(peer, rules).and_then(|time| Ok(time / self.median(Name::Core, rules)?));
                judged(format!("faster than {}, {rules} rules", peer.as_str()), AtLeast(least), " x", Ratio, faster)
            })
            .collect()
    }

    fn judging(&self) -> Vec<Goal> {
        let Times { in_place, owned, named, growth, memory } = &self.judging;
        let extra = memory.as_ref().map_err(|error| format!("{error:?}")).and_then(|extra| {
            let bytes = extra.extra_bytes.ok_or("this system keeps no count")?;
            Ok(bytes as f64 / MIB)
        });
        vec![
            judged("judging a request of 60 bytes of path, 1000 rules", Below(1_000.0), " ns", Time, Ok(*in_place)),
            judged(
                "faster than prost, owned facts by name and decide",
                AtLeast(3.0),
                " x",
                Ratio,
                Ok(named / in_place),
            ),
            judged(
                "faster than prost, facts numbered by hand and decide",
                AtLeast(2.0),
                " x",
                Ratio,
                Ok(owned / in_place),
            ),
            judged("time for a byte, 1000 entries to 500", AtMost(1.3), " x", Ratio, Ok(*growth)),
            judged("memory beside a request of 100 MB", AtMost(1.0), " MiB", Stable, extra),
        ]
    }

    fn sizes(&self) -> Vec<Goal> {
        let size = |mix| self.built(mix, MANY).map(|built| built.table_bytes as f64 / MIB);
        let open = |mix| self.built(mix, MANY).map(|built| built.open_ms);
        vec![
            judged(format!("table of {MANY} rules, default mix"), Below(1.0), " MiB", Stable, size("default")),
            judged(format!("table of {MANY} rules, harder mix"), Below(3.0), " MiB", Stable, size("harder")),
            judged(format!("opening {MANY} rules, default mix"), Below(2.0), " ms", Time, open("default")),
            judged(format!("opening {MANY} rules, harder mix"), Below(2.0), " ms", Time, open("harder")),
        ]
    }

    fn building(&self) -> Vec<Goal> {
        let time = |mix, rules| self.built(mix, rules).map(|built| built.freeze_ms);
        let growth = |rules, from| {
            let (large, small) = (self.built("default", rules)?, self.built("default", from)?);
            Ok(large.growth_from(small))
        };
        let peak = |mix| {
            let bytes = self.built(mix, MANY)?.peak_bytes.ok_or("this system keeps no count")?;
            Ok(bytes as f64 / 1e6)
        };
        vec![
            judged(format!("building {MANY} rules, default mix"), Below(500.0), " ms", Time, time("default", MANY)),
            judged(format!("building {MANY} rules, harder mix"), Below(500.0), " ms", Time, time("harder", MANY)),
            judged(format!("memory, {MANY} rules, default mix"), Below(150.0), " MB", Stable, peak("default")),
            judged(format!("memory, {MANY} rules, harder mix"), Below(150.0), " MB", Stable, peak("harder")),
            judged("building 100000 rules", Below(8_000.0), " ms", Time, time("default", 100_000)),
            judged("growth of building, 1000 to 10000 rules", AtMost(1.3), " x", Ratio, growth(MANY, 1_000)),
            judged("growth of building, 10000 to 100000 rules", AtMost(1.3), " x", Ratio, growth(100_000, MANY)),
        ]
    }

    fn against_hostility(&self) -> Vec<Goal> {
        let mut goals = Vec::new();
        for (set, ended) in &self.hostile {
            let ended = ended.as_ref().map_err(|error| format!("{error:?}"));
            let seconds = ended.as_ref().map(|ended| ended.seconds).map_err(Clone::clone);
            let peak = ended.and_then(|ended| ended.peak_bytes.ok_or("this system keeps no count".to_owned()));
            goals.push(hostile(format!("{set}: time"), Below(10.0), " s", seconds));
            goals.push(hostile(
                format!("{set}: memory"),
                Below(1.0),
                " GiB",
                peak.map(|bytes| bytes as f64 / MIB / 1024.0),
            ));
        }
        goals
    }

    pub(super) fn count(&self, mix: &'static str, rules: usize, is_sixty: bool) -> Result<f64, String> {
        let key = Counted { engine: Name::Core, mix, rules, is_sixty };
        let count = self.counts.get(&key).cloned().unwrap_or_else(|| Err(NO_VALGRIND.to_owned()));
        count.map(|count| count.instructions)
    }

    fn median(&self, name: Name, rules: usize) -> Result<f64, String> {
        let seat = self.seats.iter().find(|seat| seat.name == name && seat.rules == rules);
        seat.map(super::seats::Seat::median).ok_or_else(|| "built without the feature `peers`".to_owned())
    }

    fn built(&self, mix: &'static str, rules: usize) -> Result<&super::Built, String> {
        let built = self.built.get(&(mix, rules)).ok_or_else(|| "left out of a quick run".to_owned())?;
        built.as_ref().map_err(Clone::clone)
    }
}

fn judged(
    claim: impl Into<String>,
    limit: Limit,
    unit: &'static str,
    firmness: Firmness,
    measured: Result<f64, String>,
) -> Goal {
    let measured = match measured {
        Ok(value) => Measured::Value(value),
        Err(why) => Measured::Not(why),
    };
    Goal { claim: claim.into(), limit, unit, measured, firmness }
}

/// A child that did not answer has missed its limit.
fn hostile(claim: String, limit: Limit, unit: &'static str, measured: Result<f64, String>) -> Goal {
    judged(claim, limit, unit, Stable, Ok(measured.unwrap_or(f64::INFINITY)))
}
