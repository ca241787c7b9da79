//! How long it takes to read 1 MiB through the files tool, beside opening, reading and hashing it plainly.

use std::fs;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;

use enforce_exec::files::{Digests, Links, Span, Stop, Workspace};

use super::rounds::{Took, in_turns};

/// Plainly, and through the tool.
pub(super) fn measure(scratch: &Path, rounds: usize) -> (Took, Took) {
    let folder = scratch.join("read");
    fs::create_dir(&folder).expect("a folder");
    let file = folder.join(NAME);
    fs::write(&file, vec![b'x'; BYTES]).expect("a file");
    let workspace = Workspace::open(&folder, Links::Refuse).expect("a workspace");
    let stop = Stop::when_told();
    let [plain, ours] = in_turns(
        rounds,
        [
            Box::new(|| {
                let mut bytes = Vec::new();
                let mut file = fs::File::open(&file).map_err(|error| error.to_string())?;
                file.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
                black_box(blake3::hash(&bytes));
                Ok(())
            }),
            Box::new(|| {
                let name = NAME.as_bytes();
                let content = workspace.read(name, Span::WHOLE, Digests::Blake3, &mut |_| Ok(()), &stop);
                let content = content.map_err(|error| error.to_string())?;
                assert_eq!(content.bytes.len(), BYTES);
                black_box(content);
                Ok(())
            }),
        ],
    )
    .expect("a file that was just written can be read");
    (plain, ours)
}

const NAME: &str = "one-mebibyte";
const BYTES: usize = 1 << 20;
