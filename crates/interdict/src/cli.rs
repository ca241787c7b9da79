//! Arguments -> a typed command.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs the tool calls of AI agents under a policy, in a sandbox, and records them
#[derive(Debug, Parser)]
#[command(name = "interdict", version, max_term_width = 100, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Answer requests from standard input, one JSON object per line
    ///
    /// A line is an envelope of the tool runtime (`{"type":"ToolRequest", …}`) or an invocation
    /// (`{"tool":"filesystem","action":"read_file","args":{"path":"README.md"}}`). Each line is answered, in order, with a line of
    /// the same shape. All requests belong to one session of the program; session ids in requests are ignored.
    Run(RunArgs),

    /// Test each layer of the sandbox on this machine
    ///
    /// Exits with 1 when a layer is missing.
    Doctor(DoctorArgs),

    /// Print or verify the ledger
    #[command(subcommand)]
    Ledger(LedgerCommand),
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// A policy or a frozen table; with several, all of them must allow a request
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) policy: Vec<PathBuf>,

    /// The existing directory that requests are confined to (required)
    // Not required by clap: a missing root has an error of its own (INVOKE-ROOT).
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// A role of the session
    #[arg(long, value_name = "NAME")]
    pub(crate) role: Vec<String>,

    /// The directory for sessions, the ledger and large results
    ///
    /// The default is `interdict` in $XDG_STATE_HOME, or in ~/.local/state.
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// The working directory, relative to the root
    #[arg(long, value_name = "PATH", default_value = "")]
    pub(crate) cwd: String,

    /// An operation that the session may use, such as `file.read` or `fs.*`; all by default
    #[arg(long, value_name = "OPERATION")]
    pub(crate) lease: Vec<String>,

    /// A directory of programs that commands may run, searched before the system's directories
    ///
    /// It must not overlap with the root or the state. A toolchain needs the directory of its libraries too.
    #[arg(long, value_name = "DIR")]
    pub(crate) programs: Vec<PathBuf>,

    /// An environment variable of every command, and the file with its value
    ///
    /// One line break at the end of the file is ignored. Any command that is allowed can read the value.
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) secret: Vec<String>,

    /// An environment variable that requests may set for their commands, besides the harmless ones such as LANG
    #[arg(long, value_name = "NAME")]
    pub(crate) request_env: Vec<String>,

    /// Run commands even if this layer of the sandbox is missing
    #[arg(long, value_name = "LAYER")]
    pub(crate) accept_missing: Vec<String>,

    /// How to treat symbolic links
    #[arg(long, value_enum, default_value_t = Links::Follow)]
    pub(crate) links: Links,
}

/// The treatment of symbolic links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Links {
    /// Follow them inside the root, if their target is allowed too
    Follow,
    /// Refuse them
    Refuse,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Accept that this layer is missing
    #[arg(long, value_name = "LAYER")]
    pub(crate) accept_missing: Vec<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerCommand {
    /// Find records that were changed, removed, reordered or inserted
    ///
    /// Exits with 1 when it finds one.
    Verify(VerifyArgs),

    /// Print the records: each request, the decision with its facts, and the result
    Show(ShowArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The directory of the ledger
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// Print only the records of this session; 0 is for checkpoints and requests without a session
    #[arg(long, value_name = "NUMBER")]
    pub(crate) session: Option<u64>,

    /// The output format; JSON has one object per line
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The directory of the ledger
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,

    /// The digest that the last run printed at its end
    #[arg(long, value_name = "DIGEST")]
    pub(crate) expect: Option<String>,

    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Human,
    Json,
}
