//! A permit -> the act it permits, and what that gave. Each tool family is a file.

mod calls;
mod commands;
mod files;
mod programs;
mod setting;
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
use exec_record::Setting;

use crate::again::{Again, Denied};
use crate::charges::Further;
use crate::fault::{Fault, FaultCode};
use crate::files::Workspace;
use crate::obligations::Obligations;
use crate::sandbox::{Exit, SearchPath};
use crate::sandbox::{PRIVATE_HOME, Sandbox};

/// What acts: files below a root, and commands in a sandbox.
pub struct Tools {
    workspace: Workspace,
    sandbox: Sandbox,
    programs: Programs,
    variables: Variables,
    calls: Calls,
}

/// What an act gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Done {
    /// The bytes of a file, or JSON of [`crate::results`].
    pub(crate) result: Vec<u8>,
    /// Files that were read or changed.
    pub(crate) files: u64,
    /// Bytes that were read or written.
    pub(crate) bytes: u64,
    /// How much of what is measured was given: bytes of content, bytes of output that were kept, or results.
    pub(crate) given: u64,
    /// How what was run has ended, if something was.
    pub(crate) exit: Option<Exit>,
}

/// Why an act was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Something failed, and nothing is done.
    Fault(Fault),
    /// Something failed when so many files were changed.
    Partly(Fault, u64),
    /// It would have reached what is denied.
    Denied(Denied),
    /// There are more bytes to give than may be.
    TooLarge {
        /// How many.
        bytes: u64,
        /// In a sentence.
        why: String,
    },
}

/// An act that is under way.
struct Acting<'p, 'a> {
    tools: &'p Tools,
    workspace: &'p Workspace,
    permit: &'p Permit<'a>,
    obligations: &'p Obligations,
    again: Again<'p, 'a>,
    call: &'p Call<'p>,
}

impl Done {
    /// With so much of what is measured.
    pub(crate) fn giving(self, given: usize) -> Self {
        Self { given: u64::try_from(given).unwrap_or(u64::MAX), ..self }
    }
}

impl Tools {
    /// Acts on files below the root, and runs commands in the sandbox.
    ///
    /// # Errors
    /// When the root is where a sandbox has its own folders, or the system its programs.
    pub fn new(workspace: Workspace, sandbox: Sandbox) -> std::io::Result<Self> {
        if Path::new(PRIVATE_HOME).starts_with(workspace.path()) {
            let why = format!("`{}` is no root: commands have a private folder there", workspace.path().display());
            return Err(std::io::Error::other(why));
        }
        if let Some(folder) = SearchPath::default().overlap(workspace.path()) {
            let (root, folder) = (workspace.path().display(), folder.display());
            let why = format!("`{root}` is no root: commands could change the system's programs in `{folder}`");
            return Err(std::io::Error::other(why));
        }
        let programs = Programs::default().outside(workspace.path());
        Ok(Self { workspace, sandbox, programs, variables: Variables::default(), calls: Calls::default() })
    }

    /// With further folders of programs.
    #[must_use]
    pub fn with_programs(self, programs: Programs) -> Self {
        Self { programs: programs.outside(self.workspace.path()), ..self }
    }

    /// With what the operator says of the variables of commands.
    #[must_use]
    pub fn with_variables(self, variables: Variables) -> Self {
        Self { variables, ..self }
    }

    /// Whether a session can work in a folder of its root.
    pub(crate) fn check_folder(&self, root: &str, folder: &str) -> Result<(), String> {
        if folder.is_empty() {
            return Ok(());
        }
        let root = Root::new(root.as_bytes()).map_err(|_| "the root is none".to_owned())?;
        let contained = Contained::new(root, b"", folder.as_bytes());
        let contained = contained.map_err(|_| "it is not inside the root".to_owned())?;
        let path = contained.components().collect::<Vec<_>>().join(&b'/');
        // What is done there is judged when it is done.
        self.workspace.open_folder(&path, &mut |_| Ok(())).map(|_| ()).map_err(|error| error.to_string())
    }

