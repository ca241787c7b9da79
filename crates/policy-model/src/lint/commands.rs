//! Allowed commands that can run any other command: a table with reasons, and who allows them.

use std::collections::{BTreeMap, BTreeSet};

use policy_syntax::{Diagnostic, Effect, quote};

use crate::codes;
use crate::evaluate::{Request, holds};
use crate::findings::Findings;
use crate::model::{Condition, Model, OperationId};

/// Commands that can run others, and how.
pub(super) const RUN_OTHERS: &[(&str, &str)] = &[
    ("awk", "`system()` and pipes in a program run commands"),
    ("bash", "a shell runs whatever its arguments say"),
    ("bun", "runs scripts and packages"),
    ("bundle", "`bundle exec` runs any command"),
    ("busybox", "holds a shell and dozens of other commands"),
    ("cargo", "build scripts, `cargo run` and aliases run code of the project"),
    ("cmake", "`cmake -E` and build files run commands"),
    ("composer", "scripts of the project run commands"),
    ("dash", "a shell runs whatever its arguments say"),
    ("deno", "runs scripts"),
    ("doas", "runs a command as another user"),
    ("docker", "runs any image with the rights of its daemon"),
    ("ed", "`!` runs commands"),
    ("emacs", "`--eval` runs code"),
    ("env", "runs the command in its arguments"),
    ("ex", "`:!` runs commands"),
    ("expect", "spawns commands"),
    ("find", "`-exec`, `-ok` and `-delete` act on what is found"),
    ("fish", "a shell runs whatever its arguments say"),
    ("flock", "runs the command in its arguments"),
    ("gdb", "`shell` and Python run commands"),
    ("git", "`-c`, aliases, hooks, pagers and transports run commands"),
    ("go", "`go run`, `go generate` and tests run code"),
    ("gradle", "build files run code"),
    ("gradlew", "build files run code"),
    ("ionice", "runs the command in its arguments"),
    ("java", "runs code"),
    ("just", "recipes run commands"),
    ("ksh", "a shell runs whatever its arguments say"),
    ("less", "`!` and LESSOPEN run commands"),
    ("lua", "runs code"),
    ("make", "recipes of a Makefile run commands"),
    ("man", "pagers and preprocessors run commands"),
    ("mvn", "plugins run code"),
    ("nice", "runs the command in its arguments"),
    ("node", "runs code"),
    ("nohup", "runs the command in its arguments"),
    ("npm", "scripts of package.json and of packages run commands"),
    ("npx", "fetches packages and runs them"),
    ("parallel", "runs commands made of its input"),
    ("perl", "runs code"),
    ("php", "runs code"),
    ("pip", "packages run code when they are installed"),
    ("pip3", "packages run code when they are installed"),
    ("pnpm", "scripts of package.json and of packages run commands"),
    ("poetry", "`poetry run` runs any command"),
    ("pytest", "tests and conftest.py are code"),
    ("python", "runs code"),
    ("python3", "runs code"),
    ("rake", "tasks run code"),
    ("rg", "`--pre` runs a command on each file"),
    ("rsync", "`-e` runs a command"),
    ("ruby", "runs code"),
    ("script", "runs the command in its arguments"),
    ("sed", "the commands `e` and `w` run commands and write files"),
    ("setsid", "runs the command in its arguments"),
    ("sh", "a shell runs whatever its arguments say"),
    ("sort", "`--compress-program` runs a command"),
    ("ssh", "runs commands elsewhere; ProxyCommand runs them here"),
    ("strace", "runs the command in its arguments"),
    ("su", "runs a command as another user"),
    ("sudo", "runs a command as another user"),
    ("tar", "`--to-command` and `--checkpoint-action` run commands"),
    ("taskset", "runs the command in its arguments"),
    ("tclsh", "runs code"),
    ("tee", "writes to any file, profiles and hooks included"),
    ("time", "runs the command in its arguments"),
    ("timeout", "runs the command in its arguments"),
    ("tmux", "runs commands in its windows"),
    ("unshare", "runs the command in its arguments"),
    ("uv", "`uv run` runs any command"),
    ("vi", "`:!` runs commands"),
    ("vim", "`:!` runs commands"),
    ("watch", "runs the command in its arguments"),
    ("wget", "`--use-askpass` runs a command; writes to any file"),
    ("xargs", "runs commands made of its input"),
    ("yarn", "scripts of package.json and of packages run commands"),
    ("zip", "`-TT` runs a command"),
    ("zsh", "a shell runs whatever its arguments say"),
];

