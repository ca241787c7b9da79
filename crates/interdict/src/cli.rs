//! Arguments -> a typed command.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs the tool calls of AI agents under a policy: sandboxed, once, on the record
#[derive(Debug, Parser)]
#[command(name = "interdict", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer requests, one JSON object a line, in one session
    ///
    /// A line is an envelope of the tool runtime (`{"type":"ToolRequest", …}`) or an invocation
    /// (`{"tool":"filesystem","action":"read_file","args":{"path":"README.md"}}`); the answer is a line of the same shape. Lines
    /// are answered in their order. The session is the program's own, whatever a line names.
    Run(RunArgs),

    /// Try what each layer of the sandbox has to stop
    ///
    /// Exits with 1 when a layer is missing.
    Doctor(DoctorArgs),

    /// Look at the ledger
    #[command(subcommand)]
    Ledger(LedgerCommand),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A policy or a frozen table; of several, all have to agree
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,

    /// The folder that everything has to lie in; without one nothing runs
    // Not required here: that none is given is an error of its own, and not one of usage (INVOKE-ROOT).
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// A role that the session holds
    #[arg(long, value_name = "NAME")]
    pub(crate) role: Vec<String>,

    /// Where sessions, the ledger and large results are kept
    ///
    /// Unless said, `interdict` in $XDG_STATE_HOME, or in ~/.local/state.
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// Where relative paths start, from the root on
    #[arg(long, value_name = "PATH", default_value = "")]
    pub(crate) cwd: String,

    /// An operation that the session's lease covers, such as `file.read` or `fs.*`; unless said, every one
    #[arg(long, value_name = "OPERATION")]
    pub(crate) lease: Vec<String>,

    /// A folder in which commands find programs before the system's, and which they may read and execute
    ///
    /// It must not overlap with the root or the state. A toolchain needs the folder of its libraries named too.
    #[arg(long, value_name = "DIR")]
    pub(crate) programs: Vec<PathBuf>,

    /// A variable of every command, and the file that has its value
    ///
    /// A line break at its end is not part of it. Whoever may run a command that prints its variables can read it.
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) secret: Vec<String>,

    /// A variable that requests may set for their commands, beside those that only change how a program talks
    #[arg(long, value_name = "NAME")]
    pub(crate) request_env: Vec<String>,

    /// Run commands although this layer of the sandbox cannot be enforced
    #[arg(long, value_name = "LAYER")]
    pub(crate) accept_missing: Vec<String>,

    /// What becomes of symbolic links
    #[arg(long, value_enum, default_value_t = Links::Follow)]
    pub(crate) links: Links,
}

/// What becomes of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Links {
    /// Followed inside the root, if what they lead to is allowed too
    Follow,
    /// Refused
    Refuse,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// A layer that may be missing
    #[arg(long, value_name = "LAYER")]
    pub(crate) accept_missing: Vec<String>,

    /// How to print the report
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Find every record that was changed, removed, reordered or inserted
    ///
    /// Exits with 1 when there is one.
    Verify(VerifyArgs),

    /// Print the records: who asked for what, what was decided by which facts, and what came of it
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Where the ledger is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// The records of this session alone; 0 for requests of no session, and for checkpoints
    #[arg(long, value_name = "NUMBER")]
    pub(crate) session: Option<u64>,

    /// How to print them: JSON is one object a line
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Where the ledger is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// The digest that was printed when the ledger was last closed
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect: Option<String>,

    /// How to print what is found
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}
