//! `k/n` -> which files: every n-th, from the k-th on.

use std::str::FromStr;

/// One of several parts that make up the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Counted from one.
    number: usize,
    of: usize,
}

impl Shard {
    pub(super) fn of<T>(self, files: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
        files.skip(self.number.saturating_sub(1)).step_by(self.of)
    }
}

impl FromStr for Shard {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, of) = text.split_once('/').ok_or(NO_SHARD)?;
        match (number.parse(), of.parse()) {
            (Ok(number), Ok(of)) if 1 <= number && number <= of => Ok(Self { number, of }),
            _ => Err(NO_SHARD),
        }
    }
}

const NO_SHARD: &str = "a part is `k/n`, from `1/n` to `n/n`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_up_the_whole_and_have_nothing_in_common() {
        let parts: Vec<Vec<u8>> = ["1/3", "2/3", "3/3"].map(|text| shard(text).of(0..7).collect()).to_vec();
        assert_eq!(parts, [vec![0, 3, 6], vec![1, 4], vec![2, 5]]);
        assert_eq!(shard("1/1").of(0..7).count(), 7);
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["", "1", "0/3", "4/3", "0/0", "1/x", "-1/3", "1/3/5"] {
            assert_eq!(text.parse::<Shard>(), Err(NO_SHARD), "{text}");
        }
    }

    fn shard(text: &str) -> Shard {
        text.parse().unwrap()
    }
}
