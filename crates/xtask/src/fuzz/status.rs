//! A line of libFuzzer -> how far it is.

/// What libFuzzer says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Status {
    /// Inputs that were tried.
    pub(super) executions: u64,
    /// In a second, as it says; zero in the first.
    pub(super) per_second: u64,
    /// Places in the code that were reached.
    pub(super) edges: u64,
    /// Inputs that reach something that no other does.
    pub(super) inputs: u64,
}

impl Status {
    /// Reads `#1024 NEW cov: 505 ft: 905 corp: 41/1k lim: 4096 exec/s: 512 rss: 60Mb`; nothing of any other line.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut words = line.strip_prefix('#')?.split_whitespace();
        let executions = words.next()?.parse().ok()?;
        let words: Vec<&str> = words.collect();
        let after = |name: &str| {
            let place = words.iter().position(|word| *word == name)?;
            words.get(place.checked_add(1)?)?.split('/').next()?.parse().ok()
        };
        // Before anything was reached there is no coverage in the line.
        words.contains(&"exec/s:").then(|| Self {
            executions,
            per_second: after("exec/s:").unwrap_or_default(),
            edges: after("cov:").unwrap_or_default(),
            inputs: after("corp:").unwrap_or_default(),
        })
    }
}
