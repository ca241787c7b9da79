//! Says on the error stream what is being measured, and after how many seconds.

use std::fmt::Display;
use std::time::Instant;

pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn say(&self, what: impl Display) {
        eprintln!("{:>5.0} s  {what}", self.0.elapsed().as_secs_f64());
    }
}
