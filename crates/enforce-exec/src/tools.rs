//! A recorded permit -> the act and its output. Each family of tools is a file.

mod calls;
mod commands;
mod files;
mod programs;
mod run_context;
mod variables;

pub(crate) use calls::{Call, Calls};
pub use programs::{Programs, ProgramsError};
pub use variables::Variables;

use std::path::Path;
use std::time::Duration;

use enforce_core::Operation;
use enforce_core::judge::Permit;
use enforce_core::path::{Contained, Root};
use enforce_core::wire::{FileWriteExtended, ShellExecExtended, Tool};
use exec_record::RunContext;

use crate::act::{Begun, Done, Failed, Output};
use crate::charges::ImpliedOperation;
use crate::fault::{Fault, FaultCode};
use crate::files::Workspace;
use crate::obligations::Obligations;
use crate::path_judge::{PathDenied, PathJudge};
use crate::request_record::RequestRecord;
use crate::response::{Outcome, denial_response};
use crate::sandbox::{PRIVATE_HOME, Sandbox, SearchPath};

/// The tools that act: on files below a root, and by commands in a sandbox.
pub struct Tools {
    workspace: Workspace,
    sandbox: Sandbox,
    programs: Programs,
    variables: Variables,
    calls: Calls,
}

/// An act in progress.
struct Acting<'p, 'a> {
    tools: &'p Tools,
    workspace: &'p Workspace,
    permit: &'p Permit<'a>,
    obligations: &'p Obligations,
    paths: PathJudge<'p, 'a>,
    call: &'p Call<'p>,
}

impl Tools {
    /// Tools for files below the root and commands in the sandbox.
    ///
    /// # Errors
    /// When the root contains the sandbox's own directories or the system's programs.
    pub fn new(workspace: Workspace, sandbox: Sandbox) -> std::io::Result<Self> {
        if Path::new(PRIVATE_HOME).starts_with(workspace.path()) {
            let why =
                format!("`{}` cannot be the root: commands have a private directory there", workspace.path().display());
            return Err(std::io::Error::other(why));
        }
        if let Some(folder) = SearchPath::default().overlap(workspace.path()) {
            let (root, folder) = (workspace.path().display(), folder.display());
            let why = format!("`{root}` cannot be the root: commands could change the system's programs in `{folder}`");
            return Err(std::io::Error::other(why));
        }
        let programs = Programs::default().outside(workspace.path());
        Ok(Self { workspace, sandbox, programs, variables: Variables::default(), calls: Calls::default() })
    }

    /// The same tools with more directories of programs.
    #[must_use]
    pub fn with_programs(self, programs: Programs) -> Self {
        Self { programs: programs.outside(self.workspace.path()), ..self }
    }

    /// The same tools with the operator's settings for the variables of commands.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> Self {
        Self { variables, ..self }
    }

    /// Fails when a session cannot work in a directory of its root.
    pub(crate) fn check_folder(&self, root: &str, folder: &str) -> Result<(), String> {
        if folder.is_empty() {
            return Ok(());
        }
        let root = Root::new(root.as_bytes()).map_err(|_| "the root is not an absolute path".to_owned())?;
        let contained = Contained::new(root, b"", folder.as_bytes());
        let contained = contained.map_err(|_| "it is not inside the root".to_owned())?;
        let path = contained.components().collect::<Vec<_>>().join(&b'/');
        // Acts there are judged when they happen.
        self.workspace.open_folder(&path, &mut |_| Ok(())).map(|_| ()).map_err(|error| error.to_string())
    }

    /// True if this executor has the operation.
    pub(crate) fn supports(operation: Operation) -> bool {
        let others = [
            Operation::ShellExec,
            Operation::ShellInline,
            Operation::PytestRun,
            Operation::ProcList,
            Operation::ArtifactPublish,
        ];
        is_about_files(operation) || others.contains(&operation)
    }

    /// True if an act can be held to a requirement. Commands cannot be held to requirements about files.
    pub(crate) fn can_enforce(operation: Operation, requirement: &str) -> bool {
        requirement == NO_LINKS && is_about_files(operation)
    }

    /// The part of a command's context that rules are not asked about, for the record.
    pub(crate) fn run_context(permit: &Permit<'_>, record: &mut RequestRecord) -> Option<RunContext> {
        run_context::of(permit, record)
    }

    /// Does what is permitted.
    pub(crate) fn act(&self, begun: Begun<'_>, call: &Call<'_>) -> Done {
        let outcome = self.run(&begun, call);
        begun.end(outcome)
    }

    fn run(&self, begun: &Begun<'_>, call: &Call<'_>) -> Result<Output, Failed> {
        let (permit, obligations, paths) = (begun.permit(), begun.obligations(), begun.path_judge());
        let strict =
            obligations.requirements.iter().any(|name| name == NO_LINKS).then(|| self.workspace.without_links());
        let workspace = strict.as_ref().unwrap_or(&self.workspace);
        let acting = Acting { tools: self, workspace, permit, obligations, paths, call };
        match begun.request().tool() {
            Some(Tool::FileRead(read)) => acting.read(&read),
            Some(Tool::FileWrite(write)) => acting.write(&FileWriteExtended {
                path: write.path,
                content: write.content,
                create_only: write.create_only,
                append: write.append,
                ..FileWriteExtended::default()
            }),
            Some(Tool::FileWriteExtended(write)) => acting.write(&write),
            Some(Tool::FileEdit(edit)) => acting.edit(&edit),
            Some(Tool::FilePatch(patch)) => acting.patch(&patch),
            Some(Tool::FsList(list)) => acting.list(&list),
            Some(Tool::FsGrep(grep)) => acting.grep(&grep),
            Some(Tool::FsMove(both)) => acting.move_(&both),
            Some(Tool::FsCopy(both)) => acting.copy(&both),
            Some(Tool::FsDelete(delete)) => acting.delete(&delete),
            Some(Tool::ShellExec(exec)) => acting.exec(&ShellExecExtended {
                command: exec.command,
                cwd: exec.cwd,
                timeout_ms: exec.timeout_ms,
                network_access: exec.network_access,
                env: exec.env,
                stdin: &[],
            }),
            Some(Tool::ShellExecExtended(exec)) => acting.exec(&exec),
            Some(Tool::ShellInline(inline)) => acting.inline(&inline),
            Some(Tool::PytestRun(run)) => acting.pytest(&run),
            Some(Tool::ProcList(list)) => acting.processes(&list),
            _ => Err(Failed::Fault(Fault::new(FaultCode::Unsupported, "this executor does not have the tool"))),
        }
    }

    /// The operations that a request implies, judged, as far as the request names them. Whatever the core does not judge in a
    /// request is checked here as well, so that nothing denied is begun.
    pub(crate) fn implied_operations(
        &self,
        permit: &Permit<'_>,
        obligations: &Obligations,
        paths: PathJudge<'_, '_>,
        call: &Call<'_>,
    ) -> Result<Vec<ImpliedOperation>, Outcome> {
        let acting = Acting { tools: self, workspace: &self.workspace, permit, obligations, paths, call };
        let denied = |denied: PathDenied| denial_response(&denied, paths.attributes().operation());
        match permit.request().tool() {
            Some(Tool::FilePatch(patch)) => acting.implied_by_patch(&patch).map_err(denied),
            Some(Tool::FsList(list)) => acting.folder(&list).map(|_| Vec::new()).map_err(denied),
            Some(Tool::ShellExec(exec)) => acting.check_variables(&exec.env),
            Some(Tool::ShellExecExtended(exec)) => acting.check_variables(&exec.env),
            Some(Tool::ShellInline(inline)) => acting.check_variables(&inline.env),
            _ => Ok(Vec::new()),
        }
    }

    /// The running acts.
    pub(crate) fn calls(&self) -> &Calls {
        &self.calls
    }
}

