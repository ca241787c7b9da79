//! The long help of policyc and its commands: what a manual page would say.

pub(crate) const ABOUT: &str = "\
policyc checks, explains and lays out Interdict policies: files that say which tool calls an AI agent may make.

Silence forbids: what no policy allows does not happen. policyc tells authors what a policy really says, and CI whether \
a change may be merged.";

pub(crate) const POLICYC: &str = "\
EXAMPLES
  policyc init                          write a first policy, interdict.policy
  policyc check interdict.policy        find mistakes in it
  policyc fmt --write interdict.policy  bring it into its one layout
  policyc explain-code E0201            read about a kind of finding

EXIT CODES
  0  fine
  1  there are findings at the fail level, or files that are not laid out
  2  could not run: wrong arguments, or a file that cannot be read or written

ENVIRONMENT
  NO_COLOR        when set and not empty, `--color auto` never colours
  CLICOLOR_FORCE  when set and not empty, `--color auto` colours even what is piped

`policyc COMMAND --help` says more about each command.";

pub(crate) const CHECK_ABOUT: &str = "\
Finds mistakes in policies: text that is not of the language, names that do not exist, attributes an operation does \
not have, patterns that no value can have, tests that do not hold.

All findings of a policy and of the files it imports are reported, not only the first. They are printed on the standard \
output, ordered by file and place, with a summary on the last line. A file may have at most 1 MiB; after 1,000 errors \
or 1,000 warnings the rest is not shown.";

pub(crate) const CHECK: &str = "\
EXAMPLES
  policyc check interdict.policy
  policyc check --fail-level warning policies/*.policy
  policyc check --format sarif policies/*.policy > policies.sarif
  policyc check --format json interdict.policy | jq '.findings[].code'

FORMATS
  human   source lines with marks under them
  json    {\"findings\":[{\"code\",\"severity\",\"message\",\"file\",\"line\",\"column\",
          \"end_line\",\"end_column\",\"help\"}],\"summary\":{\"errors\",\"warnings\"}}
  sarif   a SARIF 2.1.0 log, for code scanning
  github  workflow commands that annotate the lines of a pull request
  junit   a test suite for each file, a failed case for each finding
  Lines and columns count from 1, columns in characters; an end is the place after the last character.

EXIT CODES
  0  no finding at the fail level
  1  findings at the fail level or above it
  2  could not run: wrong arguments, or a policy that cannot be read

ENVIRONMENT
  NO_COLOR  when set and not empty, `--color auto` never colours";

pub(crate) const FMT_ABOUT: &str = "\
Brings policies into their one layout. Only white space and the breaking of lines change, never what a policy says; \
comments stay where they are.

Without an option the formatted text of one file, or of the standard input, is printed. A file with a syntax error is \
never changed: its findings are shown on the standard error.";

pub(crate) const FMT: &str = "\
EXAMPLES
  policyc fmt interdict.policy            print it formatted
  policyc fmt --write policies/*.policy   rewrite the files that need it
  policyc fmt --check policies/*.policy   fail when a file needs it, for CI
  policyc fmt < draft.policy              as a filter, for editors

EXIT CODES
  0  every file is laid out, or has been
  1  --check: a file would change; or a file has syntax errors
  2  could not run: wrong arguments, or a file that cannot be read or written

ENVIRONMENT
  NO_COLOR  when set and not empty, `--color auto` never colours";

pub(crate) const INIT_ABOUT: &str = "\
Writes a first policy to start from: two roles, a set of paths, rules to read, write and run commands, a denial, and a \
test for each rule. A file that is there already is left alone.";

pub(crate) const INIT: &str = "\
EXAMPLES
  policyc init
  policyc init policies/agent.policy
  policyc init --force interdict.policy

EXIT CODES
  0  the policy has been written
  2  it has not: the file exists, or cannot be written";

pub(crate) const EXPLAIN_CODE_ABOUT: &str = "\
Explains a kind of finding by its code: what it means, a policy that has it, and the same intention done right. A code \
never changes its meaning.";

pub(crate) const EXPLAIN_CODE: &str = "\
EXAMPLES
  policyc explain-code E0201
  policyc explain-code            list all codes

EXIT CODES
  0  the code has been explained
  2  there is no such code";

pub(crate) const COMPLETIONS_ABOUT: &str = "\
Prints a script that makes a shell complete policyc's commands and options.";

pub(crate) const COMPLETIONS: &str = "\
EXAMPLES
  policyc completions bash > ~/.local/share/bash-completion/completions/policyc
  policyc completions zsh > ~/.zfunc/_policyc
  policyc completions fish > ~/.config/fish/completions/policyc.fish

EXIT CODES
  0  the script has been printed
  2  could not run: there is no such shell";
