//! A frozen policy -> the bytes and the paths of its files.

use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use policy_model::{Checked, Model};
use policy_syntax::{FileId, Source};
use policy_table::{Frozen, Manifest};

use crate::cli::BuildArgs;
use crate::exit::RunError;

/// The table of a policy and the bytes of the other files made from it.
#[derive(Debug)]
pub(super) struct Artifacts {
    pub(super) frozen: Frozen,
    pub(super) manifest: Manifest,
    manifest_text: String,
    cedar: Option<CedarText>,
}

#[derive(Debug)]
struct CedarText {
    policies: String,
    schema: String,
}

/// The common start of the files' names.
#[derive(Debug)]
pub(super) struct Stem(pub(super) PathBuf);

impl Artifacts {
    pub(super) fn new(args: &BuildArgs, checked: &Checked, model: &Model, frozen: Frozen) -> Result<Self, RunError> {
        let names = Names::of(&args.policy);
        let name = |file: FileId, source: &Source| match file == checked.root {
            true => names.root.clone(),
            false => names.import(source.name()),
        };
        let manifest = Manifest::new(model, &checked.sources, &frozen, name);
        let mut manifest_text =
            serde_json::to_string_pretty(&manifest).map_err(|error| RunError::Format(error.to_string()))?;
        manifest_text.push('\n');
        let cedar = if args.cedar { Some(cedar(model)?) } else { None };
        Ok(Self { frozen, manifest, manifest_text, cedar })
    }

    /// Returns the files in the order they are written, the table first.
    pub(super) fn files(&self, stem: &Stem) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = vec![
            (stem.with(".table"), self.frozen.bytes.clone()),
            (stem.with(".manifest.json"), self.manifest_text.clone().into_bytes()),
        ];
        if let Some(cedar) = &self.cedar {
            files.push((stem.with(".cedar"), cedar.policies.clone().into_bytes()));
            files.push((stem.with(".cedarschema"), cedar.schema.clone().into_bytes()));
        }
        files
    }
}

#[cfg(feature = "cedar")]
fn cedar(model: &Model) -> Result<CedarText, RunError> {
    let compiled = policy_cedar::compile(model).map_err(|error| RunError::Cedar(error.to_string()))?;
    Ok(CedarText { policies: compiled.policies_text, schema: compiled.schema_text })
}

#[cfg(not(feature = "cedar"))]
fn cedar(_: &Model) -> Result<CedarText, RunError> {
    Err(RunError::Cedar(
        "this program was built without it; `cargo install --locked --path crates/policyc` builds one that has it"
            .to_owned(),
    ))
}

impl Stem {
    /// Appends instead of replacing an extension, because a policy may be called `agent.v2`.
    fn with(&self, end: &str) -> PathBuf {
        let mut path = OsString::from(self.0.as_os_str());
        path.push(end);
        PathBuf::from(path)
    }
}

/// The names of a policy's files, relative to its directory.
struct Names {
    root: String,
    /// The directory as the user named it, and its canonical path.
    folders: [PathBuf; 2],
}

impl Names {
    fn of(policy: &Path) -> Self {
        let canonical = fs::canonicalize(policy).unwrap_or_else(|_| policy.to_owned());
        let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        let name = canonical.file_name().unwrap_or(policy.as_os_str());
        Self { root: name.to_string_lossy().into_owned(), folders: [folder(policy), folder(&canonical)] }
    }

    /// Returns the name of an import. A pack keeps its name; a file is named relative to the directory.
    fn import(&self, shown: &str) -> String {
        let path = Path::new(shown);
        let below = self.folders.iter().filter(|folder| folder.is_absolute() == path.is_absolute());
        // Names of sources are text, so directories are compared as text too.
        let mut below = below.filter_map(|folder| path.strip_prefix(folder.to_string_lossy().as_ref()).ok());
        match (below.next(), &self.folders) {
            (Some(below), _) => slashed(below),
            (None, _) if path.is_relative() => shown.to_owned(),
            (None, [_, folder]) => slashed(&across(folder, path)),
        }
    }
}

/// Returns the path from a directory to a file, both absolute.
fn across(folder: &Path, file: &Path) -> PathBuf {
    let shared = folder.components().zip(file.components()).take_while(|(one, other)| one == other).count();
    let ups = folder.components().skip(shared).map(|_| Component::ParentDir);
    ups.chain(file.components().skip(shared)).collect()
}

fn slashed(path: &Path) -> String {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_depend_on_the_directory_or_its_spelling() {
        let named = |shown: &str, canonical: &str| Names {
            root: "a.policy".to_owned(),
            folders: [PathBuf::from(shown), PathBuf::from(canonical)],
        };
        for (shown_folder, import, expected) in [
            ("", "team/b.policy", "team/b.policy"),
            (".", "./b.policy", "b.policy"),
            ("x/y", "x/y/b.policy", "b.policy"),
            ("../p", "../p/team/b.policy", "team/b.policy"),
            ("/srv/p", "/srv/p/b.policy", "b.policy"),
            ("/link", "/srv/p/b.policy", "b.policy"),
            ("", "/srv/p/b.policy", "b.policy"),
            ("", "/srv/other/b.policy", "../other/b.policy"),
            ("x", "/b.policy", "../../b.policy"),
            ("", "<std.secrets>", "<std.secrets>"),
        ] {
            assert_eq!(named(shown_folder, "/srv/p").import(import), expected, "{shown_folder} {import}");
        }
        assert_eq!(named("p", "/srv/p").import("<std.secrets>"), "<std.secrets>");
    }

    #[test]
    fn extensions_are_appended_to_names_with_dots() {
        assert_eq!(Stem(PathBuf::from("out/agent.v2")).with(".table"), Path::new("out/agent.v2.table"));
    }
}
