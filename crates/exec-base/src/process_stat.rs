//! Process id -> its entry in `/proc`.

use std::str::FromStr;

/// The fields of `/proc/PID/stat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessStat {
    pub name: String,
    /// From the third one on.
    fields: Vec<String>,
}

impl ProcessStat {
    /// Reads the entry of a process id, or of `self`; none if there is no such process.
    #[must_use]
    pub fn read(process: &str) -> Option<Self> {
        let stat = std::fs::read(format!("/proc/{process}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name may contain anything, parentheses included.
        let (head, rest) = stat.rsplit_once(')')?;
        let (_, name) = head.split_once('(')?;
        Some(Self { name: name.to_owned(), fields: rest.split_ascii_whitespace().map(str::to_owned).collect() })
    }

    /// Parses a field by its number in `proc_pid_stat(5)`.
    #[must_use]
    pub fn field<T: FromStr>(&self, number: usize) -> Option<T> {
        self.fields.get(number.checked_sub(3)?)?.parse().ok()
    }

    /// Returns the start time in ticks since boot, which with the process id is unique.
    #[must_use]
    pub fn started(&self) -> Option<u64> {
        self.field(22)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_read_by_its_id_and_a_missing_one_is_none() {
        let stat = ProcessStat::read("self").unwrap();
        assert_eq!(stat.field(4), Some(std::os::unix::process::parent_id()));
        assert_eq!(stat.field::<u64>(2), None, "the name is not a number");
        assert_eq!(ProcessStat::read(&std::process::id().to_string()).unwrap().started(), stat.started());
        assert_eq!(ProcessStat::read("0"), None);
    }
}