pub(super) fn lint(model: &Model, found: &mut Findings) {
    let Some(exec) = model.operations.iter().position(|operation| operation.name == "shell.exec").map(OperationId)
    else {
        return;
    };
    let samples: Vec<Request> = RUN_OTHERS.iter().map(|(command, _)| sample(exec, command)).collect();
    for rule in &model.rules {
        if rule.effect == Effect::Deny || !rule.operations.contains(&exec) {
            continue;
        }
        let allowed: Vec<&(&str, &str)> = RUN_OTHERS
            .iter()
            .zip(&samples)
            .filter(|(_, sample)| rule.condition.as_ref().is_none_or(|condition| possible(condition, sample).yes))
            .map(|(entry, _)| entry)
            .collect();
        let Some((command, reason)) = allowed.first() else {
            continue;
        };
        found.warn(|| {
            let message = match allowed.len() {
                all if all == RUN_OTHERS.len() => format!("the rule {} allows every command", quote(&rule.name)),
                1 => format!("the rule {} allows {}, which can run others", quote(&rule.name), quote(command)),
                more => format!(
                    "the rule {} allows {} and {} more that can run others",
                    quote(&rule.name),
                    quote(command),
                    more - 1
                ),
            };
            let reasons: Vec<String> =
                allowed.iter().take(REASONS_MAX).map(|(command, reason)| format!("{command}: {reason}")).collect();
            let help = match allowed.len() {
                all if all == RUN_OTHERS.len() => {
                    "ask for `command in …`, or for exact lines: `line == \"make test\"`".to_owned()
                }
                1 => format!("{reason}; allow exact lines (`line == \"…\"`), or say `# expect W0807: REASON`"),
                _ => format!("{}; allow exact lines, or say `# expect W0807: REASON`", reasons.join("; ")),
            };
            Diagnostic::new(codes::RUNS_OTHERS, rule.name_at, message).help(help)
        });
    }
}

/// The command with an option and an argument nobody would list by chance.
fn sample(operation: OperationId, command: &str) -> Request {
    let strings = BTreeMap::from([
        ("command".to_owned(), command.to_owned()),
        ("line".to_owned(), format!("{command} --option argument")),
    ]);
    Request { roles: BTreeSet::new(), operation, strings, numbers: BTreeMap::new(), flags: BTreeSet::new() }
}

/// Whether a condition can hold, and whether it can fail, for some request with this command and line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Possible {
    yes: bool,
    no: bool,
}

fn possible(condition: &Condition, sample: &Request) -> Possible {
    match condition {
        Condition::All(parts) => {
            let parts = parts.iter().map(|part| possible(part, sample));
            parts.fold(Possible { yes: true, no: false }, |all, part| Possible {
                yes: all.yes && part.yes,
                no: all.no || part.no,
            })
        }
        Condition::Any(parts) => {
            let parts = parts.iter().map(|part| possible(part, sample));
            parts.fold(Possible { yes: false, no: true }, |any, part| Possible {
                yes: any.yes || part.yes,
                no: any.no && part.no,
            })
        }
        Condition::Not(part) => {
            let part = possible(part, sample);
            Possible { yes: part.no, no: part.yes }
        }
        Condition::In(attribute, _) | Condition::Equals(attribute, _) | Condition::Matches(attribute, _)
            if sample.strings.contains_key(&*attribute.name) =>
        {
            let yes = holds(condition, sample);
            Possible { yes, no: !yes }
        }
        Condition::In(..)
        | Condition::Equals(..)
        | Condition::Matches(..)
        | Condition::Flag(_)
        | Condition::Number(..) => Possible { yes: true, no: true },
    }
}

/// How many commands a help text explains.
const REASONS_MAX: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_holds_each_command_once() {
        assert!(RUN_OTHERS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
