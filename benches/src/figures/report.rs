//! What was measured -> tables to read, besides the goals.

use std::fmt::Write as _;

use super::{Counted, Figures};
use crate::engines::Name;
use crate::goal::short;
use crate::workload::{SIXTY, SIZES};

impl Figures {
    /// Workloads, engines, sizes and hostile sets.
    pub(super) fn render(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        for about in &self.workloads {
            let super::About { mix, rules, requests, hits, allowed, mean_bytes } = about;
            let _ = writeln!(
                text,
                "{rules:>6} rules, {mix} mix: {requests} requests, {hits} decided by a rule, {allowed} allowed, \
                 {mean_bytes:.0} bytes on average"
            );
        }
        let _ = writeln!(text, "\n{}", self.engines());
        let _ = writeln!(text, "{}", self.tables());
        let _ = writeln!(text, "{}", self.hostile_sets());
        text
    }

    fn engines(&self) -> String {
        let header = |what: &str| {
            let sizes: String = SIZES.iter().map(|rules| format!("  {:>14}", format!("{rules} rules"))).collect();
            format!("{what:<24}{sizes}\n")
        };
        let mut text = header("median ns a decision");
        let row = |text: &mut String, name: &str, cell: &dyn Fn(usize) -> String| {
            let cells: String = SIZES.iter().map(|rules| format!("  {:>14}", cell(*rules))).collect();
            let _ = writeln!(text, "{name:<24}{cells}");
        };
        let seat = |name: Name, rules| self.seats.iter().find(|seat| seat.name == name && seat.rules == rules);
        for name in Name::BUILT {
            row(&mut text, name.as_str(), &|rules| {
                seat(*name, rules).map_or("-".to_owned(), |seat| short(seat.median()))
            });
        }
        row(&mut text, "interdict alone", &|rules| {
            self.alone.iter().find(|seat| seat.rules == rules).map_or("-".to_owned(), |seat| short(seat.median()))
        });
        text.push_str(&header("\nrequests checked, timed"));
        for name in Name::BUILT {
            row(&mut text, name.as_str(), &|rules| {
                seat(*name, rules).map_or("-".to_owned(), |seat| seat.checked.to_string())
            });
        }
        text.push_str(&header("\ninstructions a decision"));
        for name in Name::BUILT {
            row(&mut text, name.as_str(), &|rules| {
                let key = Counted { engine: *name, mix: "default", rules, is_sixty: false };
                match self.counts.get(&key) {
                    Some(Ok(count)) => short(count.instructions),
                    Some(Err(_)) | None => "not counted".to_owned(),
                }
            });
        }
        text.push('\n');
        for (counted, count) in self.counts.iter().filter(|(counted, _)| counted.engine == Name::Core) {
            let Counted { mix, rules, is_sixty, .. } = counted;
            let asks = if *is_sixty { format!("paths of {SIXTY} bytes") } else { "mixed requests".to_owned() };
            let told = count.as_ref().map_or("not counted".to_owned(), |count| short(count.instructions));
            let _ =
                writeln!(text, "instructions of {} at {rules} rules, {mix} mix, {asks}: {told}", Name::Core.as_str());
        }
        let (slow, usual) = self.tail;
        let _ = writeln!(
            text,
            "\nsingle decisions, 10000 rules, quietest turn: median {usual:.0} ns, 99th percentile {slow:.0} ns"
        );
        let (decisions, machine) = (short(self.scaling.decisions), short(self.scaling.machine));
        let _ = writeln!(text, "two threads to one: {decisions} x, and {machine} x for a loop that needs no memory");
        text
    }

    fn tables(&self) -> String {
        let mut text = format!(
            "{:<8}  {:>7}  {:>10}  {:>10}  {:>12}  {:>9}  {:>10}\n",
            "mix", "rules", "build", "open", "table", "a rule", "memory"
        );
        for ((mix, rules), built) in &self.built {
            let _ = match built {
                Ok(built) => writeln!(
                    text,
                    "{mix:<8}  {rules:>7}  {:>7.1} ms  {:>7.3} ms  {:>10} B  {:>7.1} B  {:>10}",
                    built.freeze_ms,
                    built.open_ms,
                    short(built.table_bytes as f64),
                    built.table_bytes as f64 / *rules as f64,
                    built.peak_bytes.map_or("-".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6)),
                ),
                Err(why) => writeln!(text, "{mix:<8}  {rules:>7}  {why}"),
            };
        }
        text
    }

    fn hostile_sets(&self) -> String {
        let mut text = String::new();
        for (set, ended) in &self.hostile {
            let _ = match ended {
                Ok(ended) => {
                    let outcome = match &ended.outcome {
                        Ok(bytes) => {
                            format!("table of {} bytes, {} requests compared", short(*bytes as f64), ended.compared)
                        }
                        Err(error) => format!("refused, {error}"),
                    };
                    writeln!(text, "{set:<30}  {:>6.2} s  {outcome}", ended.seconds)
                }
                Err(error) => writeln!(text, "{set:<30}  NO ANSWER: {error:?}"),
            };
        }
        text
    }
}
