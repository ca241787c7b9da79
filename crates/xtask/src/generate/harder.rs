//! The harder mix: ten rules for each project, projects within projects, and extensions that are
//! denied or allowed in one project alone, so that no global rule answers for the others.

use super::{AREAS, Draw, Kind, Rule, WORDS, denial};

/// Where the rules of a project speak of.
#[derive(Debug, Default)]
pub(super) struct Project {
    folder: String,
    depth: usize,
}

impl Draw {
    /// A project below the last one, or a new one at the top.
    pub(super) fn next_project(&mut self, index: usize) {
        let goes_deeper = (1..DEPTH_MAX).contains(&self.project.depth) && self.rng.bool();
        let name = format!("{}-{:04}", self.pick(WORDS), index / self.kinds.len());
        self.project = if goes_deeper {
            Project { folder: format!("{}/{name}", self.project.folder), depth: self.project.depth + 1 }
        } else {
            Project { folder: format!("crates/{name}"), depth: 1 }
        };
    }

    pub(super) fn project_extension(&mut self, subject: &str, index: usize) -> Rule {
        let (folder, extension) = (&self.project.folder, format!("{}{index}", self.project.word()));
        let path = format!("{folder}/a.{extension}");
        let pattern = format!("{folder}/**/*.{extension}");
        if self.rng.bool() {
            return denial(Kind::ProjectExtension, subject, &pattern, &path);
        }
        let bytes = self.rng.u32(1..=64);
        Rule {
            kind: Kind::ProjectExtension,
            name: format!("patch-{subject}"),
            clauses: vec![
                String::from("allow coder to file.patch"),
                format!("where path in \"{pattern}\""),
                format!("limit bytes <= {bytes} MiB"),
            ],
            request: format!("coder file.patch path \"{path}\""),
            effect: "allow",
        }
    }

    /// A project within a project is another operation's, so that each has a test of its own.
    pub(super) fn whole_project(&mut self, subject: &str) -> Rule {
        let bytes = self.rng.u32(1..=64);
        let folder = &self.project.folder;
        let (role, operation) = match self.project.depth {
            1 => ("reader", "file.read"),
            2 => ("coder", "file.edit"),
            _ => ("coder", "file.write"),
        };
        Rule {
            kind: Kind::Project,
            name: format!("open-{subject}"),
            clauses: vec![
                format!("allow {role} to {operation}"),
                format!("where path in \"{folder}/**\" and not path in generated-files"),
                format!("limit bytes <= {bytes} MiB"),
            ],
            request: format!("{role} {operation} path \"{folder}/lib.rs\""),
            effect: "allow",
        }
    }

    pub(super) fn in_project(&mut self, subject: &str) -> Rule {
        let area = self.pick(AREAS);
        let folder = format!("{}/{area}/{subject}", self.project.folder);
        if self.rng.bool() {
            return denial(Kind::InProject, subject, &format!("{folder}/**"), &format!("{folder}/lib.rs"));
        }
        Rule {
            kind: Kind::InProject,
            name: format!("clear-{subject}"),
            clauses: vec![String::from("ask coder to fs.delete"), format!("where path in \"{folder}/**\"")],
            request: format!("coder fs.delete path \"{folder}/lib.rs\""),
            effect: "ask",
        }
    }
}

impl Project {
    /// The first word of its own name.
    fn word(&self) -> &str {
        let name = self.folder.rsplit('/').next().unwrap_or_default();
        name.split('-').next().unwrap_or_default()
    }
}

pub(super) const KINDS: [Kind; 10] = [
    Kind::ProjectExtension,
    Kind::ProjectExtension,
    Kind::ProjectExtension,
    Kind::Project,
    Kind::InProject,
    Kind::FileName,
    Kind::Command,
    Kind::Command,
    Kind::Host,
    Kind::Branch,
];

/// Projects in each other.
const DEPTH_MAX: usize = 3;
