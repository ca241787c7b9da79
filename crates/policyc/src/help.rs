//! The long help of policyc and its commands: what a manual page would say.

use policy_judge::FILLED_IN;

pub(crate) const ABOUT: &str = "\
policyc checks, explains and lays out Interdict policies: files that say which tool calls an AI agent may make.

Silence forbids: what no policy allows does not happen. policyc tells authors what a policy really says, and CI whether \
a change may be merged.";

pub(crate) const POLICYC: &str = "\
EXAMPLES
  policyc init                          write a first policy, interdict.policy
  policyc import registry.yaml          make a policy of another tool's rules
  policyc check interdict.policy        find mistakes in it
  policyc fmt --write interdict.policy  bring it into its one layout
  policyc test interdict.policy         run its tests against its table
  policyc build interdict.policy        freeze it into interdict.table
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

pub(crate) const BUILD_ABOUT: &str = "\
Freezes a policy into NAME.table, from which requests are judged, and NAME.manifest.json, which maps the numbers of the \
table to rules and lines. With --cedar it also writes NAME.cedar and NAME.cedarschema, the same policy for Cedar. NAME \
is the name of the policy's file.

Either all files are written or none. The same sources give the same bytes on every machine and in every directory; the \
BLAKE3 digest on the last line names the table.";

pub(crate) const BUILD: &str = "\
EXAMPLES
  policyc build interdict.policy            write interdict.table and its manifest beside it
  policyc build --cedar interdict.policy    write interdict.cedar and interdict.cedarschema too
  policyc build -o out/ interdict.policy    write out/interdict.table …
  policyc build -o out/prod agent.policy    write out/prod.table …
  policyc build --check interdict.policy    fail when the files are not up to date, for CI
  policyc build --format json interdict.policy | jq -r .build.blake3

