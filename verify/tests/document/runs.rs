//! `runs.toml` -> runs of the model checker.

use std::fmt;

use crate::text::kind;
use serde::Deserialize;

/// A run that somebody made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// The property.
    pub(crate) harness: String,
    /// The kind of cases that it was about.
    pub(crate) case: String,
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) kani: String,
    pub(crate) result: Outcome,
    pub(crate) seconds: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Outcome {
    #[serde(rename = "verified")]
    Verified,
    #[serde(rename = "failed")]
    Failed,
    #[serde(rename = "timed out")]
    TimedOut,
    #[serde(rename = "vacuous")]
    Vacuous,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    run: Vec<Run>,
}

/// Reads the file.
pub(crate) fn read(text: &str) -> Result<Vec<Run>, toml::de::Error> {
    Ok(toml::from_str::<File>(text)?.run)
}

/// The last run of a harness's present case: what came before it, or was about something else, is no longer said.
pub(crate) fn last<'a>(runs: &'a [Run], harness: &str, case: &str) -> Option<&'a Run> {
    let is_about_it = |run: &&Run| run.harness == harness && kind(&run.case) == kind(case);
    runs.iter().rev().find(is_about_it)
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Verified => "verified",
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::Vacuous => "vacuous",
        })
    }
}

mod tests {
    use super::*;
    use verify::PROPERTIES;

    fn recorded(harness: &str, case: &str, result: &str) -> String {
        format!(
            "[[run]]\nharness = \"{harness}\"\ncase = \"{case}\"\ndate = \"2026-01-02\"\ncommit = \"0123\"\n\
             kani = \"0.67.0\"\nresult = \"{result}\"\nseconds = 7\n"
        )
    }

    #[test]
    fn runs_are_read_with_their_results() {
        for result in ["verified", "failed", "timed out", "vacuous"] {
            let runs = read(&recorded("path::a", "Two<3>", result)).unwrap();
            assert_eq!((runs[0].harness.as_str(), runs[0].result.to_string().as_str()), ("path::a", result));
        }
        assert_eq!(read("# nothing\n").unwrap(), []);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(read(&recorded("path::a", "Two<3>", "proved")).unwrap_err().to_string().contains("proved"));
        assert!(read("[[run]]\nwho = \"me\"\n").is_err());
        assert!(read("[[runs]]\n").is_err());
        assert!(read(&recorded("path::a", "Two<3>", "verified").replace("seconds = 7\n", "")).is_err());
    }

    #[test]
    fn the_last_run_of_the_present_case_counts() {
        let property = &PROPERTIES[0];
        let texts = [("verified", property.proof), ("failed", property.proof), ("verified", "Other<1>")];
        let text: String = texts.iter().map(|(result, case)| recorded(&property.path(), case, result)).collect();
        let runs = read(&text).unwrap();
        let found = last(&runs, &property.path(), property.proof);
        assert_eq!(found.map(|run| run.result), Some(Outcome::Failed));
        assert_eq!(last(&runs, &PROPERTIES[1].path(), PROPERTIES[1].proof), None);
        assert_eq!(last(&runs, &format!("{}::split", property.path()), property.proof), None);
    }
}
