//! Says what the model checker says when it compiles: that it is the one who asks.

fn main() {
    println!("cargo::rustc-cfg=kani");
    println!("cargo::rerun-if-changed=build.rs");
}
