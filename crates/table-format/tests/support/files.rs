//! The files of `tests/golden`: table bytes, and the digests by which they are pinned.

use std::path::{Path, PathBuf};
use std::sync::Once;
use std::{env, fs};

use table_format::{Digest, FORMAT_VERSION};

use super::{blake3, golden};

/// A golden table as it lies there.
pub(crate) struct Golden {
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) pinned: Digest,
}

/// Every golden table of today's version, written again first if that is asked for.
pub(crate) fn all() -> Vec<Golden> {
    static UPDATE: Once = Once::new();
    if env::var_os("UPDATE_GOLDEN").is_some() {
        UPDATE.call_once(update);
    }
    let pins = fs::read_to_string(folder().join(PINS)).unwrap();
    let pin = |name: &str| {
        let line = pins.lines().find_map(|line| line.strip_suffix(name)).unwrap_or_else(|| panic!("no pin for {name}"));
        digest(line.trim_end())
    };
    let read = |name| Golden { name, bytes: fs::read(folder().join(name)).unwrap(), pinned: pin(name) };
    golden::all().into_iter().map(|(name, _)| read(name)).collect()
}

/// The table with every kind of row.
pub(crate) fn every_row() -> Golden {
    all().into_iter().find(|golden| golden.name == "every-row.table").unwrap()
}

/// Writes what today's writer makes of the golden tables.
fn update() {
    fs::create_dir_all(folder()).unwrap();
    let mut pins = String::new();
    for (name, sketch) in golden::all() {
        let written = sketch.draft().write(blake3);
        pins.push_str(&format!("{}  {name}\n", hex(written.outcome.unwrap())));
        fs::write(folder().join(name), written.bytes).unwrap();
    }
    fs::write(folder().join(PINS), pins).unwrap();
}

/// Every file below `tests/golden`, with the version whose folder it lies in.
pub(crate) fn of_all_versions() -> Vec<(u32, PathBuf)> {
    all();
    let mut files = Vec::new();
    for version in fs::read_dir(folder().join("..")).unwrap() {
        let version = version.unwrap().path();
        let number = version.file_name().unwrap().to_str().unwrap().trim_start_matches('v').parse().unwrap();
        files.extend(fs::read_dir(version).unwrap().map(|file| (number, file.unwrap().path())));
    }
    files.retain(|(_, path)| path.extension().is_some_and(|extension| extension == "table"));
    files
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{FORMAT_VERSION}"))
}

fn hex(digest: Digest) -> String {
    digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn digest(hex: &str) -> Digest {
    let byte = |place: usize| u8::from_str_radix(hex.get(place * 2..place * 2 + 2).unwrap(), 16).unwrap();
    Digest(core::array::from_fn(byte))
}

const PINS: &str = "digests";
