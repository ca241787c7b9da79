//! Samples -> the one that a part of them is not above.

/// The value that this part of the samples is not above.
pub(crate) fn quantile(samples: &mut [f64], part: f64) -> f64 {
    samples.sort_unstable_by(f64::total_cmp);
    let place = ((samples.len() as f64 * part) as usize).min(samples.len().saturating_sub(1));
    samples.get(place).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let mut samples = vec![5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|part| quantile(&mut samples, part)), [1.0, 3.0, 5.0, 5.0]);
    }
}
