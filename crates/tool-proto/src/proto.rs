//! The messages of `tool.proto`, as prost makes them.

#![expect(missing_docs, clippy::doc_markdown, reason = "made from tool.proto, which says what fields mean")]

include!(concat!(env!("OUT_DIR"), "/interdict.tool.v1.rs"));
