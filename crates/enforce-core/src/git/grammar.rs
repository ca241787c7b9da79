//! What each operation may be given. An option that is not here is refused.

use super::Verb;

/// The options of an operation, and what its other arguments are.
pub(super) struct Grammar {
    pub(super) options: &'static [Opt],
    pub(super) positionals: Positionals,
    /// Whether `-5` is a number of commits.
    pub(super) counts: bool,
}

pub(super) struct Opt {
    /// With its dashes, in full.
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    pub(super) means: Means,
}

/// What comes after an option.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// Words that git only shows, stores or counts with.
    Text,
    /// Such words, after an equals sign only: git would not look further for them.
    Glued,
    /// A ref to judge.
    Ref,
    /// Such a ref, after an equals sign only.
    GluedRef,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Means {
    Nothing,
    Force,
    All,
}

/// What arguments without dashes are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Positionals {
    Nothing,
    Refs,
    RefsThenPaths,
    Paths,
    UrlThenPath,
    RemoteThenSpecs,
    RemoteThenPushed,
    Stash,
    Remote,
}

impl Positionals {
    /// Whether paths stand after a `--`.
    pub(super) fn has_paths_last(self) -> bool {
        match self {
            Self::Nothing | Self::RefsThenPaths | Self::Paths => true,
            Self::Refs
            | Self::UrlThenPath
            | Self::RemoteThenSpecs
            | Self::RemoteThenPushed
            | Self::Stash
            | Self::Remote => false,
        }
    }
}

pub(super) fn grammar(verb: Verb) -> Grammar {
    let (options, positionals) = match verb {
        Verb::Clone => (CLONE, Positionals::UrlThenPath),
        Verb::Fetch => (FETCH, Positionals::RemoteThenSpecs),
        Verb::Pull => (PULL, Positionals::RemoteThenSpecs),
        Verb::Diff => (DIFF, Positionals::RefsThenPaths),
        Verb::Commit => (COMMIT, Positionals::Nothing),
        Verb::Push => (PUSH, Positionals::RemoteThenPushed),
        Verb::Status => (STATUS, Positionals::Nothing),
        Verb::Log | Verb::Show => (LOG, Positionals::RefsThenPaths),
        Verb::Branch => (BRANCH, Positionals::Refs),
        Verb::Checkout => (CHECKOUT, Positionals::RefsThenPaths),
        Verb::Merge => (MERGE, Positionals::Refs),
        Verb::Rebase => (REBASE, Positionals::Refs),
        Verb::Add => (ADD, Positionals::Paths),
        Verb::Reset => (RESET, Positionals::RefsThenPaths),
        Verb::Stash => (STASH, Positionals::Stash),
        Verb::Tag => (TAG, Positionals::Refs),
        Verb::Remote => (REMOTE, Positionals::Remote),
    };
    Grammar { options, positionals, counts: matches!(verb, Verb::Log | Verb::Show) }
}

