//! How long it takes to read 1 MiB through the files tool, beside opening, reading and hashing it plainly; and as a request
//! that waits until its intent and its result are on the record.

use std::fs;
use std::hint::black_box;
use std::io::Read as _;
use std::path::Path;

use enforce_exec::files::{Links, Span, Stop, Workspace};
use tool_proto::FileRead;
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;

use super::house::{self, House};
use super::rounds::{Took, in_turns};

/// What each way took.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub(super) plain: Took,
    /// The files tool alone, with neither judge nor record.
    pub(super) tool: Took,
    /// Everything, one request after the other.
    pub(super) request: Took,
}

pub(super) fn measure(scratch: &Path, rounds: usize) -> Read {
    let folder = scratch.join("read");
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let file = folder.join(NAME);
    fs::write(&file, vec![b'x'; BYTES]).expect("a file");
    let workspace = Workspace::open(&folder, Links::Refuse).expect("a workspace");
    let stop = Stop::on_request();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let house = House::new(&folder, &scratch.join("read-state"));
    let token = runtime.block_on(house.session(""));
    let read = FileRead { path: NAME.to_owned(), offset: 0, limit: 0 };
    let request = house::request("read".to_owned(), &token, Tool::FileRead(read));
    let [plain, tool] = in_turns(
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
                let content = workspace.read(name, Span::WHOLE, &mut |_| Ok(()), &stop);
                let content = content.map_err(|error| error.to_string())?;
                assert_eq!(content.len(), BYTES);
                black_box(blake3::hash(&content));
                Ok(())
            }),
        ],
    )
    .expect("a file that was just written can be read");
    // Not in turns with the others: who waits for a disk finds nothing at hand afterwards.
    let ask = || match runtime.block_on(house.answer(request.clone())) {
        Answer::Success(success) if success.inline_result.len() == BYTES => Ok(()),
        other => Err(format!("{other:?}")),
    };
    let [request] = in_turns(rounds, [Box::new(ask)]).expect("what a rule allows is done");
    Read { plain, tool, request }
}

const NAME: &str = "src/one-mebibyte";
const BYTES: usize = 1 << 20;
