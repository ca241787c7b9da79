//! A path -> all files of a policy in the order their statements count.
//!
//! `use` is replaced by what it names, once; the pack that protects the policy itself comes last.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use policy_syntax::limits::FINDINGS_MAX;
use policy_syntax::{
    Ast, Code, Diagnostic, FileId, Location, Name, Severity, Source, Sources, Span, Statement, StatementKind, Text,
    Use, codes as text_codes, decode, did_you_mean, parse, parse_without_tests, quote,
};

use crate::check::CheckOptions;
use crate::codes;
use crate::files::{FileError, Files};
use crate::packs::{PACKS, PROTECTED_PATHS, Pack, find};

#[derive(Debug)]
pub(crate) struct Linked {
    pub(crate) sources: Sources,
    pub(crate) root: FileId,
    pub(crate) units: Vec<Unit>,
    /// (unit, statement) in the order they count; an import's statements follow its `use`.
    pub(crate) order: Vec<(usize, usize)>,
    pub(crate) found: Vec<Diagnostic>,
    /// Every byte of every file was understood.
    pub(crate) is_whole: bool,
}

/// One file of a policy.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) file: FileId,
    pub(crate) ast: Ast,
    pub(crate) origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Root,
    File,
    Pack,
    /// A request in the words of a test, which is not a file.
    Request,
}

impl Linked {
    /// Iterates over every statement with its unit, in the order they count.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (&Unit, &Statement)> {
        self.order.iter().filter_map(|(unit, statement)| {
            let unit = self.units.get(*unit)?;
            Some((unit, unit.ast.statements.get(*statement)?))
        })
    }
}

/// Reads the policy at a path and everything it imports.
pub(crate) fn link(path: &Path, files: &dyn Files, options: CheckOptions) -> Linked {
    let mut linker = Linker {
        files,
        options,
        folder: PathBuf::new(),
        shown_folder: PathBuf::new(),
        bytes_read: 0,
        sources: Sources::default(),
        units: Vec::new(),
        order: Vec::new(),
        found: Vec::new(),
        is_whole: true,
        seen: BTreeMap::new(),
        open: Vec::new(),
    };
    let root = linker.root(path);
    Linked {
        sources: linker.sources,
        root,
        units: linker.units,
        order: linker.order,
        found: linker.found,
        is_whole: linker.is_whole,
    }
}

/// Imports with equal identities are the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Identity {
    Pack(&'static str),
    File(PathBuf),
}

struct Linker<'a> {
    files: &'a dyn Files,
    options: CheckOptions,
    folder: PathBuf,
    /// The same directory as the user named it.
    shown_folder: PathBuf,
    bytes_read: usize,
    sources: Sources,
    units: Vec<Unit>,
    order: Vec<(usize, usize)>,
    found: Vec<Diagnostic>,
    is_whole: bool,
    seen: BTreeMap<Identity, FileId>,
    /// The imports being read, outermost first.
    open: Vec<Identity>,
}

