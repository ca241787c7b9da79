//! Granted files and directories -> a Landlock ruleset that denies every other.
//!
//! Making a ruleset takes the kernel four times as long as applying it. Any number of lines can apply the same one, as long as
//! none of them adds a rule, so the last one is kept.
//!
//! There is no best effort: every right that the kernel's version knows is handled, and a missing path or a rule that cannot be
//! added is an error.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Folder, OpenSettings, UniqueIdentity, shown};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreated, Scope,
};
use rustix::io::Errno;

/// The rights on a file, or on everything in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Read and list.
    Read,
    /// Read, list and execute.
    Run,
    /// Everything except making device files and controlling devices.
    Write,
    /// Read and write data.
    Device,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// The kernel's Landlock version, at least [`VERSION_MIN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version(u32);

/// The reason why there is no ruleset for a command.
#[derive(Debug, thiserror::Error)]
pub enum RulesetError {
    #[error("cannot make a Landlock ruleset: {0}")]
    NotMade(String),
    #[error("Landlock cannot grant `{}`: {error}", shown(path))]
    NotGranted { path: PathBuf, error: Errno },
}

impl Version {
    pub(super) fn detect() -> Result<Self, String> {
        let version = super::sys::landlock_version().map_err(|error| format!("the kernel has no Landlock: {error}"))?;
        if version < VERSION_MIN {
            return Err(format!("the kernel has Landlock version {version}, but {VERSION_MIN} is required"));
        }
        Ok(Self(version))
    }

    pub(super) fn bits(self, access: Access, kind: Kind) -> u64 {
        match kind {
            Kind::Folder => self.rights(access).bits(),
            Kind::File => (self.rights(access) & AccessFs::from_file(self.abi())).bits(),
        }
    }

    fn rights(self, access: Access) -> BitFlags<AccessFs> {
        match access {
            Access::Read => AccessFs::ReadFile | AccessFs::ReadDir,
            Access::Run => AccessFs::ReadFile | AccessFs::ReadDir | AccessFs::Execute,
            Access::Write => {
                AccessFs::from_all(self.abi()) & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev)
            }
            Access::Device => AccessFs::ReadFile | AccessFs::WriteFile,
        }
    }

    fn abi(self) -> ABI {
        ABI::from(i32::try_from(self.0).unwrap_or(i32::MAX))
    }
}

/// A ruleset under construction.
pub(super) struct Rules {
    version: Version,
    ruleset: OwnedFd,
}

impl Rules {
    /// Starts with a ruleset that denies everything that the kernel's version can deny.
    pub(super) fn new(version: Version, network: bool) -> Result<Self, RulesetError> {
        let create = || {
            let abi = version.abi();
            let mut ruleset = Ruleset::default()
                .set_compatibility(CompatLevel::HardRequirement)
                .handle_access(AccessFs::from_all(abi))?;
            if !network && !AccessNet::from_all(abi).is_empty() {
                ruleset = ruleset.handle_access(AccessNet::from_all(abi))?;
            }
            if !Scope::from_all(abi).is_empty() {
                ruleset = ruleset.scope(Scope::from_all(abi))?;
            }
            ruleset.create()
        };
        let created: RulesetCreated = create().map_err(|error| RulesetError::NotMade(error.to_string()))?;
        let missing = || RulesetError::NotMade(Errno::OPNOTSUPP.to_string());
        let ruleset = Option::<OwnedFd>::from(created).ok_or_else(missing)?;
        Ok(Self { version, ruleset })
    }

    /// Grants an open file, or everything in an open directory; the path is only for messages.
    pub(super) fn grant(
        &self,
        held: impl AsFd,
        path: &Path,
        (access, kind): (Access, Kind),
    ) -> Result<(), RulesetError> {
        let bits = self.version.bits(access, kind);
        // The kernel refuses bits that the ruleset does not handle.
        super::sys::landlock_allow(self.ruleset.as_fd(), held.as_fd(), bits)
            .map_err(|error| RulesetError::NotGranted { path: path.to_owned(), error })
    }

    /// Returns the ruleset. A process can add rules to it, and apply it to itself.
    pub(super) fn finish(self) -> OwnedFd {
        self.ruleset
    }
}

/// The last ruleset for lines with a private directory. The ruleset keeps the directory alive and lives as long as it.
#[derive(Debug, Default)]
pub(super) struct LastRuleset {
    last: Mutex<Option<(Granted, Arc<OwnedFd>)>>,
}

