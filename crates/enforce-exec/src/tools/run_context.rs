//! A permit -> the part of a command's context that rules are not asked about, for the record.

use enforce_core::judge::Permit;
use enforce_core::wire::{Texts, Tool};
use exec_record::{Digest, Environment, RunContext, Text, Written};

use super::contained;
use crate::request_record::RequestRecord;

/// The context of a command; `None` for a request that runs nothing.
pub(super) fn of(permit: &Permit<'_>, record: &mut RequestRecord) -> Option<RunContext> {
    let nothing: &[u8] = &[];
    let (line, cwd, script, stdin, env) = match permit.request().tool()? {
        Tool::ShellExec(exec) => (full_command(exec.command, record), exec.cwd, nothing, nothing, exec.env),
        Tool::ShellExecExtended(exec) => (full_command(exec.command, record), exec.cwd, nothing, exec.stdin, exec.env),
        Tool::ShellInline(inline) => (None, inline.cwd, inline.script.as_bytes(), nothing, inline.env),
        Tool::PytestRun(run) => {
            let paths: Vec<&str> = run.paths.iter().collect();
            let paths = record.full_command_for_record(paths.join(" ").as_bytes(), Written::Name);
            (paths, "", nothing, nothing, Texts::default())
        }
        _ => return None,
    };
    // The judge has checked that it is inside the root.
    let folder = contained(permit, cwd.as_bytes()).unwrap_or_else(|_| cwd.as_bytes().to_owned());
    Some(RunContext {
        working_directory: Text::of_name(&folder),
        line,
        script: digest(script),
        stdin: digest(stdin),
        environment: environment(&env),
    })
}

fn full_command(line: &str, record: &mut RequestRecord) -> Option<Text> {
    record.full_command_for_record(line.as_bytes(), Written::Command)
}

fn digest(bytes: &[u8]) -> Option<Digest> {
    (!bytes.is_empty()).then(|| Digest::of(bytes))
}

/// The names of the variables; their values may be secrets.
fn environment(entries: &Texts<'_>) -> Option<Environment> {
    let names: Vec<Text> = entries.iter().map(|entry| Text::new(entry.split('=').next().unwrap_or_default())).collect();
    let mut digest = blake3::Hasher::new();
    for entry in entries.iter() {
        digest.update(entry.as_bytes()).update(b"\0");
    }
    (!names.is_empty()).then(|| Environment { names, digest: digest.finalize().into() })
}
