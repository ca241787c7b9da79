//! Policy texts: whatever is in a file, checking it ends with a model or with findings, and laying it out changes
//! nothing.

use std::path::Path;

use policy_model::{CheckOptions, Memory, check_in};
use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{Severity, testing};
use verify::cases::Premise;

/// A file of any bytes gives a model without errors, or errors and no model; and not more findings than anybody reads.
pub fn any_file_is_a_model_or_findings(bytes: &[u8]) -> Premise {
    let files = Memory::default().with(FILE, bytes);
    let checked = check_in(&files, Path::new(FILE), CheckOptions::default());
    let errors = checked.diagnostics.iter().filter(|finding| finding.code.severity == Severity::Error);
    assert_eq!(checked.model.is_none(), errors.count() > 0, "a model, or errors: {:?}", checked.diagnostics);
    assert!(checked.diagnostics.len() <= FINDINGS_MAX, "{} findings", checked.diagnostics.len());
    Premise::of(checked.model.is_some())
}

/// Each word of a text is understood or reported.
pub fn words_are_understood_or_reported(bytes: &[u8]) -> Premise {
    str::from_utf8(bytes).map_or(Premise::Missed, |text| Premise::of(testing::is_understood_or_reported(text)))
}

/// Laying a text out changes no word and no comment.
pub fn layout_changes_no_word(bytes: &[u8]) -> Premise {
    str::from_utf8(bytes).map_or(Premise::Missed, |text| Premise::of(testing::layout_changes_no_word(text).is_ok()))
}

/// The layout of a layout is itself.
pub fn layout_of_a_layout_is_itself(bytes: &[u8]) -> Premise {
    str::from_utf8(bytes)
        .map_or(Premise::Missed, |text| Premise::of(testing::layout_of_a_layout_is_itself(text).is_ok()))
}

const FILE: &str = "fuzzed.policy";
