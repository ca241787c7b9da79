//! What an order grants -> a Landlock ruleset for it: the one that was made before for the same, if there is one.
//!
//! To make one takes the kernel five times as long as to enter one. Who enters it gets a copy, so any number of lines can
//! enter the same, as long as none of them adds to it.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

use super::folder::{Folder, Spot};
use super::landlock::Access;
use super::settings::Settings;

/// The rulesets that were asked for last.
#[derive(Debug, Default)]
pub(super) struct Rulesets {
    kept: Mutex<VecDeque<(Granted, Arc<OwnedFd>)>>,
}

/// All that can differ between two rulesets of one sandbox.
#[derive(Debug)]
pub(super) struct Granted {
    network: bool,
    settings: Arc<Settings>,
    /// A ruleset holds on to what it grants, so that no other folder gets its spot.
    folders: Vec<(Access, Spot)>,
}

impl Rulesets {
    /// The ruleset for these grants, or else a new one.
    pub(super) fn get<E>(
        &self,
        granted: Granted,
        make: impl FnOnce(&Settings) -> Result<Arc<OwnedFd>, E>,
    ) -> Result<Arc<OwnedFd>, E> {
        if let Some(ruleset) = self.find(&granted) {
            return Ok(ruleset);
        }
        let ruleset = make(&granted.settings)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        // What was opened before is not asked for again.
        kept.retain(|(other, _)| Arc::ptr_eq(&other.settings, &granted.settings));
        kept.truncate(KEPT_MAX.saturating_sub(1));
        kept.push_front((granted, Arc::clone(&ruleset)));
        Ok(ruleset)
    }

    fn find(&self, granted: &Granted) -> Option<Arc<OwnedFd>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(other, _)| other == granted)?;
        let found = kept.remove(at)?;
        let ruleset = Arc::clone(&found.1);
        kept.push_front(found);
        Some(ruleset)
    }
}

impl Granted {
    /// None where the kernel does not tell one spot from every later one.
    pub(super) fn new<'a>(
        network: bool,
        settings: &Arc<Settings>,
        folders: impl Iterator<Item = (Access, &'a Folder)>,
    ) -> Option<Self> {
        let folders = folders.map(|(access, folder)| Some((access, folder.spot()?))).collect::<Option<Vec<_>>>()?;
        Some(Self { network, settings: Arc::clone(settings), folders })
    }
}

impl PartialEq for Granted {
    fn eq(&self, other: &Self) -> bool {
        let Self { network, settings, folders } = self;
        *network == other.network && Arc::ptr_eq(settings, &other.settings) && *folders == other.folders
    }
}

/// More than this many lines rarely run together, each with its own private folder.
const KEPT_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::sandbox::settings::Opened;

    fn get(rulesets: &Rulesets, network: bool, settings: &Arc<Settings>, folders: &[(Access, &Folder)]) -> usize {
        let granted = Granted::new(network, settings, folders.iter().copied()).unwrap();
        let make = |_: &Settings| Ok::<_, Infallible>(Arc::new(rustix::pipe::pipe().unwrap().0));
        // Those that are kept have different addresses.
        Arc::as_ptr(&rulesets.get(granted, make).unwrap()).addr()
    }

    fn settings() -> Arc<Settings> {
        Opened::default().get(&[])
    }

    #[test]
    fn the_same_grants_have_the_same_ruleset_and_others_another() {
        let (rulesets, settings) = (Rulesets::default(), settings());
        let places = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let [one, other] = [0, 1].map(|at: usize| Folder::open(places[at].path()).unwrap());
        let again = Folder::open(places[0].path()).unwrap();
        let first = get(&rulesets, false, &settings, &[(Access::Run, &one)]);
        let different = [
            get(&rulesets, true, &settings, &[(Access::Run, &one)]),
            get(&rulesets, false, &settings, &[(Access::Write, &one)]),
            get(&rulesets, false, &settings, &[(Access::Run, &other)]),
            get(&rulesets, false, &settings, &[(Access::Run, &one), (Access::Run, &other)]),
            get(&rulesets, false, &settings, &[]),
        ];
        assert!(!different.contains(&first));
        assert_eq!(get(&rulesets, false, &settings, &[(Access::Run, &again)]), first);
    }

    #[test]
    fn what_grants_settings_that_were_replaced_is_dropped() {
        let (rulesets, replaced) = (Rulesets::default(), settings());
        get(&rulesets, false, &replaced, &[]);
        get(&rulesets, false, &settings(), &[]);
        assert_eq!(rulesets.kept.lock().unwrap().len(), 1);
        assert_eq!(Arc::strong_count(&replaced), 1);
    }

    #[test]
    fn only_so_many_are_kept_and_those_that_were_used_last() {
        let (rulesets, settings) = (Rulesets::default(), settings());
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let folders = [(Access::Run, &folder); KEPT_MAX];
        let first = get(&rulesets, false, &settings, &[]);
        for more in 1..=KEPT_MAX {
            get(&rulesets, false, &settings, &folders[..more]);
            assert_eq!(get(&rulesets, false, &settings, &[]), first);
        }
        assert_eq!(rulesets.kept.lock().unwrap().len(), KEPT_MAX);
    }
}
