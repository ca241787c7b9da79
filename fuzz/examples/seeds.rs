//! Writes the seeds of every target, from the policies, corpora and generators of this tree. Files of other names, which
//! are finds, stay.

use std::fs;
use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(here.join("tests/data"))?;
    fs::write(here.join("tests/data/open.table"), fuzz::seeds::open_table())?;
    for (target, seeds) in fuzz::seeds::all() {
        let folder = here.join("tests/__fuzz__").join(target).join("corpus");
        fs::create_dir_all(&folder)?;
        println!("{target}: {} seeds", seeds.len());
        for (name, bytes) in seeds {
            fs::write(folder.join(name), bytes)?;
        }
    }
    Ok(())
}
