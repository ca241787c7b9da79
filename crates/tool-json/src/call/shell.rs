//! The tools that run something, and the list of what runs.

use std::collections::BTreeMap;

use tool_proto::tool_request::Tool;

use super::arguments::{arguments, pairs, plain_arguments, text, unpaired};
use super::error::CallWrong;
use crate::json::{Object, read};

plain_arguments! {
    PytestRun = PytestRun {
        paths: Vec<String> = paths; timeout_ms: u64 = timeout_ms, allow_network: bool = network_access
    }
    ProcList = ProcList {; filter: String = filter, limit: u64 = limit }
}

arguments! {
    ShellExec {
        cmd: String;
        cwd: String, timeout_ms: u64, env: BTreeMap<String, String>, stdin: Option<String>, allow_network: bool
    }
    ShellInline {
        interpreter: String, script: String;
        cwd: String, timeout_ms: u64, env: BTreeMap<String, String>, allow_network: bool
    }
}

/// The shorter message when nothing is put in.
pub(super) fn exec(args: Object) -> Result<Tool, CallWrong> {
    let ShellExec { cmd: command, cwd, timeout_ms, env, stdin, allow_network: network_access } = read(args)?;
    let env = pairs("env", env)?;
    Ok(match stdin {
        None => Tool::ShellExec(tool_proto::ShellExec { command, cwd, timeout_ms, network_access, env }),
        Some(stdin) => Tool::ShellExecExtended(tool_proto::ShellExecExtended {
            command,
            cwd,
            timeout_ms,
            network_access,
            env,
            stdin: stdin.into_bytes(),
        }),
    })
}

pub(super) fn executed(exec: tool_proto::ShellExec) -> Result<Object, CallWrong> {
    let tool_proto::ShellExec { command: cmd, cwd, timeout_ms, network_access: allow_network, env } = exec;
    let env = unpaired("env", env)?;
    Ok(ShellExec { cmd, cwd, timeout_ms, env, stdin: None, allow_network }.object())
}

pub(super) fn executed_with_input(exec: tool_proto::ShellExecExtended) -> Result<Object, CallWrong> {
    let tool_proto::ShellExecExtended { command: cmd, cwd, timeout_ms, network_access: allow_network, env, stdin } =
        exec;
    let (env, stdin) = (unpaired("env", env)?, Some(text("stdin", stdin)?));
    Ok(ShellExec { cmd, cwd, timeout_ms, env, stdin, allow_network }.object())
}

pub(super) fn inline(args: Object) -> Result<Tool, CallWrong> {
    let ShellInline { interpreter, script, cwd, timeout_ms, env, allow_network: network_access } = read(args)?;
    let env = pairs("env", env)?;
    Ok(Tool::ShellInline(tool_proto::ShellInline { interpreter, script, cwd, timeout_ms, network_access, env }))
}

pub(super) fn interpreted(inline: tool_proto::ShellInline) -> Result<Object, CallWrong> {
    let tool_proto::ShellInline { interpreter, script, cwd, timeout_ms, network_access: allow_network, env } = inline;
    let env = unpaired("env", env)?;
    Ok(ShellInline { interpreter, script, cwd, timeout_ms, env, allow_network }.object())
}
