//! `tool.proto` -> `tool.rs`, which is committed so that builds need no compiler of protobuf.

use std::fs;
use std::path::Path;

#[test]
fn the_committed_messages_are_those_of_the_proto_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("proto");
    // Read by protox, so that no protoc has to be installed.
    let descriptors = protox::compile([folder.join("tool.proto")], [&folder]).unwrap();
    let out = Path::new(env!("CARGO_TARGET_TMPDIR"));
    prost_build::Config::new().out_dir(out).compile_fds(descriptors).unwrap();
    let generated = HEADER.to_owned() + &fs::read_to_string(out.join("interdict.tool.v1.rs")).unwrap();
    let committed = folder.join("tool.rs");
    if fs::read_to_string(&committed).unwrap() != generated {
        fs::write(committed, generated).unwrap();
        panic!("proto/tool.rs was out of date; it is written anew");
    }
}

const HEADER: &str = "\
//! The messages of `tool.proto`, as prost makes them. `tests/generated.rs` writes this file.

#![expect(missing_docs, clippy::doc_markdown, reason = \"made from tool.proto, which says what fields mean\")]

";
