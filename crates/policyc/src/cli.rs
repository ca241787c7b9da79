//! Arguments -> a typed command. The commands are in `commands`, their long help in `help`.

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

    /// Freeze a policy into a table
    #[command(long_about = help::BUILD_ABOUT, after_long_help = help::BUILD)]
    Build(BuildArgs),

    /// Judge requests, one JSON object a line
    #[command(long_about = help::EVAL_ABOUT, after_long_help = help::EVAL)]
    Eval(EvalArgs),

    /// Show what is in a table
    #[command(long_about = help::INSPECT_ABOUT, after_long_help = help::INSPECT)]
    Inspect(InspectArgs),

    /// Run the tests of policies against their tables
    #[command(long_about = help::TEST_ABOUT, after_long_help = help::test())]
    Test(TestArgs),

    /// Say why a request is allowed, asked or denied
    #[command(long_about = help::EXPLAIN_ABOUT, after_long_help = help::EXPLAIN)]
    Explain(ExplainArgs),

    /// Make a policy of the rules of another tool
    #[command(long_about = help::IMPORT_ABOUT, after_long_help = help::IMPORT)]
    Import(ImportArgs),

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
pub(crate) struct BuildArgs {
    /// The policy to freeze
    #[arg(value_name = "POLICY")]
    pub(crate) policy: PathBuf,

    /// Where to write: a directory, or the start of the files' names
    ///
    /// In an existing directory, or below a path that ends with `/`, the files are named after the policy. Without
    /// this option they are written beside it.
    #[arg(short, long, value_name = "DIR|STEM")]
    pub(crate) output: Option<PathBuf>,

    /// Write the policy as Cedar policies and a schema too
    ///
    /// For large policies this takes several times as long as the table.
    #[arg(long)]
    pub(crate) cedar: bool,

    /// Write nothing; compare with the existing files and exit with 1 when one differs
    #[arg(long)]
    pub(crate) check: bool,

    /// How to print what was done
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = BuildFormat::Human)]
    pub(crate) format: BuildFormat,

    /// Let imports name files outside the policy's folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// A policy, or a table that was built of one: the answers are the same
    #[arg(value_name = "POLICY|TABLE")]
    pub(crate) policy: PathBuf,

    /// The requests, one JSON object a line; `-` is the standard input
    #[arg(long, value_name = "FILE|-")]
    pub(crate) requests: PathBuf,

    /// The workspace root, from which paths are judged
    ///
    /// It is not looked at: a path is inside when its components say so.
    #[arg(long, value_name = "DIR", default_value = "/workspace")]
    pub(crate) root: String,

    /// Say what a permitted act is bound to: requirements, limits and budgets
    #[arg(long)]
    pub(crate) obligations: bool,

    /// Exit with 1 when a request is denied
    #[arg(long)]
    pub(crate) fail_on_deny: bool,

    /// Let imports name files outside the policy's folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// A table, or a policy, which is frozen for it and not written
    #[arg(value_name = "TABLE|POLICY")]
    pub(crate) file: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,

    /// Let imports name files outside the policy's folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Policies to test
    #[arg(required = true, value_name = "POLICY")]
    pub(crate) files: Vec<PathBuf>,

    /// Run only tests with this text in their names
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,

    /// Say which rules decide a test, and which branches no test has seen
    #[arg(long)]
    pub(crate) coverage: bool,

    /// Exit with 1 when less than so many per cent of the branches are covered
    ///
    /// Only branches of the policy's own rules count, unless --include-packs is given; a rule that decides no
    /// test lacks at least the branch of its effect.
    #[arg(long, value_name = "N", requires = "coverage", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) threshold: Option<u8>,

    /// Count the rules of rule packs too
    #[arg(long, requires = "coverage")]
    pub(crate) include_packs: bool,

    /// How to print what was found
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Human)]
    pub(crate) format: Format,

    /// Let imports name files outside the policy's folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("asked").required(true)))]
pub(crate) struct ExplainArgs {
    /// The policy that decides
    #[arg(value_name = "POLICY")]
    pub(crate) policy: PathBuf,

    /// The request, in the words of a test: roles, operation, facts
    #[arg(value_name = "WORDS", group = "asked")]
    pub(crate) words: Vec<String>,

    /// The request as `eval` takes it, one JSON object
    #[arg(long, value_name = "JSON", group = "asked")]
    pub(crate) request: Option<String>,

    /// The request of this test of the policy
    #[arg(long, value_name = "NAME", group = "asked")]
    pub(crate) test: Option<String>,

    /// With --request: the workspace root, from which paths are judged
    #[arg(long, value_name = "DIR", default_value = "/workspace")]
    pub(crate) root: String,

    /// Exit with 1 when the request is denied
    #[arg(long)]
    pub(crate) fail_on_deny: bool,

    /// How to print the explanation
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ExplainFormat::Human)]
    pub(crate) format: ExplainFormat,

    /// Let imports name files outside the policy's folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file to import; `-` is the standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Whose rules the file holds; without it, the end of its name says so
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) from: Option<ImportFormat>,

    /// Where to write the policy; without it, it is printed
    #[arg(short, long, value_name = "PATH")]
    pub(crate) output: Option<PathBuf>,

    /// Replace a file that is there already
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// What the policy is called
    #[arg(long, value_name = "NAME", default_value = "imported", value_parser = name)]
    pub(crate) name: String,

    /// Whom it is about
    #[arg(long, value_name = "ROLE", default_value = "agent", value_parser = name)]
    pub(crate) role: String,

    /// How to print the findings
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = BuildFormat::Human)]
    pub(crate) format: BuildFormat,

    /// The least finding that makes the exit code 1; then nothing is written
    #[arg(long, value_enum, value_name = "LEVEL", default_value_t = FailLevel::Error)]
    pub(crate) fail_level: FailLevel,
}

/// A name of the language, in kebab-case.
fn name(written: &str) -> Result<String, &'static str> {
    match policy_import::is_plain_name(written) {
        true => Ok(written.to_owned()),
        false => Err("a name has small letters, digits and single hyphens, starts with a letter and is no keyword"),
    }
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

/// How `build` says what it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildFormat {
    /// For people
    Human,
    /// One JSON object
    Json,
}

/// What `import` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// A registry of version 1, in YAML
    Registry,
    /// `tool_rules` in TOML
    ToolRules,
    /// The settings of Claude Code, in JSON
    ClaudeCode,
    /// The rules of Codex, in Starlark
    Codex,
}

/// How `explain` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExplainFormat {
    /// For people: source lines with marks under them
    Human,
    /// One JSON object
    Json,
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
