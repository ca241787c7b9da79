//! The workflow that runs Kani runs every file of properties.

#![cfg(test)]

macro_rules! files {
    ($($module:ident { $($properties:tt)+ })+) => {
        const FILES: &[&str] = &[$(stringify!($module)),+];
    };
}

verify::for_each_property!(files);

#[test]
fn every_file_of_properties_is_in_the_workflow() {
    let workflow = include_str!("../../.github/workflows/kani.yml");
    for file in FILES {
        assert!(workflow.contains(&format!("          - {file}\n")), "`{file}` is missing");
    }
}
