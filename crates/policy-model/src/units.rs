//! Quantities as written -> numbers in the unit of their attribute.

use policy_syntax::Quantity;

use crate::catalogue::AttributeKind;

/// Units of one measure, each with its factor.
pub(crate) type Units = &'static [(&'static str, u64)];

/// Why a quantity does not fit an attribute. Units are those that would fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuantityError {
    UnknownUnit(Units),
    /// A missing unit, or the unit of another measure.
    WrongUnit(Units),
    NotWhole,
    TooLarge,
}

/// Converts a quantity to the attribute's unit: bytes, milliseconds, hundredths, or a count.
pub(crate) fn value(quantity: &Quantity, kind: AttributeKind) -> Result<u64, QuantityError> {
    let units = units(kind);
    let factor = match &quantity.unit {
        None if units.is_empty() => 1,
        None => return Err(QuantityError::WrongUnit(units)),
        Some(unit) => match units.iter().find(|(name, _)| *name == unit.text) {
            Some((_, factor)) => *factor,
            None if SIZES.iter().chain(TIMES).any(|(name, _)| *name == unit.text) => {
                return Err(QuantityError::WrongUnit(units));
            }
            None => return Err(QuantityError::UnknownUnit(units)),
        },
    };
    let (whole, fraction) = quantity.digits.split_once('.').unwrap_or((&quantity.digits, ""));
    let scale = match kind {
        AttributeKind::Hundredths if fraction.len() <= 2 => 100,
        _ if fraction.is_empty() => 1,
        _ => return Err(QuantityError::NotWhole),
    };
    let whole: u64 = whole.parse().map_err(|_| QuantityError::TooLarge)?;
    let hundredths: u64 = match fraction.len() {
        0 => 0,
        1 => fraction.parse::<u64>().unwrap_or(0) * 10,
        _ => fraction.parse().unwrap_or(0),
    };
    whole
        .checked_mul(scale)
        .and_then(|value| value.checked_add(hundredths))
        .and_then(|value| value.checked_mul(factor))
        .filter(|value| *value <= NUMBER_MAX)
        .ok_or(QuantityError::TooLarge)
}

/// Formats a number in the largest unit in which it is whole.
#[must_use]
pub fn written(value: u64, kind: AttributeKind) -> String {
    let units = units(kind);
    let fits = |(_, factor): &&(&str, u64)| value.checked_rem(*factor) == Some(0) && (value > 0 || *factor == 1);
    match (kind, units.iter().rev().find(fits)) {
        (AttributeKind::Hundredths, _) => {
            let decimal = format!("{}.{:02}", value / 100, value % 100);
            decimal.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        (_, Some((unit, factor))) => format!("{} {unit}", value / factor),
        (_, None) => value.to_string(),
    }
}

/// The largest number of the language; an absent number compares as one more.
pub const NUMBER_MAX: u64 = i64::MAX as u64 - 1;

fn units(kind: AttributeKind) -> Units {
    match kind {
        AttributeKind::Size => SIZES,
        AttributeKind::Duration => TIMES,
        AttributeKind::Path
        | AttributeKind::Ref
        | AttributeKind::Host
        | AttributeKind::Command
        | AttributeKind::Model
        | AttributeKind::Word
        | AttributeKind::Flag
        | AttributeKind::Count
        | AttributeKind::Hundredths => &[],
    }
}

const SIZES: Units = &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
const TIMES: Units = &[("ms", 1), ("s", 1_000), ("min", 60_000), ("h", 3_600_000)];

#[cfg(test)]
mod tests {
    use super::*;
    use policy_syntax::{Name, Span};

    fn read(digits: &str, unit: Option<&str>, kind: AttributeKind) -> Result<u64, QuantityError> {
        let unit = unit.map(|text| Name { text: text.to_owned(), span: Span::default() });
        value(&Quantity { digits: digits.to_owned(), unit, span: Span::default() }, kind)
    }

    #[test]
    fn units_scale_and_must_fit_the_attribute() {
        assert_eq!(read("10", Some("MiB"), AttributeKind::Size), Ok(10 << 20));
        assert_eq!(read("15", Some("s"), AttributeKind::Duration), Ok(15_000));
        assert_eq!(read("0.75", None, AttributeKind::Hundredths), Ok(75));
        assert_eq!(read("1.5", None, AttributeKind::Hundredths), Ok(150));
        assert_eq!(read("443", None, AttributeKind::Count), Ok(443));
        assert_eq!(read("10", None, AttributeKind::Size), Err(QuantityError::WrongUnit(SIZES)));
        assert_eq!(read("10", Some("s"), AttributeKind::Size), Err(QuantityError::WrongUnit(SIZES)));
        assert_eq!(read("10", Some("MB"), AttributeKind::Size), Err(QuantityError::UnknownUnit(SIZES)));
        assert_eq!(read("10", Some("s"), AttributeKind::Count), Err(QuantityError::WrongUnit(&[])));
        assert_eq!(read("1.5", Some("MiB"), AttributeKind::Size), Err(QuantityError::NotWhole));
        assert_eq!(read("0.755", None, AttributeKind::Hundredths), Err(QuantityError::NotWhole));
    }

    #[test]
    fn numbers_are_written_in_the_largest_unit_they_are_whole_in() {
        let size = |value| written(value, AttributeKind::Size);
        assert_eq!(
            [0, 1, 1023, 1024, 1025, 11 << 20, 3 << 30].map(size),
            ["0 B", "1 B", "1023 B", "1 KiB", "1025 B", "11 MiB", "3 GiB"]
        );
        let time = |value| written(value, AttributeKind::Duration);
        assert_eq!(
            [0, 999, 1_000, 90_000, 600_000, 7_200_000].map(time),
            ["0 ms", "999 ms", "1 s", "90 s", "10 min", "2 h"]
        );
        let decimal = |value| written(value, AttributeKind::Hundredths);
        assert_eq!([0, 5, 75, 150, 200, 1_000].map(decimal), ["0", "0.05", "0.75", "1.5", "2", "10"]);
        assert_eq!(written(2_000_000, AttributeKind::Count), "2000000");
    }

    #[test]
    fn the_largest_number_is_the_last_that_fits() {
        let largest = NUMBER_MAX.to_string();
        let next = (NUMBER_MAX + 1).to_string();
        assert_eq!(read(&largest, None, AttributeKind::Count), Ok(NUMBER_MAX));
        assert_eq!(read(&next, None, AttributeKind::Count), Err(QuantityError::TooLarge));
        assert_eq!(read("9999999999", Some("GiB"), AttributeKind::Size), Err(QuantityError::TooLarge));
        assert_eq!(read(&"9".repeat(40), None, AttributeKind::Count), Err(QuantityError::TooLarge));
    }
}