FORMATS
  human  a line for each file, then the digest
  json   {\"findings\":[…],\"summary\":{\"errors\",\"warnings\"},\"build\":{\"policy\",\"blake3\",\"sources\",
         \"files\":[{\"path\",\"bytes\",\"state\",\"difference\"}]}}; findings as `check` prints them, `build` is
         null when there are errors, a state is written, same, differs or missing

EXIT CODES
  0  all files have been written, or --check found them up to date
  1  the policy has errors, or --check found a file that differs or is missing
  2  could not run: wrong arguments, or a file that cannot be read or written";

pub(crate) const EVAL_ABOUT: &str = "\
Judges requests, one JSON object a line, and prints a verdict for each, one a line and in the same order. A policy is \
frozen in memory first, so that a policy and its table give the same answers.

A line has `op`, may have `id` (a string or a number, repeated in the answer) and `roles` (a list), and has the fields \
of the request by the names that rules have for them. Sizes are in bytes, times in milliseconds, decimals in \
hundredths. The request is judged as the executor judges it, limits of the protocol included.";

pub(crate) const EVAL: &str = "\
EXAMPLES
  policyc eval interdict.policy --requests requests.jsonl
  policyc eval interdict.table --requests - --fail-on-deny < requests.jsonl
  {\"id\":1,\"roles\":[\"coder\"],\"op\":\"file.read\",\"path\":\"src/main.rs\",\"bytes\":4096}
  {\"id\":2,\"roles\":[\"coder\"],\"op\":\"shell.exec\",\"line\":\"git log && rm -rf /\",\"timeout\":60000}
  {\"id\":3,\"roles\":[\"coder\"],\"op\":\"http.request\",\"method\":\"GET\",\"url\":\"https://docs.rs/\"}

READING
  What rules ask about and no field says is read from a field: command, subcommand and complex from
  `line`; host, scheme, port and url-path from `url`; name and extension from `path`; the bytes of a
  write from `content`; path, ref, remote, url, force and all of git from `args`, a list.
  A move or a copy has `src` and `dst`; `env`, `headers` and `metadata` are objects of strings.
  A request that the executor refuses before it asks a policy is denied by `default-deny`.
  An operation with an attribute `id`, `op` or `roles` cannot be asked for.

ANSWERS
  {\"id\",\"verdict\",\"rule\",\"code\"} and, where there is one: \"target\", which of several decided,
  or the text that is denied before any rule is asked; \"because\", the reason of the rule or of
  that denial; \"limit\":{\"attribute\",\"most\"}, what was exceeded. With --obligations a permission
  also has \"requirements\", \"limits\" and \"budgets\".
  {\"id\",\"error\",\"line\"} for a line that is no request; the lines after it are judged all the same.

EXIT CODES
  0  every line has a verdict
  1  --fail-on-deny: a request was denied
  2  a line was no request; or could not run: wrong arguments, a policy with errors, a bad table";

pub(crate) const INSPECT_ABOUT: &str = "\
Shows what is in a table: its digests and sections, rules by effect, roles and budgets, the automata (lanes) with \
their states, the nodes of the decision diagram, and what is walked and asked for each operation.

All is counted from the table itself, after its digest and every row have been checked. A lane marked `split` is one of \
several that an attribute needs because its patterns did not fit into few: judging is exact, and slower.";

pub(crate) const INSPECT: &str = "\
EXAMPLES
  policyc inspect interdict.table
  policyc inspect interdict.policy
  policyc inspect --json interdict.table | jq '.lanes[] | select(.split)'

EXIT CODES
  0  the table has been shown
  2  could not run: no such file, a policy with errors, or a table that is not whole";

/// The help of `policyc test`, with the table of what is filled in.
pub(crate) fn test() -> String {
    let row = |(operation, field, value): &(&str, &str, &str)| format!("  {operation:17} {field:15} {value}\n");
    TEST.replace("{FILLED_IN}", &FILLED_IN.iter().map(row).collect::<String>())
}

pub(crate) const TEST_ABOUT: &str = "\
Runs the tests of policies: each policy is checked and frozen, and each `test` statement of its own file is judged by \
the frozen table, which is what enforces the policy. Each test that fails is a finding at its expectation.";

const TEST: &str = "\
EXAMPLES
  policyc test interdict.policy
  policyc test --filter push policies/*.policy
  policyc test --coverage --threshold 80 interdict.policy
  policyc test --format junit policies/*.policy > tests.xml

REQUESTS
  A test is judged as the bytes of a request that has its facts. What a request needs and a test does
  not state is filled in (operation, field, value):
{FILLED_IN}
COVERAGE
  A rule is covered when it decides a test. Its branches are: its effect, seen when it decides with
  it; each comparison, once true and once false, counted while the rule's operation and roles are
  those of the request; each limit that a request can state, once kept and once exceeded by a number
  that is stated, counted while the rule's condition holds.
  --threshold is about branches alone. Rules of packs are listed and not counted, unless
  --include-packs is given.

FORMATS
  human   failing tests with their lines, then `N tests: N passed, N failed`, then the coverage
  json    {\"findings\",\"summary\",\"policies\",\"tests\",\"totals\",\"coverage\":{\"rules\",\"branches\",\"totals\"}},
          findings as `check` prints them
  sarif   failing tests as a SARIF 2.1.0 log; has no place for coverage
  github  workflow commands, then the same lines as human
  junit   a suite for each policy, a case for each test; has no place for coverage

EXIT CODES
  0  every test holds
  1  a test fails, a policy has errors, or less is covered than --threshold asks for
  2  could not run: wrong arguments, a policy that cannot be read, or a filter that selects nothing";

pub(crate) const EXPLAIN_ABOUT: &str = "\
Explains what a policy says of one request: the verdict of the frozen table, the rule that decides, what the act is \
bound to, and every rule that matches with why it does not decide. For a denial it shows the rule to allow or ask that \
came closest, and what it would have taken.

The request is given in the words of a test, each an argument, quotes not needed; or as one JSON object as `policyc \
eval` takes it; or as the name of a test. A bare size is in bytes, a bare time in milliseconds. A request with several \
targets is explained for the one that decides.";

pub(crate) const EXPLAIN: &str = "\
EXAMPLES
  policyc explain interdict.policy coder file.read path src/main.rs bytes 4096
  policyc explain interdict.policy 'coder shell.exec command \"ls\" timeout 10 s'
  policyc explain interdict.policy anyone git.push ref refs/heads/main force
  policyc explain interdict.policy --test coder-edits
  policyc explain interdict.policy --request '{\"roles\":[\"coder\"],\"op\":\"shell.exec\",\"line\":\"ls\"}'

FORMATS
  human  source lines with marks under them
  json   {\"verdict\",\"rule\",\"code\",\"because\",\"place\",\"limit\",\"requirements\",\"limits\",\"budgets\",
         \"matched\",\"without_denials\",\"nearest\":{\"rule\",\"effect\",\"failures\"},\"blake3\"}

EXIT CODES
  0  the request has been explained, also when it is denied
  1  --fail-on-deny: it is denied
  2  could not run: wrong arguments, a policy with errors, or words that are no request";

pub(crate) const IMPORT_ABOUT: &str = "\
Makes a policy of the rules of another tool. What the file says is in the policy; where the language cannot say it, a \
finding at its place says so: an error when leaving it out would allow more, a warning when the policy is stricter.

The policy is about one role, has a test for each rule where one is easily made, and is checked before it is printed. \
Every policy has std.protected-paths besides, which keeps an agent from changing its own rules.";

pub(crate) const IMPORT: &str = "\
EXAMPLES
  policyc import registry.yaml                            print the policy
  policyc import .claude/settings.json -o agent.policy    write it
  policyc import --role coder ~/.codex/rules/default.rules
  policyc import --from tool-rules - < agent.toml

FILES
  registry     .yaml, .yml   version 1: network, shell_allow, git, ast, validators
  tool-rules   .toml         tool_rules: tool_name, rule_type = { AllowedOperations = [\"…\"] }, priority
  claude-code  .json         permissions: allow, ask, deny, defaultMode
  codex        .rules        prefix_rule(pattern, decision, match, not_match, justification)

FORMATS
  human  the policy on the standard output, findings on the standard error
  json   {\"findings\":[…],\"summary\":{\"errors\",\"warnings\"},\"import\":{\"from\",\"policy\",\"written\"}}; findings
         as `check` prints them, `import` is null when there is no policy

EXIT CODES
  0  the policy has been printed or written
  1  findings at the fail level; nothing is printed or written
  2  could not run: wrong arguments, a file that cannot be read or written, or that exists";

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
