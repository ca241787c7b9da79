//! A permit -> what is on record of how something is run, beside what rules were asked about.

use enforce_core::judge::Permit;
use enforce_core::wire::{Texts, Tool};
use exec_record::{Digest, Environment, Setting, Text, Written};

use super::contained;
use crate::obligations::Obligations;

/// How something is run; nothing for what runs nothing.
pub(super) fn setting(permit: &Permit<'_>, obligations: &mut Obligations) -> Option<Setting> {
    let nothing: &[u8] = &[];
    let (line, cwd, script, stdin, env) = match permit.request().tool()? {
        Tool::ShellExec(exec) => (whole(exec.command, obligations), exec.cwd, nothing, nothing, exec.env),
        Tool::ShellExecExtended(exec) => (whole(exec.command, obligations), exec.cwd, nothing, exec.stdin, exec.env),
        Tool::ShellInline(inline) => (None, inline.cwd, inline.script.as_bytes(), nothing, inline.env),
        Tool::PytestRun(run) => {
            let paths: Vec<&str> = run.paths.iter().collect();
            let paths = obligations.whole(paths.join(" ").as_bytes(), Written::Name);
            (paths, "", nothing, nothing, Texts::default())
        }
        _ => return None,
    };
    // The judge has seen that it is inside the root; if it were not, nothing would be run there.
    let folder = contained(permit, cwd.as_bytes()).unwrap_or_else(|_| cwd.as_bytes().to_owned());
    Some(Setting {
        working_directory: Text::of_name(&folder),
        line,
        script: digest(script),
        stdin: digest(stdin),
        environment: environment(&env),
    })
}

fn whole(line: &str, obligations: &mut Obligations) -> Option<Text> {
    obligations.whole(line.as_bytes(), Written::Command)
}

fn digest(bytes: &[u8]) -> Option<Digest> {
    (!bytes.is_empty()).then(|| Digest::of(bytes))
}

/// Names say what a variable is for, and values may be secrets.
fn environment(entries: &Texts<'_>) -> Option<Environment> {
    let names: Vec<Text> = entries.iter().map(|entry| Text::new(entry.split('=').next().unwrap_or_default())).collect();
    let mut digest = blake3::Hasher::new();
    for entry in entries.iter() {
        digest.update(entry.as_bytes()).update(b"\0");
    }
    (!names.is_empty()).then(|| Environment { names, digest: digest.finalize().into() })
}
