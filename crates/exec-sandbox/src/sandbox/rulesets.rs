//! The grants of a line -> a Landlock ruleset: the one of the line before, if that had the same grants.
//!
//! Making a ruleset takes the kernel four times as long as applying it. Any number of lines can apply the same ruleset, as long
//! as none of them adds a rule.

use super::{Access, Folder, OpenSettings, UniqueIdentity};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::sandbox::settings::SettingsCache;

    /// Whether the last ruleset was another one.
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
