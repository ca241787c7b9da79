//! The kinds of findings of an import: E10xx errors, W10xx differences from the original, N10xx entries that are not rules.

policy_syntax::codes! {
    INVALID_FORMAT = "E1001" Error, "invalid file format",
    explain "The file is not valid YAML, TOML, JSON or Starlark, or it uses a feature on which parsers disagree: a duplicate key, an anchor, an expression. Nothing is imported.",
    wrong "# registry.yaml:\n#   version: 1\n#   version: 2",
    right "policy p language 1";

    UNKNOWN_KEY = "E1002" Error, "unknown key",
    explain "The format has no such key. Unknown keys are errors, because a misspelt key would be a rule that nobody enforces.",
    wrong "# registry.yaml:\n#   version: 1\n#   shel_allow: [\"^cargo( |$)\"]",
    right "policy p language 1\n\nrole agent\n\nrule shell:\n  allow agent to shell.exec\n  where line matches \"^ls( (?s:.*))?$\"\n\ntest t: agent shell.exec line \"ls\" => allow by shell";

    WRONG_VALUE = "E1003" Error, "wrong value",
    explain "The value is missing, has the wrong type, or is not one of the words that the key accepts. Nothing is guessed in its place.",
    wrong "# registry.yaml:\n#   version: 1\n#   git:\n#     allow_push: yes please",
    right "policy p language 1\n\nrole agent\n\nrule git-push:\n  allow agent to git.push\n\ntest t: agent git.push => allow by git-push";

    NOT_EXPRESSIBLE = "E1004" Error, "cannot be expressed in a policy",
    explain "The language cannot express the entry, and leaving it out would allow more than the file does. Change the file, or write the policy by hand.",
    wrong "# tool_rules.toml:\n#   [[tool_rules]]\n#   tool_name = \"*\"\n#   rule_type = { AllowedOperations = [\"read\"] }",
    right "policy p language 1\n\nrole agent\n\nrule file:\n  allow agent to file.read\n\ntest t: agent file.read path \"a\" => allow by file";

    STRICTER = "W1001" Warning, "stricter than the original",
    explain "The policy is stricter here than the imported file. Read the finding, and widen the policy where you want to.",
    wrong "# registry.yaml:\n#   validators:\n#     - rule: sec.shell.allowlist\n#       enforcement: warning",
    right "policy p language 1";

    LEFT_OUT = "W1002" Warning, "left out",
    explain "The entry is not in the policy, because it is about an unknown tool or about something that no policy allows, such as files outside the workspace. Without the entry the policy does not allow more.",
    wrong "# settings.json:\n#   {\"permissions\": {\"allow\": [\"Read(~/notes/**)\"]}}",
    right "policy p language 1";

    AMBIGUOUS = "W1003" Warning, "ambiguous spelling",
    explain "Strict parsers of the format reject this, or read it differently. It is imported as it was probably meant; write it without ambiguity.",
    wrong "# registry.yaml:\n#   shell_allow:\n#     - \"^cargo(\\s|$)\"",
    right "policy p language 1";

    NOT_ENFORCED = "W1004" Warning, "not enforced here",
    explain "The entry restricts an agent in a way that a policy cannot: another program decides, or the files that a command touches matter and not only its words. The policy may allow what the entry denies: read the finding, and write a rule of your own.",
    wrong "# settings.json:\n#   {\"hooks\": {\"PreToolUse\": []}}",
    right "policy p language 1";

    NOT_A_RULE = "N1001" Note, "not a rule",
    explain "The key is valid but does not restrict or allow anything, so there is nothing to import.",
    wrong "# settings.json:\n#   {\"model\": \"opus\"}",
    right "policy p language 1";
}
