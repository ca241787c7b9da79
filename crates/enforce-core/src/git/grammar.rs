//! What each operation may be given. An option that is not here is refused.

use super::Verb;

/// The options of an operation, and what its other arguments are.
pub(super) struct Grammar {
    /// With their dashes, in full, a blank between them. Marks after a name say what it takes and what it means:
    ///
    /// - `:` words that git only shows, stores or counts with
    /// - `=` such words, after an equals sign only: git would not look further for them
    /// - `@` a revision to judge, `=@` one after an equals sign only
    /// - `^` a branch to judge, which is changed
    /// - `!` something is overwritten or thrown away
    /// - `*` everything there is
    /// - `~` every branch or tag that is named is changed, not the first alone
    /// - `>` the same, and there are two of them
    /// - `<` what is named is something else than a branch of ours
    options: &'static str,
    pub(super) positionals: Positionals,
    /// Whether `-5` is a number of commits.
    pub(super) counts: bool,
}

/// An option that is known.
#[derive(Clone, Copy)]
pub(super) struct OptionSpec {
    pub(super) takes: Takes,
    pub(super) is_glued: bool,
    pub(super) is_force: bool,
    pub(super) is_all: bool,
    pub(super) changes: Changes,
}

/// What is done to the branches or tags that are named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    /// The first is made, from what is named after it.
    First,
    /// Each is removed.
    Each,
    /// One becomes the other.
    Both,
    /// Nothing: they are others' branches.
    Nothing,
}

/// What comes after an option.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    Text,
    Ref,
    Branch,
}

impl Grammar {
    /// The option of that name.
    pub(super) fn option(&self, name: &str) -> Option<OptionSpec> {
        let is_mark = |byte: &u8| b":=@^!*~><".contains(byte);
        if name.as_bytes().iter().any(is_mark) {
            return None;
        }
        let marks = self.options.as_bytes().split(|byte| *byte == b' ').find_map(|option| {
            let marks = option.starts_with(name.as_bytes()).then_some(option.get(name.len()..))??;
            marks.iter().all(is_mark).then_some(marks)
        })?;
        let has = |mark: u8| marks.contains(&mark);
        let takes = if has(b'@') {
            Takes::Ref
        } else if has(b'^') {
            Takes::Branch
        } else if has(b':') || has(b'=') {
            Takes::Text
        } else {
            Takes::Nothing
        };
        let changes = match marks.last() {
            Some(b'~') => Changes::Each,
            Some(b'>') => Changes::Both,
            Some(b'<') => Changes::Nothing,
            _ => Changes::First,
        };
        Some(OptionSpec { takes, is_glued: has(b'='), is_force: has(b'!'), is_all: has(b'*'), changes })
    }
}

/// What is done with the stash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stash {
    Push,
    Show,
    /// Apply, pop or drop one entry.
    Take,
    /// List or clear all of them.
    Other,
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
    /// The branch or tag that is changed, then what it is made from.
    BranchThenRefs,
    TagThenRefs,
    /// What is built upon, then the branch that is built anew.
    RefThenBranch,
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
            | Self::BranchThenRefs
            | Self::TagThenRefs
            | Self::RefThenBranch
            | Self::Remote => false,
        }
    }
}

/// The grammar of an operation, and for the stash of the word that says what is done with it.
pub(super) fn grammar(verb: Verb, stash: Stash) -> Grammar {
    let (options, positionals) = match verb {
        Verb::Clone => (CLONE, Positionals::UrlThenPath),
        Verb::Fetch => (FETCH, Positionals::RemoteThenSpecs),
        Verb::Pull => (PULL, Positionals::RemoteThenSpecs),
        Verb::Diff => (DIFF, Positionals::RefsThenPaths),
        Verb::Commit => (COMMIT, Positionals::Nothing),
        Verb::Push => (PUSH, Positionals::RemoteThenPushed),
        Verb::Status => (STATUS, Positionals::Nothing),
        Verb::Log | Verb::Show => (LOG, Positionals::RefsThenPaths),
        Verb::Branch => (BRANCH, Positionals::BranchThenRefs),
        Verb::Checkout => (CHECKOUT, Positionals::RefsThenPaths),
        Verb::Merge => (MERGE, Positionals::Refs),
        Verb::Rebase => (REBASE, Positionals::RefThenBranch),
        Verb::Add => (ADD, Positionals::Paths),
        Verb::Reset => (RESET, Positionals::RefsThenPaths),
        Verb::Stash => match stash {
            Stash::Push => (STASH_PUSH, Positionals::Paths),
            Stash::Show => (STASH_SHOW, Positionals::Refs),
            Stash::Take => (STASH_TAKE, Positionals::Refs),
            Stash::Other => ("", Positionals::Nothing),
        },
        Verb::Tag => (TAG, Positionals::TagThenRefs),
        Verb::Remote => (REMOTE, Positionals::Remote),
    };
    Grammar { options, positionals, counts: matches!(verb, Verb::Log | Verb::Show) }
}

const CLONE: &str = "--depth: --branch@ -b@ --single-branch -q";
const FETCH: &str = "--all* --tags* -t* --no-tags --prune! -p! --depth: --force! -f! -q";
const PULL: &str = "--rebase -r --no-rebase --ff-only --no-ff --no-edit --all* --tags* --force! -f! -q";
const DIFF: &str = "\
    --cached --staged --stat --name-only --name-status --numstat --shortstat --patch -p --no-color \
    -w --ignore-all-space --exit-code --quiet --word-diff --unified= --diff-filter=";
const COMMIT: &str = "\
    --message: -m: --author: --date: --signoff -s --allow-empty --no-edit --all* -a* --amend! -q";
const PUSH: &str = "\
    --all* --tags* --force! -f! --force-with-lease! --delete! -d! --set-upstream -u --dry-run -n \
    --atomic --porcelain -q";
const STATUS: &str = "--porcelain --short -s --branch -b --ignored -z --untracked-files=";
// No `--follow`: it leaves the path that was judged for the one that a file had before.
const LOG: &str = "\
    --oneline --graph --decorate --stat --patch -p --name-only --name-status --no-color --no-merges \
    --merges --first-parent --reverse --all* --max-count: -n: --format= --pretty= --since: \
    --until: --after: --before: --author: --grep: --date:";
const BRANCH: &str = "\
    --list -l --all* -a* --remotes< -r< -v -vv --show-current --delete!~ -d!~ --move!> -m!> -D!~ -M!> \
    --force! -f! --contains=@ --merged=@ --set-upstream-to@";
const CHECKOUT: &str = "-b^ -B^! --track< -t< --no-track --detach -d --force! -f! -q";
const MERGE: &str = "\
    --no-ff --ff-only --squash --no-commit --no-edit --abort! --continue --message: -m: -q";
const REBASE: &str = "--autosquash --no-autosquash --abort! --continue --skip! --onto@ -q";
const ADD: &str = "--all* -A* --update* -u* --force! -f! --dry-run -n --intent-to-add -N";
const RESET: &str = "--soft --mixed --hard! --merge! --keep -q";
// Git hands options of `list` and `show` to other commands, where some of them take no value.
const STASH_PUSH: &str = "--message: -m: --include-untracked -u --keep-index -k --all* -a* -q";
const STASH_SHOW: &str = "--stat --patch -p";
const STASH_TAKE: &str = "--index -q";
const TAG: &str = "\
    --list -l --annotate -a --message: -m: --delete!~ -d!~ --force! -f! --contains=@ --points-at=@";
const REMOTE: &str = "-v --verbose";
