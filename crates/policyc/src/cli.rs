//! Arguments -> a typed command. What a command does is in `commands`, its long help in `help`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use policy_syntax::Severity;

use crate::help;

/// The policy compiler for the tool calls of AI agents
#[derive(Debug, Parser)]
#[command(name = "policyc", version, long_about = help::ABOUT, after_long_help = help::POLICYC)]
#[command(max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to colour what people read
    ///
    /// `auto` colours on a terminal, and never when NO_COLOR is set to anything but the empty string.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto, display_order = 900)]
    pub(crate) color: Color,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Find mistakes in policies
    #[command(long_about = help::CHECK_ABOUT, after_long_help = help::CHECK)]
    Check(CheckArgs),

    /// Bring policies into their one layout
    #[command(long_about = help::FMT_ABOUT, after_long_help = help::FMT)]
    Fmt(FmtArgs),

    /// Write a first policy to start from
    #[command(long_about = help::INIT_ABOUT, after_long_help = help::INIT)]
    Init(InitArgs),

    /// Explain a kind of finding, with an example
    #[command(long_about = help::EXPLAIN_CODE_ABOUT, after_long_help = help::EXPLAIN_CODE)]
    ExplainCode(ExplainCodeArgs),

    /// Print a completion script for a shell
    #[command(long_about = help::COMPLETIONS_ABOUT, after_long_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Policies to check
    ///
    /// Each is checked on its own, together with what it imports. What several of them report
    /// about a file they share is shown once.
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// How to print the findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// The least finding that makes the exit code 1
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailLevel::Error)]
    pub(crate) fail_level: FailLevel,

    /// Let imports name files outside the policy's folder
    ///
    /// Without it, `use "../team.policy"` is an error: a policy and what it imports are reviewed together.
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FmtArgs {
    /// Policies to format; `-` or none is the standard input
    #[arg(value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,

    /// Rewrite the files in place
    ///
    /// A file is replaced as a whole and keeps its permissions. One that is laid out already is not
    /// touched, nor is one with a syntax error.
    #[arg(long, conflicts_with = "check")]
    pub(crate) write: bool,

    /// Write nothing; list the files that would change and exit with 1 when there is one
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Where to write the policy
    #[arg(value_name = "PATH", default_value = "interdict.policy")]
    pub(crate) path: PathBuf,

    /// Replace a file that is there already
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainCodeArgs {
    /// The code of the finding, such as E0201; without one, all codes are listed
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that will read the script
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: source lines with marks under them
    Human,
    /// One JSON object with all findings and their number
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands that annotate a pull request on GitHub
    Github,
    /// JUnit XML, one test case for each finding
    Junit,
}

/// When findings are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// From which finding on a check fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailLevel {
    /// Warnings and errors
    Warning,
    /// Errors only
    Error,
}

impl FailLevel {
    pub(crate) fn is_reached_by(self, severity: Severity) -> bool {
        match self {
            Self::Warning => severity >= Severity::Warning,
            Self::Error => severity >= Severity::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_note_never_fails_a_run() {
        let table: Vec<_> = [Severity::Note, Severity::Warning, Severity::Error]
            .into_iter()
            .map(|severity| (FailLevel::Warning.is_reached_by(severity), FailLevel::Error.is_reached_by(severity)))
            .collect();
        assert_eq!(table, [(false, false), (true, false), (true, true)]);
    }
}
