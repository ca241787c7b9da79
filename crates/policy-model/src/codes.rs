//! The kinds of findings that need meaning: E01xx and E03xx files, E04xx names, E05xx types, E06xx
//! patterns, E07xx tests, W08xx lints, E09xx tables.

policy_syntax::codes! {
    UNREADABLE = "E0101" Error, "file cannot be read",
    explain "The policy file does not exist, is a directory, is a pipe or device, or may not be read. Nothing was checked.",
    wrong "# no file of that name",
    right "policy plain language 1";

    IMPORT_NOT_FOUND = "E0301" Error, "import not found",
    explain "The file named by `use` cannot be read. Its path is relative to the file that names it. A policy with a missing part is not used at all.",
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

    IMPORT_OUTSIDE = "E0304" Error, "import outside the directory",
    explain "An import must not leave the policy's directory, not even through a link: a file that a review of the directory does not show must not influence decisions. Move the file, or pass `--allow-outside`.",
    wrong "# use \"../elsewhere/team.policy\"",
    right "policy p language 1\n\nuse std.secrets";

    NAME_CLASH = "E0305" Error, "name clash between files",
    explain "Two files declare the same name. All files of a policy share their names, so that each name in a test or a denial is unambiguous. Rename one of them.",
    wrong "policy p language 1\n\nuse std.secrets\n\nrule secrets-files:\n  deny anyone to file.read",
    right "policy p language 1\n\nuse std.secrets\n\nrule my-secret-files:\n  deny anyone to file.read\n  where path in \"private/**\"\n\ntest t: anyone file.read path \"private/x\" => deny by my-secret-files";

    TOO_MANY_IMPORTS = "E0306" Error, "too many imports",
    explain "A policy may consist of at most 1,024 files, nested 32 deep, of 64 MiB in total.",
    wrong "# a chain of 32 imports",
    right "policy p language 1\n\nuse std.secrets";

    WITHOUT_MISUSED = "E0307" Error, "misused `without`",
    explain "`without` removes `std.protected-paths`, the only pack that is imported by default. Only the policy itself can use it; otherwise an import could remove the protection of files it does not own.",
    wrong "policy p language 1\n\nwithout std.secrets",
    right "policy p language 1\n\nuse std.secrets";

    UNKNOWN_ROLE = "E0401" Error, "unknown role",
    explain "No `role` statement declares this role. A rule for a role that nobody can hold would never match, so it is an error.",
    wrong "policy p language 1\n\nrole reader\n\nrule x:\n  allow raeder to file.read",
    right "policy p language 1\n\nrole reader\n\nrule x:\n  allow reader to file.read\n\ntest t: reader file.read path \"a\" => allow by x";

    UNKNOWN_OPERATION = "E0402" Error, "unknown operation",
    explain "The tool has no such operation. Operations are written `tool.operation`; `tool.*` is every operation of a tool.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.raed",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNKNOWN_TOOL = "E0403" Error, "unknown tool",
    explain "The tool is neither built in nor declared. Declare your own with `tool NAME { op … }`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to jira.search",
    right "policy p language 1\n\nrole r\n\ntool jira {\n  op search(project: string)\n}\n\nrule x:\n  allow r to jira.search\n\ntest t: r jira.search project \"CORE\" => allow by x";

    UNKNOWN_SET = "E0404" Error, "unknown set",
    explain "No statement declares this set. Strings are in double quotes; a bare word in a list is the name of a set.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in sources",
    right "policy p language 1\n\nrole r\n\npaths sources = \"src/**\"\n\nrule x:\n  allow r to file.read\n  where path in sources\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNKNOWN_RULE = "E0405" Error, "unknown rule",
    explain "The test names a rule that does not exist. A request that no rule matches is decided by `default-deny`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by y",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNKNOWN_ATTRIBUTE = "E0406" Error, "unknown attribute",
    explain "Attributes belong to operations, and a rule can only use attributes that all of its operations have. Split the rule, or use another attribute.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where host in \"docs.rs\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"docs.rs\"\n\ntest t: r http.request host \"docs.rs\" => allow by x";

    UNKNOWN_REQUIREMENT = "E0407" Error, "unknown requirement",
    explain "`require` can only name checks that the executor knows how to make before it acts.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  ask r to git.push\n  require clean-treee",
    right "policy p language 1\n\nrole r\n\nrule x:\n  ask r to git.push\n  require clean-tree\n\ntest t: r git.push ref \"refs/heads/a\" => ask by x";

    DUPLICATE_NAME = "E0408" Error, "duplicate name",
    explain "Two statements of the file declare the same name, so that a test, a list or a denial that names it would be ambiguous. Rename one of them.",
    wrong "policy p language 1\n\nrole r\nrole r",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    ROLE_CYCLE = "E0409" Error, "role includes itself",
    explain "A role includes itself, directly or through others. `includes` gives a role the rights of another, so it must not form a cycle.",
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
    explain "Sizes are in B, KiB, MiB, GiB and times in ms, s, min, h. `MB` is 1,000,000 bytes to some and 1,048,576 to others, so it is not accepted.",
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
    explain "A policy may have at most 1,024 roles and 1,024 operations, and an operation at most 256 parameters. Nested sets may expand to at most a million sets. More would make every check slow.",
    wrong "# more than 1,024 roles",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    WRONG_TYPE = "E0501" Error, "wrong type",
    explain "The comparison does not fit the attribute's type: strings are compared with `in`, `==`, `!=` or `matches`, numbers with `==`, `<=` and so on, and a flag has no value.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where bytes in \"10\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where bytes <= 10 KiB\n\ntest t: r file.read path \"a\" bytes 1 KiB => allow by x";

    WRONG_SET = "E0502" Error, "wrong kind of set",
    explain "Sets are typed by their keyword, because the same string has different meanings as a path and as a host. Use a set of the attribute's kind.",
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
    explain "`limit` and `require` apply to permitted operations, so a rule to deny has neither. `code` names a denial, so only a rule to deny has one.",
    wrong "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  limit bytes <= 1 MiB",
    right "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  where bytes > 1 MiB\n\ntest t: anyone file.read path \"a\" bytes 2 MiB => deny by x";

    BAD_CODE = "E0506" Error, "unusable code",
    explain "The code of a denial is in upper case with underscores (`SECRET_PATH`), has at most 64 characters, and is not one of the reserved codes.",
    wrong "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  code ALLOWED",
    right "policy p language 1\n\nrule x:\n  deny anyone to file.read\n  code NO_READING\n\ntest t: anyone file.read path \"a\" => deny by x";

    KNOWN_LATER = "E0507" Error, "known only afterwards",
    explain "The size of an output or of a response is only known after the operation has run, so a condition cannot use it. Use a `limit`, which the executor enforces.",
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
    explain "The rule named after `by` has another effect than the test expects. (A rule to allow or ask also denies requests that exceed its limit.)",
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
    explain "The text after `matches` must be a regex in the syntax of the `regex` crate, which has no look-around and no back-references. It matches bytes, and its classes are ASCII, unless it uses `(?u:…)`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^cargo (build$\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^ls( -l)?$\"\n\ntest t: r shell.exec line \"ls -l\" => allow by x";

    REGEX_TOO_LARGE = "E0602" Error, "regex too large",
    explain "The compiled regex is larger than 1 MiB, or all regexes of the policy together are larger than 16 MiB, usually because of nested counted repeats. Lower the counts or split it.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^((a{100}){100}){100}$\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^a+$\"\n\ntest t: r shell.exec line \"aa\" => allow by x";

    BAD_GLOB = "E0603" Error, "invalid glob",
    explain "`**` matches whole segments, so it must stand alone between slashes; `*` matches a part of one segment. A pattern has at least one character and at most 4,096 bytes.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**.rs\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**/*.rs\"\n\ntest t: r file.read path \"src/a.rs\" => allow by x";

    BAD_HOST = "E0604" Error, "invalid host pattern",
    explain "A host pattern is a plain host name, `*.` and a host name for its subdomains, or `*`. Scheme, port and path have attributes of their own: `scheme`, `port`, `url-path`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"https://docs.rs\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host in \"docs.rs\" and scheme == \"https\"\n\ntest t: r http.request host \"docs.rs\" scheme \"https\" => allow by x";

    TEST_FAILS = "E0701" Error, "test fails",
    explain "The policy's decision is not the one that the test expects. The finding shows the verdict and the rule that decided.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"docs/a\" => allow",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x";

    FACTS_CONTRADICT = "E0702" Error, "facts contradict each other",
    explain "A test may give a field of a request (`line`, `url`, `path`) and what the judge reads from it (`command`, `host`, `name`). Here the one says something else than the other, so no request has both.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command == \"ls\"\n\ntest t: r shell.exec command \"ls\" line \"rm x\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command == \"ls\"\n\ntest t: r shell.exec line \"ls src\" => allow by x";

    ASSERTS_NOT_PROVED = "N0701" Note, "assertions not proved",
    explain "The names and types in the assertions are correct. This check does not prove that they hold for every request.",
    wrong "policy p language 1\n\nassert a: never anyone to git.push where force",
    right "policy p language 1";

    MORE_WARNINGS = "N0702" Note, "more warnings",
    explain "After 1,000 warnings the rest is not shown. The policy can be used anyway; fix the first ones and check again.",
    wrong "# a policy with more than a thousand warnings",
    right "policy p language 1";

    FACTS_ALONE = "N0703" Note, "no request can be built with these facts",
    explain "A test is judged as the bytes of a request that has its facts. Where none can be built, because the executor refuses such a request or no field of it gives the fact, the facts are judged alone: the rules are tested, and not how a request is read.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n\ntest t: r file.read path \"a\" bytes 2 GiB => deny by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n\ntest t: r file.read path \"a\" bytes 1 GiB => deny by x";

    IMPORTED_TWICE = "W0301" Warning, "imported twice",
    explain "The file names the same import twice. The second has no effect.",
    wrong "policy p language 1\n\nuse std.secrets\nuse std.secrets",
    right "policy p language 1\n\nuse std.secrets";

    UNUSED_SET = "W0801" Warning, "unused set",
    explain "No rule, set or assertion names this set. It may have been meant to protect something.",
    wrong "policy p language 1\n\npaths sources = \"src/**\"",
    right "policy p language 1\n\nrole r\n\npaths sources = \"src/**\"\n\nrule x:\n  allow r to file.read\n  where path in sources\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNUSED_ROLE = "W0802" Warning, "unused role",
    explain "No rule, role, budget, assertion or test names this role, and it includes no other role: whoever holds it may do nothing.",
    wrong "policy p language 1\n\nrole r",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x";

    UNHELD_ROLE = "W0803" Warning, "role nobody can hold",
    explain "Sessions can only hold roles that the policy itself declares. A role of a rule pack has no effect until one of your roles includes it.",
    wrong "policy p language 1\n\nuse std.rust-dev",
    right "policy p language 1\n\nuse std.rust-dev\n\nrole coder includes rust-developer";

    EMPTY_SET = "W0804" Warning, "empty set",
    explain "The set has no members, so a condition that looks a value up in it never holds.",
    wrong "policy p language 1\n\nrole r\n\npaths sources =\n\nrule x:\n  deny r to file.read\n  where path in sources",
    right "policy p language 1\n\nrole r\n\npaths sources = \"src/**\"\n\nrule x:\n  allow r to file.read\n  where path in sources\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNANCHORED_REGEX = "W0805" Warning, "unanchored regex",
    explain "Without `^` and `$` a regex matches anything that has a match somewhere inside it: `cargo` also matches `rm -rf ~; cargo`. Anchor it, and write `(?s:.*)` where anything may occur.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^ls\"\n\ntest t: r shell.exec line \"ls\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line matches \"^ls( [a-z/]*)?$\"\n\ntest t: r shell.exec line \"ls src\" => allow by x";

    ANYONE_MAY_ACT = "W0806" Warning, "anyone may act",
    explain "The rule lets every request change, run or send something, even one without a role. Name the role that needs it.",
    wrong "policy p language 1\n\nrule x:\n  allow anyone to file.write\n  where path in \"tmp/**\"\n\ntest t: anyone file.write path \"tmp/a\" => allow by x",
    right "policy p language 1\n\nrole coder\n\nrule x:\n  allow coder to file.write\n  where path in \"tmp/**\"\n\ntest t: coder file.write path \"tmp/a\" => allow by x";

    RUNS_OTHERS = "W0807" Warning, "command can run others",
    explain "The rule allows a command that can run any other, by an option, a script or a project's own files. Whoever can run it can run everything that the sandbox allows. Allow exact lines instead (`line == \"make test\"`), or accept the warning with `# expect W0807: REASON`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command in \"env\"\n\ntest t: r shell.exec command \"env\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where command == \"make\" and line == \"make test\"\n\ntest t: r shell.exec command \"make\" line \"make test\" => allow by x";

    HOST_IS_ADDRESS = "W0808" Warning, "host is an address",
    explain "Addresses change owners, and requests to private addresses are always refused. Name the host.",
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
    explain "Names of policies, roles, sets, rules, budgets, assertions and tests are in kebab-case: lower-case letters and digits with single hyphens.",
    wrong "policy p language 1\n\nrole My_Role\n\nrule x:\n  allow My_Role to file.read\n\ntest t: My_Role file.read path \"a\" => allow by x",
    right "policy p language 1\n\nrole my-role\n\nrule x:\n  allow my-role to file.read\n\ntest t: my-role file.read path \"a\" => allow by x";

    FOREIGN_GLOB = "W0813" Warning, "wildcard of another glob language",
    explain "Only `*` and `**` are wildcards here; `?`, `{a,b}`, `[a-z]`, a leading `!` or `~` and `$HOME` stand for themselves, so this pattern probably matches nothing. Write one pattern for each alternative.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"*.{pem,key}\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"*.pem\", \"*.key\"\n\ntest t: r file.read path \"a.pem\" => deny by x";

    LITERAL_STAR = "W0814" Warning, "literal star",
    explain "`==` and `!=` compare the whole string literally, stars included. Use `in` for patterns.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path == \"src/*\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  deny r to file.read\n  where path in \"src/*\"\n\ntest t: r file.read path \"src/a\" => deny by x";

    REPEATED_ITEM = "W0815" Warning, "repeated item",
    explain "The list has the same item twice.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\", \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"src/**\"\n\ntest t: r file.read path \"src/a\" => allow by x";

    UNMET_EXPECTATION = "W0816" Warning, "unmet expectation",
    explain "A comment `# expect CODE: REASON` accepts a warning. This statement does not have that warning, or the comment has no reason, or its code is not that of a warning.",
    wrong "policy p language 1\n\n# expect W0805: nothing here has a regex\nrole r\n\nrule x:\n  allow r to file.read\n\ntest t: r file.read path \"a\" => allow by x",
    right "policy p language 1\n\nrole r\n\n# expect W0807: the sandbox has no network and only the workspace\nrule x:\n  allow r to shell.exec\n  where command in \"make\"\n\ntest t: r shell.exec command \"make\" => allow by x";

    ONLY_EXCLUDES = "W0817" Warning, "condition only excludes",
    explain "A git request is judged once for each path, ref or remote it names, and once without any when it names none. A rule that only excludes values also allows a request that names none, such as adding everything. List the values that are meant: `path in \"src/**\" and not path in \"src/private/**\"`.",
    wrong "policy p language 1\n\nrole r\n\nrule x:\n  allow r to git.add\n  where not path in \"private/**\"\n\ntest t: r git.add path \"a\" => allow by x",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to git.add\n  where path in \"src/**\" and not path in \"src/private/**\"\n\ntest t: r git.add path \"src/a\" => allow by x";

    PATTERN_TOO_LARGE = "E0901" Error, "pattern too large for a table",
    explain "A table matches strings with automata, and the automaton of this pattern alone is too large: usually a glob or regex that may start anywhere and then counts, so that its automaton doubles with each count. Say where it starts, or use fewer repeats.",
    wrong "# rule x:\n#   allow r to file.read\n#   where path in \"**/a/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to file.read\n  where path in \"a/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*/*\"\n\ntest t: r file.read path \"a\" => deny";

    TOO_MANY_PATTERNS = "E0902" Error, "too many large patterns for a table",
    explain "Each pattern alone has a small automaton, but together they multiply each other's size, and separately there are more automata than an operation may have. Plain strings and simple globs do not have this problem; use them instead of regexes, or merge regexes with the same start or end.",
    wrong "# more than thirty rules, each with a regex such as\n# line matches \"^[a-z]*x[a-z]{8}$\"",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to shell.exec\n  where line in \"a*b\", \"b*a\"\n\ntest t: r shell.exec line \"ab\" => allow by x";

    RULES_TOO_LARGE = "E0903" Error, "rules too large for a table",
    explain "A table decides with a diagram over the patterns found in a request. These rules use more strings, or combine them in more ways, than fit in a diagram. Use fewer attributes in one rule, or split the rule.",
    wrong "# a rule that asks about forty different strings of one operation",
    right "policy p language 1\n\nrole r\n\nrule x:\n  allow r to http.request\n  where host == \"docs.rs\" and scheme == \"https\"\n\ntest t: r http.request host \"docs.rs\" scheme \"https\" => allow by x";

    TABLE_TOO_LARGE = "E0904" Error, "table too large",
    explain "The policy needs more rows than a table may have, or one of its own operations has more than 64 flags. Split the policy; all tables of a session must agree.",
    wrong "# an operation of your own with 65 flags",
    right "policy p language 1\n\nrole r\n\ntool t {\n  op a(force: flag)\n}\n\nrule x:\n  allow r to t.a\n  where not force\n\ntest t: r t.a => allow by x";
}