/// Everything that can differ between two rulesets that grant the same private directory.
#[derive(Debug)]
pub(super) struct Granted {
    network: bool,
    settings: Arc<OpenSettings>,
    /// The ruleset keeps these directories alive, too, so that no other one gets the identity of one of them.
    folders: Vec<(Access, UniqueIdentity)>,
}

impl LastRuleset {
    /// Returns the last ruleset if it is for these grants, or else makes one.
    pub(super) fn get<E>(
        &self,
        granted: Granted,
        make: impl FnOnce() -> Result<Arc<OwnedFd>, E>,
    ) -> Result<Arc<OwnedFd>, E> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ruleset)) = last.as_ref().filter(|(before, _)| *before == granted) {
            return Ok(Arc::clone(ruleset));
        }
        let ruleset = make()?;
        *last = Some((granted, Arc::clone(&ruleset)));
        Ok(ruleset)
    }
}

impl Granted {
    /// None if one of the directories has no unique identity.
    pub(super) fn new<'a>(
        network: bool,
        settings: &Arc<OpenSettings>,
        folders: impl Iterator<Item = (Access, &'a Folder)>,
    ) -> Option<Self> {
        let folders =
            folders.map(|(access, folder)| Some((access, folder.unique_identity()?))).collect::<Option<Vec<_>>>()?;
        Some(Self { network, settings: Arc::clone(settings), folders })
    }
}

impl PartialEq for Granted {
    fn eq(&self, other: &Self) -> bool {
        let Self { network, settings, folders } = self;
        *network == other.network && Arc::ptr_eq(settings, &other.settings) && *folders == other.folders
    }
}

/// The first version that can deny truncating a file.
const VERSION_MIN: u32 = 3;

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::sandbox::settings::SettingsCache;

    #[test]
    fn writing_includes_no_device_and_reading_no_writing() {
        let version = Version::detect().unwrap();
        for kind in [Kind::File, Kind::Folder] {
            let bits = |access| version.bits(access, kind);
            let devices = (AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev).bits();
            assert_eq!(bits(Access::Write) & devices, 0);
            let writes = AccessFs::from_write(version.abi()).bits();
            assert_eq!((bits(Access::Read) | bits(Access::Run)) & writes, 0);
            assert_ne!(bits(Access::Write) & BitFlags::from(AccessFs::Truncate).bits(), 0);
        }
    }

    #[test]
    fn a_file_is_not_granted_as_a_folder() {
        let rules = Rules::new(Version::detect().unwrap(), false).unwrap();
        let path = Path::new("/etc/passwd");
        let error = rules.grant(std::fs::File::open(path).unwrap(), path, (Access::Read, Kind::Folder)).err().unwrap();
        assert!(error.to_string().starts_with("Landlock cannot grant `/etc/passwd`: "), "{error}");
        assert!(rules.grant(std::fs::File::open("/etc").unwrap(), path, (Access::Read, Kind::Folder)).is_ok());
    }

    /// True if the last ruleset was another one.
    fn is_new(last: &LastRuleset, network: bool, settings: &Arc<OpenSettings>, folders: &[(Access, &Folder)]) -> bool {
        let granted = Granted::new(network, settings, folders.iter().copied()).unwrap();
        let mut is_new = false;
        let make = || {
            is_new = true;
            Ok::<_, Infallible>(Arc::new(rustix::pipe::pipe().unwrap().0))
        };
        last.get(granted, make).unwrap();
        is_new
    }

    #[test]
    fn the_same_grants_have_the_same_ruleset_and_others_another() {
        let settings = || SettingsCache::default().get(&[]);
        let (last, first, second) = (LastRuleset::default(), settings(), settings());
        // The temporary folder's own file system may not tell its folders apart.
        let folder = |path: &str| Folder::open(path.as_ref()).unwrap();
        let [one, again, other] = ["/usr", "/usr", "/usr/bin"].map(folder);
        if one.unique_identity().is_none() {
            return eprintln!("NOT TESTED: the file system of /usr, or the kernel, does not tell folders apart");
        }
        let run = [(Access::Run, &one)];
        let folders: [&[_]; 4] =
            [&run, &[(Access::Write, &one)], &[(Access::Run, &other)], &[(Access::Run, &one), (Access::Run, &other)]];
        let granted = [(true, &first, &run[..]), (false, &second, &run[..])];
        for (network, settings, folders) in granted.into_iter().chain(folders.map(|it| (false, &first, it))) {
            assert!(is_new(&last, network, settings, folders));
            assert!(!is_new(&last, network, settings, folders));
        }
        assert!(is_new(&last, false, &first, &[(Access::Run, &one)]));
        assert!(!is_new(&last, false, &first, &[(Access::Run, &again)]));
    }
}
