//! tool.proto -> the types of its messages. Read by protox, so that no protoc has to be installed.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto/tool.proto");
    let descriptors = protox::compile(["proto/tool.proto"], ["proto"])?;
    prost_build::Config::new().compile_fds(descriptors)?;
    Ok(())
}
