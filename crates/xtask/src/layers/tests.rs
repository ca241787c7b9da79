//! A small house in order, then broken in each way there is, each with its named error.

use super::*;

const SMALL: House<'static> =
    House { edges: &[("text", &[]), ("model", &["text"]), ("tools", &[])], dev_edges: &[("model", &["tools"])] };

const MANIFEST: &str = r#"
[workspace]
members = [
  "crates/text",  # bytes -> text
  "crates/model", # text -> model
  "crates/tools", # tree -> findings
]
"#;

fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Package {
    let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
        name: (*name).to_owned(),
        kind: kind.map(String::from),
        path: Some(format!("crates/{name}")),
    };
    Package { name: name.to_owned(), dependencies: dependencies.iter().map(dependency).collect() }
}

fn metadata() -> Metadata {
    let model = package("model", &[("text", None), ("tools", Some("dev"))]);
    Metadata { packages: vec![model, package("text", &[]), package("tools", &[])] }
}

/// What `compare` says when only the dependencies of one crate differ.
fn with_package(package: Package) -> Vec<LayerError> {
    let mut metadata = metadata();
    metadata.packages.retain(|old| old.name != package.name);
    metadata.packages.push(package);
    compare(&SMALL, &metadata, MANIFEST)
}

#[test]
fn a_house_in_order_has_no_errors() {
    assert_eq!(compare(&SMALL, &metadata(), MANIFEST), []);
}

#[test]
fn the_table_of_this_house_runs_with_the_flow() {
    assert_eq!(against_flow(&HOUSE), []);
}

#[test]
fn a_table_against_the_flow_is_refused() {
    let house = House { edges: &[("text", &["model"]), ("model", &["text"]), ("tools", &[])], ..SMALL };
    let metadata = Metadata {
        packages: vec![
            package("text", &[("model", None)]),
            package("model", &[("text", None), ("tools", Some("dev"))]),
            package("tools", &[]),
        ],
    };
    let expected = LayerError::AgainstFlow { from: "text".into(), to: "model".into() };
    assert_eq!(compare(&house, &metadata, MANIFEST), [expected]);
}

#[test]
fn a_crate_that_may_know_itself_is_refused() {
    let house = House { edges: &[("text", &["text"])], dev_edges: &[] };
    assert_eq!(against_flow(&house), [LayerError::AgainstFlow { from: "text".into(), to: "text".into() }]);
}

#[test]
fn a_member_without_a_line_in_the_table_is_unknown() {
    let mut metadata = metadata();
    metadata.packages.push(package("extra", &[]));
    let manifest = MANIFEST.replace("findings\n]", "findings\n  \"crates/extra\", # new\n]");
    assert_eq!(compare(&SMALL, &metadata, &manifest), [LayerError::UnknownMember { name: "extra".into() }]);
}

#[test]
fn a_line_of_the_table_without_a_member_is_missing() {
    let mut metadata = metadata();
    metadata.packages.retain(|package| package.name != "text");
    let errors = compare(&SMALL, &metadata, &MANIFEST.replace("  \"crates/text\",  # bytes -> text\n", ""));
    let edge = LayerError::UnusedEdge { kind: Kind::Shipped, from: "model".into(), to: "text".into() };
    assert_eq!(errors, [LayerError::MissingMember { name: "text".into() }, edge]);
}

#[test]
fn a_folder_named_unlike_its_crate_is_found() {
    let errors = compare(&SMALL, &metadata(), &MANIFEST.replace("crates/tools", "crates/misc"));
    let not_listed = LayerError::NotListed { name: "tools".into() };
    assert_eq!(errors, [not_listed, LayerError::FolderIsNoCrate { folder: "crates/misc".into() }]);
}

#[test]
fn members_that_are_not_one_a_line_are_not_listed() {
    let errors = compare(&SMALL, &metadata(), "members = [\"crates/text\", \"crates/model\", \"crates/tools\"]\n");
    assert_eq!(errors, ["model", "text", "tools"].map(|name| LayerError::NotListed { name: name.into() }));
}

#[test]
fn members_out_of_flow_order_are_found() {
    let swapped = "members = [\n  \"crates/model\", # b\n  \"crates/text\", # a\n  \"crates/tools\", # c\n]\n";
    let expected = LayerError::OutOfFlow { name: "text".into(), after: "model".into() };
    assert_eq!(compare(&SMALL, &metadata(), swapped), [expected]);
}

#[test]
fn a_member_without_comment_is_found() {
    for without in ["\"crates/text\",", "\"crates/text\", #", "\"crates/text\", #  "] {
        let errors = compare(&SMALL, &metadata(), &MANIFEST.replace("\"crates/text\",  # bytes -> text", without));
        assert_eq!(errors, [LayerError::NoComment { folder: "crates/text".into() }], "{without}");
    }
}

#[test]
fn a_new_edge_is_found_in_each_kind_of_dependency() {
    let new = |kind| LayerError::NewEdge { kind, from: "tools".into(), to: "text".into() };
    assert_eq!(with_package(package("tools", &[("text", None)])), [new(Kind::Shipped)]);
    assert_eq!(with_package(package("tools", &[("text", Some("build"))])), [new(Kind::Shipped)]);
    assert_eq!(with_package(package("tools", &[("text", Some("dev"))])), [new(Kind::Dev)]);
}

#[test]
fn an_edge_for_tests_does_not_allow_one_that_ships() {
    let errors = with_package(package("model", &[("text", None), ("tools", None)]));
    let new = LayerError::NewEdge { kind: Kind::Shipped, from: "model".into(), to: "tools".into() };
    let unused = LayerError::UnusedEdge { kind: Kind::Dev, from: "model".into(), to: "tools".into() };
    assert_eq!(errors, [new, unused]);
}

#[test]
fn an_edge_no_manifest_has_is_unused() {
    let errors = with_package(package("model", &[("tools", Some("dev"))]));
    assert_eq!(errors, [LayerError::UnusedEdge { kind: Kind::Shipped, from: "model".into(), to: "text".into() }]);
}

#[test]
fn a_foreign_crate_of_the_same_name_is_no_edge() {
    let mut tools = package("tools", &[("text", None)]);
    tools.dependencies[0].path = None;
    assert_eq!(with_package(tools), []);
}

#[test]
fn metadata_is_read_as_cargo_writes_it() {
    let json = r#"{"packages":[{"name":"model","version":"0.1.0","dependencies":[
        {"name":"text","kind":null,"path":"crates/text","rename":null},
        {"name":"tools","kind":"dev","path":"crates/tools"},
        {"name":"serde","kind":null}]},
        {"name":"text","dependencies":[]},{"name":"tools","dependencies":[]}]}"#;
    let metadata: Metadata = serde_json::from_str(json).unwrap();
    assert_eq!(compare(&SMALL, &metadata, MANIFEST), []);
}
