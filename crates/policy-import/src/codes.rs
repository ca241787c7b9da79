//! The kinds of findings of an import: E10xx what cannot be imported, W10xx what is said differently, N10xx what is no rule.

policy_syntax::codes! {
    NOT_THAT_FORMAT = "E1001" Error, "not of that format",
    explain "The file is not the YAML, TOML, JSON or Starlark that it should be, or it has what these rules do not need and what readers of them disagree on: a key twice, an anchor, an expression. Nothing of it is imported.",
    wrong "# registry.yaml:\n#   version: 1\n#   version: 2",
    right "policy p language 1";

    UNKNOWN_KEY = "E1002" Error, "unknown key",
    explain "The format has no such key. It is never passed over: a misspelt key would be a rule that nobody enforces.",
    wrong "# registry.yaml:\n#   version: 1\n#   shel_allow: [\"^cargo( |$)\"]",
    right "policy p language 1\n\nrole agent\n\nrule shell:\n  allow agent to shell.exec\n  where line matches \"^ls( (?s:.*))?$\"\n\ntest t: agent shell.exec line \"ls\" => allow by shell";

    WRONG_VALUE = "E1003" Error, "wrong value",
    explain "The value is of another type than the key needs, is none of the words that it can be, or is not there. Nothing is guessed in its place.",
    wrong "# registry.yaml:\n#   version: 1\n#   git:\n#     allow_push: yes please",
    right "policy p language 1\n\nrole agent\n\nrule git-push:\n  allow agent to git.push\n\ntest t: agent git.push => allow by git-push";

    NOT_SAYABLE = "E1004" Error, "cannot be said in a policy",
    explain "The file says something that the language has no words for, and to leave it out would allow more than it does. Change it there, or write the policy by hand.",
    wrong "# tool_rules.toml:\n#   [[tool_rules]]\n#   tool_name = \"*\"\n#   rule_type = { AllowedOperations = [\"read\"] }",
    right "policy p language 1\n\nrole agent\n\nrule file:\n  allow agent to file.read\n\ntest t: agent file.read path \"a\" => allow by file";

    STRICTER = "W1001" Warning, "stricter than it was",
    explain "The policy is stricter here than the file it comes from. Look at what the finding says and widen the policy where you want to.",
    wrong "# registry.yaml:\n#   validators:\n#     - rule: sec.shell.allowlist\n#       enforcement: warning",
    right "policy p language 1";

    LEFT_OUT = "W1002" Warning, "left out",
    explain "The entry is not in the policy, because it speaks of something that a policy never allows, such as files outside the workspace, or of a tool that is not known here. The policy allows no more without it.",
    wrong "# settings.json:\n#   {\"permissions\": {\"allow\": [\"Read(~/notes/**)\"]}}",
    right "policy p language 1";

    DOUBTFUL = "W1003" Warning, "doubtful spelling",
    explain "Strict readers of the format refuse this, or read something else. It is imported as it was probably meant; write it so that nobody has to guess.",
    wrong "# registry.yaml:\n#   shell_allow:\n#     - \"^cargo(\\s|$)\"",
    right "policy p language 1";

    NOT_HELD = "W1004" Warning, "not held here",
    explain "What restricts an agent there has no counterpart in a policy, because another program decides it or because a command is judged by its words and not by the files it touches. Something that it stops there may be allowed here: look at what the finding says, and write a rule of your own.",
    wrong "# settings.json:\n#   {\"hooks\": {\"PreToolUse\": []}}",
    right "policy p language 1";

    NO_RULE = "N1001" Note, "no rule",
    explain "The key belongs to the file and says nothing of what an agent may do, so there is nothing to import.",
    wrong "# settings.json:\n#   {\"model\": \"opus\"}",
    right "policy p language 1";
}
