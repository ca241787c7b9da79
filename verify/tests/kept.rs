//! The kept tables are what the writer makes of their rules. `VERIFY_BLESS=1` keeps what it makes now.

#![cfg(test)]

use std::fs;
use std::path::Path;

use verify::kept::{FILES, bytes, written};

#[test]
fn kept_tables_are_what_is_written_of_their_rules() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kept");
    for (which, file) in FILES.iter().enumerate() {
        let mut buffer = [0; 1024];
        let written = written(which, &mut buffer).expect("the rows are a table");
        if std::env::var_os("VERIFY_BLESS").is_some() {
            fs::write(folder.join(file), written).expect("the file can be written");
        } else {
            assert!(written == bytes(which), "{file} is another table than its rules are");
        }
        println!("{file}: {} bytes", written.len());
    }
}