impl Linker<'_> {
    fn root(&mut self, path: &Path) -> FileId {
        let name = path.display().to_string();
        let bytes = self.files.read(path).and_then(|bytes| Ok((bytes, self.files.canonical(path)?)));
        let (bytes, canonical) = match bytes {
            Ok(found) => found,
            Err(error) => {
                let file = self.sources.add(Source::new(name, ""));
                let message = format!("cannot read the policy: {error}");
                let at = Location { file, span: Span::default() };
                self.error(codes::UNREADABLE, at, message, advice(&error));
                self.is_whole = false;
                return file;
            }
        };
        self.folder = canonical.parent().map(Path::to_owned).unwrap_or_default();
        // Imports are shown beside the policy, unless it is a link: then they are not there.
        let beside = path.parent().map(Path::to_owned).unwrap_or_default();
        let is_link =
            self.files.canonical(&beside.join(canonical.file_name().unwrap_or_default())) != Ok(canonical.clone());
        self.shown_folder = if is_link { self.folder.clone() } else { beside };
        let is_the_pack_itself = find(PROTECTED_PATHS).is_some_and(|pack| pack.text.as_bytes() == bytes);
        let file = self.include(&Identity::File(canonical), name, bytes, Origin::Root);
        let is_renounced = self.units.first().is_some_and(|unit| {
            let mut kinds = unit.ast.statements.iter().map(|statement| &statement.kind);
            kinds.any(|kind| matches!(kind, StatementKind::Without(pack) if pack.text == PROTECTED_PATHS))
        });
        if !is_the_pack_itself && !is_renounced {
            self.pack_by_name(PROTECTED_PATHS);
        }
        file
    }

    /// Keeps a finding, up to a limit for all files together; the findings of one file are limited before.
    fn report(&mut self, finding: Diagnostic) {
        self.is_whole &= finding.code.severity != Severity::Error;
        match self.found.len().cmp(&FINDINGS_MAX) {
            Ordering::Less => self.found.push(finding),
            Ordering::Equal => {
                let message = format!("more than {FINDINGS_MAX} findings in all files; the rest is not shown");
                let finding = Diagnostic::new(text_codes::TOO_MANY_FINDINGS, finding.primary.at, message);
                self.found.push(finding.help("fix the first ones and check again"));
            }
            Ordering::Greater => {}
        }
    }

    fn error(&mut self, code: &'static Code, at: Location, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::new(code, at, message).help(help));
    }

    /// Reads a file and, at each `use`, the file or pack it names.
    fn include(&mut self, identity: &Identity, name: String, bytes: Vec<u8>, origin: Origin) -> FileId {
        let (file, ast) = self.parse(name, bytes, origin);
        self.seen.insert(identity.clone(), file);
        let unit = self.units.len();
        // Cloned, because following an import adds to `self.units`.
        let uses: Vec<(usize, Statement)> = ast
            .statements
            .iter()
            .enumerate()
            .filter(|(_, statement)| matches!(statement.kind, StatementKind::Use(_) | StatementKind::Without(_)))
            .map(|(index, statement)| (index, statement.clone()))
            .collect();
        let statements = ast.statements.len();
        self.units.push(Unit { file, ast, origin });
        self.open.push(identity.clone());
        let mut uses = uses.into_iter().peekable();
        let mut named_here = BTreeMap::new();
        for index in 0..statements {
            self.order.push((unit, index));
            if let Some((_, statement)) = uses.next_if(|(at, _)| *at == index) {
                let at = Location { file, span: statement.span };
                match statement.kind {
                    StatementKind::Use(target) => self.follow(identity, at, &target, &mut named_here),
                    StatementKind::Without(pack) => self.check_without(at, &pack, origin),
                    _ => {}
                }
            }
        }
        self.open.pop();
        file
    }

    fn parse(&mut self, name: String, bytes: Vec<u8>, origin: Origin) -> (FileId, Ast) {
        match decode(bytes) {
            Ok(text) => {
                let file = self.sources.add(Source::new(name, text));
                let text = self.sources.get(file).map(Source::text).unwrap_or_default();
                let parsed = match origin {
                    Origin::Root | Origin::File | Origin::Request => parse(file, text),
                    Origin::Pack => parse_without_tests(file, text),
                };
                self.is_whole &= parsed.diagnostics.is_empty();
                parsed.diagnostics.into_iter().for_each(|finding| self.report(finding));
                (file, parsed.ast)
            }
            Err(error) => {
                let readable = match &error {
                    policy_syntax::TextError::NotUtf8 { readable } => readable.clone(),
                    policy_syntax::TextError::TooLarge { .. } => String::new(),
                };
                let file = self.sources.add(Source::new(name, readable));
                self.is_whole = false;
                self.report(error.diagnostic(file));
                (file, Ast::default())
            }
        }
    }

    fn follow(&mut self, from: &Identity, at: Location, target: &Use, named_here: &mut BTreeMap<Identity, Location>) {
        let identity = match target {
            Use::Pack(name) => self.resolve_pack(name, at),
            Use::File(path) => self.resolve_file(from, path, at),
        };
        let Some(identity) = identity else {
            self.is_whole = false;
            return;
        };
        let written = match target {
            Use::Pack(name) => quote(&name.text),
            Use::File(path) => quote(&path.value),
        };
        if let Some(first) = named_here.get(&identity) {
            self.report(
                Diagnostic::new(codes::IMPORTED_TWICE, at, format!("{written} is imported twice"))
                    .also(*first, "first imported here")
                    .help("remove one of them"),
            );
            return;
        }
        named_here.insert(identity.clone(), at);
        if self.open.contains(&identity) {
            let message = format!("{written} imports itself, directly or through others");
            self.error(codes::IMPORT_CYCLE, at, message, "move what both need into a third file");
            return;
        }
        if self.seen.contains_key(&identity) {
            return;
        }
        if self.open.len() >= DEPTH_MAX || self.seen.len() >= FILES_MAX || self.bytes_read > BYTES_MAX {
            self.is_whole = false;
            let message = format!(
                "a policy may consist of at most {FILES_MAX} files, nested {DEPTH_MAX} deep, of 64 MiB in total"
            );
            self.error(codes::TOO_MANY_IMPORTS, at, message, "merge some of the files");
            return;
        }
        match &identity {
            Identity::Pack(name) => self.pack_by_name(name),
            Identity::File(path) => match self.files.read(path) {
                Ok(bytes) => {
                    self.bytes_read = self.bytes_read.saturating_add(bytes.len());
                    // Imports in the policy's directory are shown as the user would write them.
                    let below = path.strip_prefix(&self.folder).map(|below| self.shown_folder.join(below));
                    let name = below.as_deref().unwrap_or(path).display().to_string();
                    self.include(&identity, name, bytes, Origin::File);
                }
                Err(error) => self.not_found(at, &written, &error),
            },
        }
    }

    fn resolve_pack(&mut self, name: &Name, at: Location) -> Option<Identity> {
        let pack = find(&name.text);
        if pack.is_none() {
            let at = Location { span: name.span, ..at };
            let known: Vec<&str> = PACKS.iter().map(|pack| pack.name).collect();
            let message = format!("unknown rule pack {}", quote(&name.text));
            self.error(codes::UNKNOWN_PACK, at, message, did_you_mean(&name.text, "rule packs", known));
        }
        pack.map(|pack| Identity::Pack(pack.name))
    }

    fn resolve_file(&mut self, from: &Identity, path: &Text, at: Location) -> Option<Identity> {
        let at = Location { span: path.span, ..at };
        let Identity::File(importer) = from else {
            // A pack is compiled in; there is no folder its files could be relative to.
            self.not_found(at, &quote(&path.value), &FileError::NotFound);
            return None;
        };
        let relative = Path::new(&path.value);
        let target = importer.parent().unwrap_or(Path::new("/")).join(relative);
        let canonical = match self.files.canonical(&target) {
            Ok(canonical) => canonical,
            Err(error) => {
                self.not_found(at, &quote(&path.value), &error);
                return None;
            }
        };
        if !self.options.allow_outside && (relative.is_absolute() || !canonical.starts_with(&self.folder)) {
            let message = format!("{} is outside the policy's directory", quote(&path.value));
            let help = "move the file into the directory, or pass `--allow-outside`";
            self.error(codes::IMPORT_OUTSIDE, at, message, help);
            return None;
        }
        Some(Identity::File(canonical))
    }

    fn not_found(&mut self, at: Location, written: &str, error: &FileError) {
        self.is_whole = false;
        let message = format!("cannot read {written}: {error}");
        self.error(codes::IMPORT_NOT_FOUND, at, message, "the path is relative to the importing file");
    }

    fn pack_by_name(&mut self, name: &str) {
        let identity = PACKS.iter().find(|pack| pack.name == name).map(|pack| (Identity::Pack(pack.name), pack));
        if let Some((identity, Pack { name, text })) = identity
            && !self.seen.contains_key(&identity)
        {
            self.include(&identity, format!("<{name}>"), text.as_bytes().to_vec(), Origin::Pack);
        }
    }

    fn check_without(&mut self, at: Location, pack: &Name, origin: Origin) {
        let also_used = self.units.first().is_some_and(|unit| {
            let is_use = |statement: &Statement| {
                matches!(&statement.kind, StatementKind::Use(Use::Pack(used)) if used.text == pack.text)
            };
            unit.ast.statements.iter().any(is_use)
        });
        let written = quote(&pack.text);
        let (code, message, help) = if also_used {
            let message = format!("both `use` and `without` name {written}");
            (codes::WITHOUT_MISUSED, message, "remove one of the two")
        } else if pack.text != PROTECTED_PATHS {
            let help = "`without` is only for `std.protected-paths`; for another pack, remove its `use`";
            (codes::WITHOUT_MISUSED, format!("{written} is not imported by default"), help)
        } else if origin != Origin::Root {
            let message = "an imported file cannot remove the policy's protection".to_owned();
            (codes::WITHOUT_MISUSED, message, "move `without` to the policy itself")
        } else {
            let help = "agents that may write can then change this policy, `.git/hooks` and their own settings";
            (codes::UNPROTECTED, "the policy removes the protection of its own files".to_owned(), help)
        };
        self.error(code, at, message, help);
    }
}

fn advice(error: &FileError) -> &'static str {
    match error {
        FileError::NotFound => "check the path; `policyc init` writes a policy to start from",
        FileError::IsDirectory => "name the policy files in it, for example `policies/*.policy`",
        FileError::NotRegular => "copy it into a file first",
        FileError::Refused(_) => "check the file's permissions",
    }
}

/// Returns the names that could not be declared because their statement was unreadable.
pub(crate) fn broken_names(units: &[Unit]) -> BTreeSet<&str> {
    units.iter().flat_map(|unit| unit.ast.broken.iter().map(String::as_str)).collect()
}

/// Files of one policy, packs included.
const FILES_MAX: usize = 1_024;

/// Depth of imports.
const DEPTH_MAX: usize = 32;

/// Bytes of all imports together.
const BYTES_MAX: usize = 64 << 20;
