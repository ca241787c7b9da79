//! A target -> what is asked of its inputs. A target is built with its feature, and knows the others by no name.

use crate::ask::{Ask, core_properties};

/// Makes an [`Ask`] of a function over bytes, by its path in this crate.
#[cfg_attr(
    not(any(
        feature = "agreement",
        feature = "eval",
        feature = "import",
        feature = "json",
        feature = "policy",
        feature = "shell",
        feature = "table",
        feature = "url",
        feature = "wire"
    )),
    expect(unused_macros, reason = "the properties of paths are all of the core")
)]
macro_rules! ask {
    ($($path:ident)::+) => {{
        const NAME: &str = concat!("fuzz" $(, "::", stringify!($path))+);
        Ask::new(NAME, |bytes| Ask::check(NAME, $crate::$($path)::+, bytes))
    }};
}

/// The properties of a target; none of one that is not built.
#[must_use]
pub fn asks(target: &str) -> Vec<Ask> {
    let mut asks = core_properties(match target {
        "path" => &["path"],
        "shell" => &["shell"],
        "table" => &["table", "decide"],
        "url" => &["net"],
        "wire" => &["wire", "validate", "judge"],
        _ => &[],
    });
    asks.extend(own(target));
    asks
}

/// Those that are about the bytes themselves.
fn own(target: &str) -> Vec<Ask> {
    match target {
        #[cfg(feature = "agreement")]
        "agreement" => vec![ask!(properties::agreement::judges_agree)],
        #[cfg(feature = "eval")]
        "eval" => vec![
            ask!(properties::eval::every_line_has_one_answer),
            ask!(properties::eval::answers_do_not_depend_on_neighbours),
        ],
        #[cfg(feature = "import")]
        "import" => vec![
            ask!(properties::import::any_file_is_a_policy_or_findings),
            ask!(properties::import::a_policy_answers_as_the_file_says),
        ],
        #[cfg(feature = "json")]
        "json" => vec![
            ask!(properties::json::values_are_read_again),
            ask!(properties::json::envelopes_are_read_again),
            ask!(properties::json::results_are_read_again),
            ask!(properties::json::requests_go_there_and_back),
            ask!(properties::json::invocations_are_messages_or_refused),
        ],
        #[cfg(feature = "policy")]
        "policy" => vec![
            ask!(properties::policy::any_file_is_a_model_or_findings),
            ask!(properties::policy::words_are_understood_or_reported),
            ask!(properties::policy::layout_changes_no_word),
            ask!(properties::policy::layout_of_a_layout_is_itself),
        ],
        #[cfg(feature = "shell")]
        "shell" => vec![ask!(properties::shell::dash_runs_what_was_read)],
        #[cfg(feature = "table")]
        "table" => {
            vec![ask!(properties::table::whatever_opens_decides)]
        }
        #[cfg(feature = "url")]
        "url" => vec![ask!(properties::url::what_is_accepted_is_read_alike)],
        #[cfg(feature = "wire")]
        "wire" => vec![
            ask!(properties::wire::what_is_read_prost_reads_alike),
            ask!(properties::wire::owned_messages_break_the_same_rules),
            ask!(properties::wire::whatever_is_permitted_is_valid_and_allowed),
        ],
        _ => Vec::new(),
    }
}