const CLONE: &[Opt] = &[valued("--depth"), valued("--branch"), valued("-b"), plain("--single-branch"), plain("-q")];
const FETCH: &[Opt] = &[
    all("--all"),
    all("--tags"),
    all("-t"),
    plain("--no-tags"),
    plain("--prune"),
    plain("-p"),
    valued("--depth"),
    forced("--force"),
    forced("-f"),
    plain("-q"),
];
const PULL: &[Opt] = &[
    plain("--rebase"),
    plain("-r"),
    plain("--no-rebase"),
    plain("--ff-only"),
    plain("--no-ff"),
    plain("--no-edit"),
    all("--all"),
    all("--tags"),
    forced("--force"),
    forced("-f"),
    plain("-q"),
];
const DIFF: &[Opt] = &[
    plain("--cached"),
    plain("--staged"),
    plain("--stat"),
    plain("--name-only"),
    plain("--name-status"),
    plain("--numstat"),
    plain("--shortstat"),
    plain("--patch"),
    plain("-p"),
    plain("--no-color"),
    plain("-w"),
    plain("--ignore-all-space"),
    plain("--exit-code"),
    plain("--quiet"),
    plain("--word-diff"),
    glued("--unified"),
    glued("--diff-filter"),
];
const COMMIT: &[Opt] = &[
    valued("--message"),
    valued("-m"),
    valued("--author"),
    valued("--date"),
    plain("--signoff"),
    plain("-s"),
    plain("--allow-empty"),
    plain("--no-edit"),
    all("--all"),
    all("-a"),
    forced("--amend"),
    plain("-q"),
];
const PUSH: &[Opt] = &[
    all("--all"),
    all("--tags"),
    forced("--force"),
    forced("-f"),
    forced("--force-with-lease"),
    forced("--delete"),
    forced("-d"),
    plain("--set-upstream"),
    plain("-u"),
    plain("--dry-run"),
    plain("-n"),
    plain("--atomic"),
    plain("--porcelain"),
    plain("-q"),
];
const STATUS: &[Opt] = &[
    plain("--porcelain"),
    plain("--short"),
    plain("-s"),
    plain("--branch"),
    plain("-b"),
    plain("--ignored"),
    plain("-z"),
    glued("--untracked-files"),
];
const LOG: &[Opt] = &[
    plain("--oneline"),
    plain("--graph"),
    plain("--decorate"),
    plain("--stat"),
    plain("--patch"),
    plain("-p"),
    plain("--name-only"),
    plain("--name-status"),
    plain("--no-color"),
    plain("--no-merges"),
    plain("--merges"),
    plain("--first-parent"),
    plain("--follow"),
    plain("--reverse"),
    all("--all"),
    valued("--max-count"),
    valued("-n"),
    glued("--format"),
    glued("--pretty"),
    valued("--since"),
    valued("--until"),
    valued("--after"),
    valued("--before"),
    valued("--author"),
    valued("--grep"),
    valued("--date"),
];
const BRANCH: &[Opt] = &[
    plain("--list"),
    plain("-l"),
    all("--all"),
    all("-a"),
    plain("--remotes"),
    plain("-r"),
    plain("-v"),
    plain("-vv"),
    plain("--show-current"),
    plain("--delete"),
    plain("-d"),
    plain("--move"),
    plain("-m"),
    forced("-D"),
    forced("-M"),
    forced("--force"),
    forced("-f"),
    Opt { name: "--contains", takes: Takes::GluedRef, means: Means::Nothing },
    Opt { name: "--merged", takes: Takes::GluedRef, means: Means::Nothing },
    reference("--set-upstream-to"),
];
const CHECKOUT: &[Opt] = &[
    reference("-b"),
    Opt { name: "-B", takes: Takes::Ref, means: Means::Force },
    plain("--track"),
    plain("-t"),
    plain("--no-track"),
    plain("--detach"),
    plain("-d"),
    forced("--force"),
    forced("-f"),
    plain("-q"),
];
const MERGE: &[Opt] = &[
    plain("--no-ff"),
    plain("--ff-only"),
    plain("--squash"),
    plain("--no-commit"),
    plain("--no-edit"),
    plain("--abort"),
    plain("--continue"),
    valued("--message"),
    valued("-m"),
    plain("-q"),
];
const REBASE: &[Opt] = &[
    plain("--autosquash"),
    plain("--no-autosquash"),
    plain("--abort"),
    plain("--continue"),
    plain("--skip"),
    reference("--onto"),
    plain("-q"),
];
const ADD: &[Opt] = &[
    all("--all"),
    all("-A"),
    all("--update"),
    all("-u"),
    forced("--force"),
    forced("-f"),
    plain("--dry-run"),
    plain("-n"),
    plain("--intent-to-add"),
    plain("-N"),
];
const RESET: &[Opt] =
    &[plain("--soft"), plain("--mixed"), forced("--hard"), forced("--merge"), plain("--keep"), plain("-q")];
const STASH: &[Opt] = &[
    valued("--message"),
    valued("-m"),
    plain("--include-untracked"),
    plain("-u"),
    plain("--keep-index"),
    plain("-k"),
    plain("--patch"),
    plain("-p"),
    plain("--stat"),
    all("--all"),
    all("-a"),
    plain("-q"),
];
const TAG: &[Opt] = &[
    plain("--list"),
    plain("-l"),
    plain("--annotate"),
    plain("-a"),
    valued("--message"),
    valued("-m"),
    forced("--delete"),
    forced("-d"),
    forced("--force"),
    forced("-f"),
    Opt { name: "--contains", takes: Takes::GluedRef, means: Means::Nothing },
    Opt { name: "--points-at", takes: Takes::GluedRef, means: Means::Nothing },
];
const REMOTE: &[Opt] = &[plain("-v"), plain("--verbose")];

const fn plain(name: &'static str) -> Opt {
    Opt { name, takes: Takes::Nothing, means: Means::Nothing }
}

const fn valued(name: &'static str) -> Opt {
    Opt { name, takes: Takes::Text, means: Means::Nothing }
}

const fn glued(name: &'static str) -> Opt {
    Opt { name, takes: Takes::Glued, means: Means::Nothing }
}

const fn reference(name: &'static str) -> Opt {
    Opt { name, takes: Takes::Ref, means: Means::Nothing }
}

const fn forced(name: &'static str) -> Opt {
    Opt { name, takes: Takes::Nothing, means: Means::Force }
}

const fn all(name: &'static str) -> Opt {
    Opt { name, takes: Takes::Nothing, means: Means::All }
}