    /// Whether an operation is done here.
    pub(crate) fn know(operation: Operation) -> bool {
        let others = [
            Operation::ShellExec,
            Operation::ShellInline,
            Operation::PytestRun,
            Operation::ProcList,
            Operation::ArtifactPublish,
        ];
        is_about_files(operation) || others.contains(&operation)
    }

    /// Whether an act is held to what a rule requires. A command is not held to what rules say of files.
    pub(crate) fn hold(operation: Operation, requirement: &str) -> bool {
        requirement == NO_LINKS && is_about_files(operation)
    }

    /// What is on record of how something is run.
    pub(crate) fn setting(permit: &Permit<'_>, obligations: &mut Obligations) -> Option<Setting> {
        setting::setting(permit, obligations)
    }

    /// Does what is permitted.
    pub(crate) fn act(
        &self,
        permit: &Permit<'_>,
        obligations: &Obligations,
        again: Again<'_, '_>,
        call: &Call<'_>,
    ) -> Result<Done, Failed> {
        let strict =
            obligations.requirements.iter().any(|name| name == NO_LINKS).then(|| self.workspace.without_links());
        let workspace = strict.as_ref().unwrap_or(&self.workspace);
        let acting = Acting { tools: self, workspace, permit, obligations, again, call };
        match permit.request().tool() {
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

    /// What comes with an act as another operation, as far as its request says it, and may. What the request says in a way
    /// that the judge does not read is judged here as well: what is denied is not begun.
    pub(crate) fn comes_with(
        &self,
        permit: &Permit<'_>,
        obligations: &Obligations,
        again: Again<'_, '_>,
        call: &Call<'_>,
    ) -> Result<Vec<Further>, Denied> {
        let acting = Acting { tools: self, workspace: &self.workspace, permit, obligations, again, call };
        match permit.request().tool() {
            Some(Tool::FilePatch(patch)) => acting.comes_with_patch(&patch),
            Some(Tool::FsList(list)) => acting.folder(&list).map(|_| Vec::new()),
            _ => Ok(Vec::new()),
        }
    }

    /// The acts under way.
    pub(crate) fn calls(&self) -> &Calls {
        &self.calls
    }
}

impl From<Denied> for Failed {
    fn from(denied: Denied) -> Self {
        Self::Denied(denied)
    }
}

impl Acting<'_, '_> {
    /// A path as it was judged: from the root on, in its shortest form.
    fn path(&self, path: impl AsRef<[u8]>) -> Result<Vec<u8>, Denied> {
        contained(self.permit, path.as_ref())
    }

    /// The policy's time for the act, or the usual one.
    fn time(&self, usual: Duration) -> Duration {
        self.obligations.most("timeout").map_or(usual, |most| usual.min(Duration::from_millis(most)))
    }
}

/// A path from the root on, in its shortest form.
fn contained(permit: &Permit<'_>, path: &[u8]) -> Result<Vec<u8>, Denied> {
    let session = permit.session();
    let from_there = if path.is_empty() { b"." } else { path };
    let contained = Contained::new(session.root, session.working_directory, from_there);
    let contained = contained.map_err(|_| Denied::escape(path))?;
    let components: Vec<&[u8]> = contained.components().collect();
    Ok(components.join(&b'/'))
}

/// JSON of a result.
pub(crate) fn json(value: &impl serde::Serialize, files: usize, bytes: u64) -> Result<Done, Failed> {
    match serde_json::to_vec(value) {
        Ok(result) => {
            let files = u64::try_from(files).unwrap_or(u64::MAX);
            Ok(Done { result, files, bytes, given: 0, exit: None })
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
            let why = format!("`{root}` is no root: commands have a private folder there");
            assert_eq!(tools(Path::new(root)), Err(why));
        }
        for root in ["/usr", "/usr/local", "/usr/bin"] {
            let why = tools(Path::new(root)).unwrap_err();
            assert!(
                why.starts_with(&format!("`{root}` is no root: commands could change the system's programs")),
                "{why}"
            );
        }
        let below = tempfile::tempdir_in("/tmp").unwrap();
        assert_eq!(tools(below.path()), Ok(()));
    }
}
