//! Checked policies -> the findings to show: in order, each once, with places people can find.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use policy_model::Checked;
use policy_syntax::{Diagnostic, Location, Position, Severity, Source, Sources, Span};

/// The findings of a run.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    /// The names of the policies that were checked, in the order they were given, each once.
    pub(crate) policies: Vec<&'a str>,
    /// All findings, by file and place.
    pub(crate) findings: Vec<Finding<'a>>,
}

impl<'a> Report<'a> {
    /// Merges the checks of several policies. What an earlier one has said about a file they share
    /// is not said again.
    pub(crate) fn of(checked: impl IntoIterator<Item = &'a Checked>) -> Self {
        let mut policies: Vec<&str> = Vec::new();
        let mut findings: Vec<Finding<'_>> = Vec::new();
        let mut said = BTreeSet::new();
        for one in checked {
            let name = one.sources.get(one.root).map_or("", Source::name);
            if !policies.contains(&name) {
                policies.push(name);
            }
            let mut own: Vec<_> =
                one.diagnostics.iter().map(|d| Finding { diagnostic: d, sources: &one.sources }).collect();
            own.sort_by_key(|finding| finding.diagnostic.primary.at);
            own.retain(|finding| !said.contains(&finding.identity()));
            // Only afterwards: two findings of one check at one place are two findings.
            said.extend(own.iter().map(Finding::identity));
            findings.append(&mut own);
        }
        Self { policies, findings }
    }

    /// Counts the findings of a severity.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity() == severity).count()
    }

    /// The findings of each file: the checked policies in their order, then what they import.
    pub(crate) fn by_file(&self) -> Vec<(&'a str, Vec<&Finding<'a>>)> {
        let mut order: Vec<&str> = self.policies.clone();
        let mut groups: BTreeMap<&str, Vec<&Finding<'_>>> = order.iter().map(|name| (*name, Vec::new())).collect();
        for finding in &self.findings {
            let name = finding.file_name();
            groups
                .entry(name)
                .or_insert_with(|| {
                    order.push(name);
                    Vec::new()
                })
                .push(finding);
        }
        order.into_iter().map(|name| (name, groups.remove(name).unwrap_or_default())).collect()
    }
}

/// A finding and the texts its places are in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finding<'a> {
    pub(crate) diagnostic: &'a Diagnostic,
    pub(crate) sources: &'a Sources,
}

impl<'a> Finding<'a> {
    pub(crate) fn severity(&self) -> Severity {
        self.diagnostic.code.severity
    }

    /// The name of the file to change.
    pub(crate) fn file_name(&self) -> &'a str {
        self.source(self.diagnostic.primary.at).map_or("", Source::name)
    }

    /// Where the file is to be changed.
    pub(crate) fn region(&self) -> Region {
        self.region_of(self.diagnostic.primary.at)
    }

    /// Any of the finding's places.
    pub(crate) fn region_of(&self, at: Location) -> Region {
        let position = |offset| self.source(at).map_or(Position { line: 1, column: 1 }, |s| s.position(offset));
        Region { start: position(at.span.start), end: position(at.span.end.max(at.span.start)) }
    }

    pub(crate) fn source(&self, at: Location) -> Option<&'a Source> {
        self.sources.get(at.file)
    }

    /// Equal for one finding in several checks.
    fn identity(&self) -> (String, Span, &'static str) {
        let name = plain_path(self.file_name());
        (name, self.diagnostic.primary.at.span, self.diagnostic.code.id)
    }
}

/// From a line and column up to, not including, another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: Position,
    pub(crate) end: Position,
}

/// A path with `/` between its parts and without needless `.` parts.
pub(crate) fn plain_path(path: &str) -> String {
    let mut plain = String::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => continue,
            Component::RootDir => plain.push('/'),
            Component::Prefix(_) | Component::ParentDir | Component::Normal(_) => {
                if !plain.is_empty() && !plain.ends_with('/') {
                    plain.push('/');
                }
                plain.push_str(&part.as_os_str().to_string_lossy());
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_have_slashes_and_no_dots_to_skip() {
        let plain: Vec<_> =
            ["./a.policy", "a/./b//c.policy", "../a.policy", "/a/b", "/", ""].into_iter().map(plain_path).collect();
        assert_eq!(plain, ["a.policy", "a/b/c.policy", "../a.policy", "/a/b", "/", ""]);
    }
}