impl Acting<'_, '_> {
    /// A path as it was judged: from the root on, in its shortest form.
    fn path(&self, path: impl AsRef<[u8]>) -> Result<Vec<u8>, PathDenied> {
        contained(self.permit, path.as_ref())
    }

    /// The policy's timeout for the act, or the usual one.
    fn time(&self, usual: Duration) -> Duration {
        self.obligations.most("timeout").map_or(usual, |most| usual.min(Duration::from_millis(most)))
    }
}

/// A path from the root on, in its shortest form.
fn contained(permit: &Permit<'_>, path: &[u8]) -> Result<Vec<u8>, PathDenied> {
    let session = permit.session();
    let from_there = if path.is_empty() { b"." } else { path };
    let contained = Contained::new(session.root, session.working_directory, from_there);
    let contained = contained.map_err(|_| PathDenied::escape(path))?;
    let components: Vec<&[u8]> = contained.components().collect();
    Ok(components.join(&b'/'))
}

/// A result as JSON.
pub(crate) fn json(value: &impl serde::Serialize, files: usize, bytes: u64) -> Result<Output, Failed> {
    match serde_json::to_vec(value) {
        Ok(result) => {
            let files = u64::try_from(files).unwrap_or(u64::MAX);
            Ok(Output { result, files, bytes, returned: 0, exit: None })
        }
        Err(error) => Err(Failed::Fault(Fault::new(FaultCode::Internal, error.to_string()))),
    }
}

fn is_about_files(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::FileRead
            | Operation::FileWrite
            | Operation::FileEdit
            | Operation::FilePatch
            | Operation::FsList
            | Operation::FsGrep
            | Operation::FsMove
            | Operation::FsCopy
            | Operation::FsDelete
    )
}

/// The requirement that no symbolic link is on the way to a file.
const NO_LINKS: &str = "no-links";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Links;

    #[test]
    fn invoke_root_that_holds_the_private_folders_of_commands_is_refused() {
        let tools = |root: &Path| {
            let workspace = Workspace::open(root, Links::FollowInside).unwrap();
            Tools::new(workspace, Sandbox::new(&[]).unwrap()).map(|_| ()).map_err(|error| error.to_string())
        };
        for root in ["/tmp", "/"] {
            let why = format!("`{root}` cannot be the root: commands have a private directory there");
            assert_eq!(tools(Path::new(root)), Err(why));
        }
        for root in ["/usr", "/usr/local", "/usr/bin"] {
            let why = tools(Path::new(root)).unwrap_err();
            assert!(
                why.starts_with(&format!("`{root}` cannot be the root: commands could change the system's programs")),
                "{why}"
            );
        }
        let below = tempfile::tempdir_in("/tmp").unwrap();
        assert_eq!(tools(below.path()), Ok(()));
    }
}
