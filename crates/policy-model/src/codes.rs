//! The kinds of findings that need meaning: E01xx and E03xx files, E04xx names, E05xx types, E06xx
//! patterns, E07xx tests, W08xx lints, E09xx tables.

policy_syntax::codes! {
    UNREADABLE = "E0101" Error, "file cannot be read",
    explain "The policy file does not exist, is a directory, is a pipe or device, or may not be read. Nothing was checked.",
    wrong "# no file of that name",
    right "policy plain language 1";

    IMPORT_NOT_FOUND = "E0301" Error, "import not found",
    explain "The file named by `use` cannot be read. Its path is relative to the file that names it. Nothing of a policy with a missing part is used.",
    wrong "policy p language 1\n\nuse \"./no-such.policy\"",
    right "policy p language 1\n\nuse std.secrets";

    UNKNOWN_PACK = "E0302" Error, "unknown rule pack",
    explain "Rule packs come with the compiler and have names such as `std.secrets`. A file of your own is named by a string: `use \"./team.policy\"`.",
    wrong "policy p language 1\n\nuse std.secretz",
    right "policy p language 1\n\nuse std.secrets";

    IMPORT_CYCLE = "E0303" Error, "import cycle",
    explain "A file imports itself, directly or through others, so there is no order in which their rules count. Move what both need into a third file.",
    wrong "# team.policy, which main.policy uses:\n# policy team language 1\n# use \"./main.policy\"",
    right "policy p language 1\n\nuse std.secrets";

    IMPORT_OUTSIDE = "E0304" Error, "import outside the folder",
    explain "An import may not leave the folder of the policy, also not through a link: what a review of the folder does not show must not decide. Move the file, or pass `--allow-outside`.",
    wrong "# use \"../elsewhere/team.policy\"",
    right "policy p language 1\n\nuse std.secrets";

    NAME_CLASH = "E0305" Error, "name clash between files",
    explain "Two files declare the same name. All files of a policy share their names, so that a test or a denial names one rule. Rename one of them.",
    wrong "policy p language 1\n\nuse std.secrets\n\nrule secrets-files:\n  deny anyone to file.read",
    right "policy p language 1\n\nuse std.secrets\n\nrule my-secret-files:\n  deny anyone to file.read\n  where path in \"private/**\"\n\ntest t: anyone file.read path \"private/x\" => deny by my-secret-files";

    TOO_MANY_IMPORTS = "E0306" Error, "too many imports",
    explain "A policy may have 1,024 files with itself, 32 inside each other, of 64 MiB in all.",
    wrong "# a chain of 32 imports",
    right "policy p language 1\n\nuse std.secrets";

    WITHOUT_MISUSED = "E0307" Error, "misused `without`",
    explain "`without` removes the one pack that every policy has, `std.protected-paths`, and only the policy itself can say it: an import could otherwise switch off the protection of files it does not own.",
    wrong "policy p language 1\n\nwithout std.secrets",
    right "policy p language 1\n\nuse std.secrets";

    UNKNOWN_ROLE = "E0401" Error, "unknown role",
    explain "No `role` statement declares this role. A rule for a role that nobody can hold would be silent, so it is refused.",
    wrong "policy p language 1\n\nrole reader\n\nrule x:\n  allow raeder to file.read",
    right "policy p language 1\n\nrole reader\n\nrule x:\n  allow reader to file.read\n\ntest t: reader file.read path \"a\" => allow by x";

    UNKNOWN_OPERATION = "E0402" Error, "unknown operation",
    explain "The tool has no such operation. Operations are written `tool.operation`; `tool.*` is every operation of a tool.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.raed",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNKNOWN_TOOL = "E0403" Error, "unknown tool",
    explain "There is no such tool. Declare a tool of your own with `tool NAME { op … }`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to jira.search",
    right "policy p language 1\n\nrole r\n\ntool jira {\n  op search(project: string)\n}\n\nrule x:\n  allow r to jira.search\n\ntest t: r jira.search project \"CORE\" => allow by x";

    UNKNOWN_SET = "E0404" Error, "unknown set",
    explain "No statement declares this set. Strings are in double quotes; a bare word in a list is the name of a set.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in sources",
    right "policy p language 1\n\nrole r\n\npaths sources = \"src/**\"\n\nrule x:\n  allow r to file.read\n  where path in sources\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNKNOWN_RULE = "E0405" Error, "unknown rule",
    explain "The test expects a decision by a rule there is none of. A request that no rule matches is decided by `default-deny`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by y",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNKNOWN_ATTRIBUTE = "E0406" Error, "unknown attribute",
    explain "Attributes belong to operations, and a rule may only ask what each of its operations has. Split the rule, or ask for another attribute.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where host in \"docs.rs\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"docs.rs\"\n\ntest t: r http.request host \"docs.rs\" => allow by x";

    UNKNOWN_REQUIREMENT = "E0407" Error, "unknown requirement",
    explain "`require` names checks that the executor can make before it acts; it makes no others.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  ask r to git.push\n  require clean-treee",
    right "policy p language 1\n\nrole r\n\nrule x:\n  ask r to git.push\n  require clean-tree\n\ntest t: r git.push ref \"refs/heads/a\" => ask by x";

    DUPLICATE_NAME = "E0408" Error, "duplicate name",
    explain "Two statements of the file declare the same name, so that a test, a list or a denial that names it would be ambiguous. Rename one of them.",
    wrong "policy p language 1\n\nrole r\nrole r",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    ROLE_CYCLE = "E0409" Error, "role includes itself",
    explain "A role includes itself, directly or through others. `includes` says who has more rights than whom, which has no circle.",
    wrong "policy p language 1\n\nrole a includes b\nrole b includes a",
    right "policy p language 1\n\nrole a\nrole b includes a\n\nrule x:\n  allow a to file.read\n\ntest t: b file.read path \"a\" => allow by x";

    SET_CYCLE = "E0410" Error, "set contains itself",
    explain "A set contains itself, directly or through others.",
    wrong "policy p language 1\n\npaths a = \"x\", b\npaths b = a",
    right "policy p language 1\n\nrole r\n\npaths a = \"src/**\"\npaths b = a, \"tests/**\"\n\nrule x:\n  allow r to file.read\n  where path in b\n\ntest t: r file.read path \"src/a\" => allow by x";

    RESERVED_NAME = "E0411" Error, "reserved name",
    explain "The name belongs to the language itself: a built-in tool, or the rule `default-deny`. Choose another.",
    wrong "policy p language 1\n\ntool file {\n  op read\n}",
    right "policy p language 1\n\nrole r\n\ntool my-file {\n  op read\n}\n\nrule x:\n  allow r to my-file.read\n\ntest t: r my-file.read => allow by x";

    WILDCARD_TOOL = "E0412" Error, "wildcard for a tool",
    explain "Operations belong to a tool, so `*` can stand for the operations of one tool (`file.*`) and never for the tool itself.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to *.read",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.*\n  where path in \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNKNOWN_UNIT = "E0413" Error, "unknown unit",
    explain "Sizes are in B, KiB, MiB, GiB and times in ms, s, min, h. `MB` means a thousand thousands to some and 1,048,576 to others, so it is not read at all.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  limit bytes <= 10 MB",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  limit bytes <= 10 MiB\n\ntest t: r file.read path \"a\" => allow by x";

    UNKNOWN_TYPE = "E0414" Error, "unknown parameter type",
    explain "The parameters of a tool are of the types string, path, host, command, ref, model, int, size, time or flag.",
    wrong "policy p language 1\n\ntool jira {\n  op search(project: text)\n}",
    right "policy p language 1\n\nrole r\n\ntool jira {\n  op search(project: string)\n}\n\nrule x:\n  allow r to jira.search\n\ntest t: r jira.search => allow by x";

    UNKNOWN_PERIOD = "E0415" Error, "unknown period",
    explain "A budget is for a session, minute, hour or day.",
    wrong "policy p language 1\n\nrole r\n\nbudget b: r inference.call tokens <= 100 per week",
    right "policy p language 1\n\nrole r\n\nbudget b: r inference.call tokens <= 100 per day";

    TOO_MANY_NAMES = "E0416" Error, "too many names",
    explain "A policy may have 1,024 roles and 1,024 operations, and an operation 256 parameters. Its sets and the sets in them, counted again wherever they are, may be a million. More would make checking it slow for everybody.",
    wrong "# more than 1,024 roles",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    WRONG_TYPE = "E0501" Error, "wrong type",
    explain "The attribute is of another type than the comparison needs: strings are looked up with `in`, `==`, `!=` or `matches`, numbers are compared with `==`, `<=` and their like, flags stand alone.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where bytes in \"10\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where bytes <= 10 KiB\n\ntest t: r file.read path \"a\" bytes 1 KiB => allow by x";

    WRONG_SET = "E0502" Error, "wrong kind of set",
    explain "Sets are typed by their keyword, because the same string means another thing as a path and as a host. Use a set of the attribute's kind.",
    wrong "policy p language 1\n\nrole r\n\nhosts docs = \"docs.rs\"\n\nrule x:\n  allow r to file.read\n  where path in docs",
    right "policy p language 1\n\nrole r\n\npaths docs = \"docs/**\"\n\nrule x:\n  allow r to file.read\n  where path in docs\n\ntest t: r file.read path \"docs/a\" => allow by x";

    WRONG_UNIT = "E0503" Error, "wrong unit",
    explain "Sizes and times need a unit, so that nobody mistakes milliseconds for seconds; counts have none.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command == \"ls\"\n  limit timeout <= 10",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command == \"ls\"\n  limit timeout <= 10 s\n\ntest t: r shell.exec command \"ls\" => allow by x";

    BAD_NUMBER = "E0504" Error, "number out of range",
    explain "Numbers are whole, except for temperatures, and at most 9,223,372,036,854,775,806.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  limit bytes <= 1.5 MiB",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  limit bytes <= 1536 KiB\n\ntest t: r file.read path \"a\" => allow by x";

    CLAUSE_NOT_ALLOWED = "E0505" Error, "clause not allowed",
    explain "`limit` and `require` bind an act that may happen, so a `deny` has none; `code` names a denial, so only a `deny` has one.",
    wrong "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  limit bytes <= 1 MiB",
    right "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  where bytes > 1 MiB\n\ntest t: anyone file.read path \"a\" bytes 2 MiB => deny by x";

    BAD_CODE = "E0506" Error, "unusable code",
    explain "The code of a denial is in capitals with underscores (`SECRET_PATH`), at most 64 characters, and none of those that the judge itself gives.",
    wrong "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  code ALLOWED",
    right "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  code NO_READING\n\ntest t: anyone file.read path \"a\" => deny by x";

    KNOWN_LATER = "E0507" Error, "known only later",
    explain "The size of an output or of a response is known only after the act, so a condition cannot ask for it. A `limit` can bound it: the executor holds it.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host == \"docs.rs\" and body <= 1 MiB",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host == \"docs.rs\"\n  limit body <= 1 MiB\n\ntest t: r http.request host \"docs.rs\" => allow by x";

    MIXED_TYPES = "E0508" Error, "attribute of several types",
    explain "The operations of the rule have an attribute of this name, but of different types. Split the rule.",
    wrong "policy p language 1\n\nrole r\n\ntool t {\n  op a(size: int)\n  op b(size: string)\n}\n\nrule x:\n  allow r to t.*\n  where size == 1",
    right "policy p language 1\n\nrole r\n\ntool t {\n  op a(size: int)\n  op b(size: int)\n}\n\nrule x:\n  allow r to t.*\n  where size == 1\n\ntest t: r t.a size 1 => allow by x";

    REPEATED = "E0509" Error, "given twice",
    explain "The same parameter, limit or fact is given twice.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  limit bytes <= 1 KiB, bytes <= 2 KiB",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  limit bytes <= 1 KiB\n\ntest t: r file.read path \"a\" => allow by x";

    IMPOSSIBLE_EXPECTATION = "E0510" Error, "impossible expectation",
    explain "The rule named after `by` has another effect than the test expects. (A rule to allow or ask can also deny: when its limit is exceeded.)",
    wrong "policy p language 1\n\nrule x:\n  deny anyone to file.read\n\ntest t: anyone file.read path \"a\" => allow by x",
    right "policy p language 1\n\nrule x:\n  deny anyone to file.read\n\ntest t: anyone file.read path \"a\" => deny by x";

    EMPTY_LIST = "E0511" Error, "empty list",
    explain "Nothing follows `in`, so the condition can never hold.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x";

    BAD_FACT = "E0512" Error, "impossible fact",
    explain "A test states facts as the judge sees them: paths relative to the workspace without `.`, `..` or empty segments, hosts as plain names, commands without a slash.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"../a\" => deny",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    BAD_REGEX = "E0601" Error, "invalid regex",
    explain "The text after `matches` is no regex of the `regex` crate's syntax. It has no look-around and no back-references, and is over bytes and ASCII unless it says `(?u:…)`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^cargo (build$\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^ls( -l)?$\"\n\ntest t: r shell.exec line \"ls -l\" => allow by x";

    REGEX_TOO_LARGE = "E0602" Error, "regex too large",
    explain "Compiled, the regex needs more than 1 MiB, or all regexes of the policy more than 16 MiB, usually because of counted repeats inside each other. Lower the counts or split it.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^((a{100}){100}){100}$\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^a+$\"\n\ntest t: r shell.exec line \"aa\" => allow by x";

    BAD_GLOB = "E0603" Error, "invalid glob",
    explain "`**` stands for whole segments and therefore alone between slashes; `*` stands for part of one. A pattern has at least one character and at most 4096 bytes.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**.rs\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**/*.rs\"\n\ntest t: r file.read path \"src/a.rs\" => allow by x";

    BAD_HOST = "E0604" Error, "invalid host pattern",
    explain "A host pattern is a plain host name, `*.` and a host name for its subdomains, or `*`. Scheme, port and path have attributes of their own: `scheme`, `port`, `url-path`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"https://docs.rs\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"docs.rs\" and scheme == \"https\"\n\ntest t: r http.request host \"docs.rs\" scheme \"https\" => allow by x";

    TEST_FAILS = "E0701" Error, "test fails",
    explain "The policy decides the test's request otherwise than the test expects. The finding shows the verdict and the rule that gave it.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"docs/a\" => allow",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x";

    ASSERTS_NOT_PROVED = "N0701" Note, "assertions not proved",
    explain "The names and types of the assertions are right. That they hold for every request has not been proved by this check.",
    wrong "policy p language 1\n\nassert a: never anyone to git.push where force",
    right "policy p language 1";

    MORE_WARNINGS = "N0702" Note, "more warnings",
    explain "After 1,000 warnings the rest is not shown. They keep nobody from using the policy; correct the first ones and check again.",
    wrong "# a policy with more than a thousand warnings",
    right "policy p language 1";

    IMPORTED_TWICE = "W0301" Warning, "imported twice",
    explain "The file names the same import twice. The second has no effect.",
    wrong "policy p language 1\n\nuse std.secrets\nuse std.secrets",
    right "policy p language 1\n\nuse std.secrets";

    UNUSED_SET = "W0801" Warning, "unused set",
    explain "No rule, set or assertion names this set. It may have been meant to protect something.",
    wrong "policy p language 1\n\npaths sources = \"src/**\"",
    right "policy p language 1\n\nrole r\n\npaths sources = \"src/**\"\n\nrule x:\n  allow r to file.read\n  where path in sources\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNUSED_ROLE = "W0802" Warning, "unused role",
    explain "No rule, role, budget, assertion or test names this role, and it includes no other: who holds it may do nothing.",
    wrong "policy p language 1\n\nrole r",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNHELD_ROLE = "W0803" Warning, "role nobody can hold",
    explain "A rule pack's role is there to be included by a role of yours: sessions hold the roles a policy declares. As long as no role includes it, its rules do nothing.",
    wrong "policy p language 1\n\nuse std.rust-dev",
    right "policy p language 1\n\nuse std.rust-dev\n\nrole coder includes rust-developer";

    EMPTY_SET = "W0804" Warning, "empty set",
    explain "The set has no members, so a condition that asks for one of them never holds.",
    wrong "policy p language 1\n\nrole r\n\npaths sources =\n\nrule x:\n  deny r to file.read\n  where path in sources",
    right "policy p language 1\n\nrole r\n\npaths sources = \"src/**\"\n\nrule x:\n  allow r to file.read\n  where path in sources\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNANCHORED_REGEX = "W0805" Warning, "unanchored regex",
    explain "Without `^` and `$` a regex matches anything that has a match somewhere inside it: `cargo` also matches `rm -rf ~; cargo`. Anchor it, or say `(?s:.*)` where anything may stand.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^ls\"\n\ntest t: r shell.exec line \"ls\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^ls( [a-z/]*)?$\"\n\ntest t: r shell.exec line \"ls src\" => allow by x";

    ANYONE_MAY_ACT = "W0806" Warning, "anyone may act",
    explain "The rule lets every request change, run or send something, also one without any role. Name the role that needs it.",
    wrong "policy p language 1\n\nrule x:\n  allow anyone to file.write\n  where path in \"tmp/**\"\n\ntest t: anyone file.write path \"tmp/a\" => allow by x",
    right "policy p language 1\n\nrole coder\n\nrule x:\n  allow coder to file.write\n  where path in \"tmp/**\"\n\ntest t: coder file.write path \"tmp/a\" => allow by x";

    RUNS_OTHERS = "W0807" Warning, "command can run others",
    explain "The rule allows a command that can run any other, by an option, a script or a project's own files. Whoever may run it may run everything its sandbox allows. Allow exact lines instead (`line == \"make test\"`), or say that you know: `# expect W0807: REASON`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command in \"env\"\n\ntest t: r shell.exec command \"env\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command == \"make\" and line == \"make test\"\n\ntest t: r shell.exec command \"make\" line \"make test\" => allow by x";

    HOST_IS_ADDRESS = "W0808" Warning, "host is an address",
    explain "Addresses change their owners, and requests to private ones are refused whatever a policy says. Name the host.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"93.184.216.34\"\n\ntest t: r http.request host \"93.184.216.34\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"example.com\"\n\ntest t: r http.request host \"example.com\" => allow by x";

    NEVER_MATCHES = "W0809" Warning, "pattern can never match",
    explain "Values are normalised before they are judged: paths are relative to the workspace without `.`, `..` and empty segments, commands have no slash, an extension has no dot. No value has this form.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"/etc/passwd\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"etc/passwd\"\n\ntest t: r file.read path \"etc/passwd\" => deny by x";

    UNTESTED_RULE = "W0810" Warning, "rule without a test",
    explain "No `test` expects a decision by this rule, so nobody would notice when it stops deciding.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNPROTECTED = "W0811" Warning, "protection removed",
    explain "Without `std.protected-paths` an agent that may write can rewrite the policy, `.git/hooks`, the executor's state and its own settings.",
    wrong "policy p language 1\n\nwithout std.protected-paths",
    right "policy p language 1";

    NAME_STYLE = "W0812" Warning, "name not in kebab-case",
    explain "Names of policies, roles, sets, rules, budgets, assertions and tests are in kebab-case: small letters and digits with single hyphens.",
    wrong "policy p language 1\n\nrole My_Role\n\nrule x:\n  allow My_Role to file.read\n\ntest t: My_Role file.read path \"a\" => allow by x",
    right "policy p language 1\n\nrole my-role\n\nrule x:\n  allow my-role to file.read\n\ntest t: my-role file.read path \"a\" => allow by x";

    FOREIGN_GLOB = "W0813" Warning, "sign of another glob language",
    explain "Only `*` and `**` are wildcards here; `?`, `{a,b}`, `[a-z]`, a leading `!` or `~` and `$HOME` stand for themselves, so this pattern probably matches nothing. Write one pattern for each alternative.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"*.{pem,key}\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"*.pem\", \"*.key\"\n\ntest t: r file.read path \"a.pem\" => deny by x";

    LITERAL_STAR = "W0814" Warning, "literal star",
    explain "`==` and `!=` compare the whole string as it is, stars included. Patterns are looked up with `in`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path == \"src/*\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"src/*\"\n\ntest t: r file.read path \"src/a\" => deny by x";

    REPEATED_ITEM = "W0815" Warning, "repeated item",
    explain "The list has the same item twice.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\", \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNMET_EXPECTATION = "W0816" Warning, "unmet expectation",
    explain "A comment `# expect CODE: REASON` says that a warning is known. There is no such warning at this statement (any more), or the comment has no reason, or names something that is no warning.",
    wrong "policy p language 1\n\n# expect W0805: nothing here has a regex\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x",
    right "policy p language 1\n\nrole r\n\n# expect W0807: the sandbox has no network and only the workspace\nrule x:\n  allow r to shell.exec\n  where command in \"make\"\n\ntest t: r shell.exec command \"make\" => allow by x";

    ONLY_EXCLUDES = "W0817" Warning, "condition only excludes",
    explain "A git request is judged once for each path, ref or remote it names, and once without any when it names none. A rule that only says which of them it does not mean also allows a request that names none, such as adding everything. Say what is meant: `path in \"src/**\" and not path in \"src/private/**\"`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to git.add\n  where not path in \"private/**\"\n\ntest t: r git.add path \"a\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to git.add\n  where path in \"src/**\" and not path in \"src/private/**\"\n\ntest t: r git.add path \"src/a\" => allow by x";

    PATTERN_TOO_LARGE = "E0901" Error, "pattern too large for a table",
    explain "A table matches strings with automata, and this pattern alone would need too large a one: usually a glob or regex that counts after a start that can be anywhere, whose automaton doubles with each count. Say where it starts, or count less.",
    wrong "# rule x:\n#   allow r to file.read\n#   where path in \"**/a/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"a/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*\"\n\ntest t: r file.read path \"a\" => deny";

    TOO_MANY_PATTERNS = "E0902" Error, "too many large patterns for a table",
    explain "Each of the patterns has an automaton that is small enough, but in one automaton they multiply each other, and apart they are more than a request may be matched with. Plain strings and simple globs do not; replace regexes by them, or join those that share their ends.",
    wrong "# more than thirty rules, each with a regex such as\n# line matches \"^[a-z]*x[a-z]{8}$\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line in \"a*b\", \"b*a\"\n\ntest t: r shell.exec line \"ab\" => allow by x";

    RULES_TOO_LARGE = "E0903" Error, "rules too large for a table",
    explain "A table decides with a diagram over what was found in the strings of a request. These rules ask about more strings, or combine them in more ways, than a diagram may. Ask about fewer attributes in one rule, or split it.",
    wrong "# a rule that asks about forty different strings of one operation",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host == \"docs.rs\" and scheme == \"https\"\n\ntest t: r http.request host \"docs.rs\" scheme \"https\" => allow by x";

    TABLE_TOO_LARGE = "E0904" Error, "table too large",
    explain "The policy needs more rows than a table may have, or an operation of its own has more than 64 flags. Split the policy: several tables on one session all have to agree.",
    wrong "# an operation of your own with 65 flags",
    right "policy p language 1\n\nrole r\n\ntool t {\n  op a(force: flag)\n}\n\nrule x:\n  allow r to t.a\n  where not force\n\ntest t: r t.a => allow by x";
}
