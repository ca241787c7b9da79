//! Requests to Cedar, compared attribute by attribute.

use serde_json::{Value, json};

use super::*;
use crate::testing::{model, request};

fn shown(model: &Model, request: &Request, approval: Approval) -> Value {
    let asked = RequestBuilder::new(model).unwrap().build(request, approval).unwrap();
    asked.request.context().unwrap().to_json_value().unwrap()
}

#[test]
fn facts_are_shown_where_the_schema_has_them() {
    let model = model(r#"rule r: allow anyone to file.read where path in "src/*.rs" or name matches "^a$""#);
    let facts = ["path=src/a", "name=b", "bytes:7", "append", "foreign", "colour=red", "weight:9"];
    let context = shown(&model, &request(&model, &[], "file.read", &facts), Approval::Given);
    assert_eq!(
        context,
        json!({
            "approved": true,
            "strings": { "path": { "text": "src/a", "depth": 2, "s0": "src", "s1": "a" }, "name": "b" },
            "numbers": { "bytes": 7 },
            "flags": { "append": true, "create-only": false, "create-dirs": false },
            "atoms": { "name matches ^a$": false },
        })
    );
    let context = shown(&model, &request(&model, &[], "file.read", &["name=a"]), Approval::Missing);
    assert_eq!(
        context,
        json!({
            "approved": false,
            "strings": { "name": "a" },
            "numbers": {},
            "flags": { "append": false, "create-only": false, "create-dirs": false },
            "atoms": { "name matches ^a$": true },
        })
    );
    // Git has no numbers, and no rule here asks about git.
    let context = shown(&model, &request(&model, &[], "git.push", &["all"]), Approval::Missing);
    assert_eq!(context, json!({ "approved": false, "strings": {}, "flags": { "all": true, "force": false } }));
}

#[test]
fn odd_paths_have_their_segments() {
    let both = Segments { from_front: 2, from_back: 2, wrapped: true };
    for (path, depth, front, back, wrapped) in [
        ("", 0, ["", ""], ["", ""], ""),
        ("/", 2, ["", ""], ["", ""], "////"),
        ("a", 1, ["a", ""], ["a", ""], "/a/"),
        ("a/", 2, ["a", ""], ["", "a"], "/a///"),
        ("/a", 2, ["", "a"], ["a", ""], "///a/"),
        ("a//b", 3, ["a", ""], ["b", ""], "/a////b/"),
        ("a/b/c", 3, ["a", "b"], ["c", "b"], "/a//b//c/"),
    ] {
        let context = Context::from_pairs([("path".to_owned(), segments(path, &both).unwrap())]).unwrap();
        let expected = json!({
            "text": path, "depth": depth, "wrapped": wrapped,
            "s0": front[0], "s1": front[1], "r0": back[0], "r1": back[1],
        });
        assert_eq!(context.to_json_value().unwrap()["path"], expected, "{path}");
    }
}

#[test]
fn numbers_beyond_cedars_are_shown_as_its_largest() {
    let model = model("rule r: allow anyone to file.read limit bytes <= 1 B");
    for (stated, expected) in
        [(0, 0), (i64::MAX as u64, i64::MAX), (i64::MAX as u64 + 1, i64::MAX), (u64::MAX, i64::MAX)]
    {
        let request = request(&model, &[], "file.read", &[&format!("bytes:{stated}")]);
        assert_eq!(shown(&model, &request, Approval::Missing)["numbers"]["bytes"], json!(expected));
    }
}

#[test]
fn a_session_is_in_its_roles_and_in_what_they_include() {
    let model = model("role a role b includes a role c includes b role d rule r: allow c, d to git.push");
    let requests = RequestBuilder::new(&model).unwrap();
    for (held, id, expected) in [
        (&[][..], "", &[][..]),
        (&["a"], "a", &["a"]),
        (&["c"], "c", &["a", "b", "c"]),
        (&["b", "d"], "b,d", &["a", "b", "d"]),
    ] {
        let asked = requests.build(&request(&model, held, "git.push", &[]), Approval::Missing).unwrap();
        let principal = asked.request.principal().unwrap();
        assert_eq!(principal.to_string(), format!("Session::\"{id}\""));
        let ancestors: BTreeSet<String> =
            asked.entities.ancestors(principal).unwrap().map(ToString::to_string).collect();
        let expected: BTreeSet<String> = expected.iter().map(|role| format!("Role::\"{role}\"")).collect();
        assert_eq!(ancestors, expected);
    }
    let mut unknown = request(&model, &["a"], "git.push", &[]);
    unknown.roles.insert(RoleId(99));
    let asked = requests.build(&unknown, Approval::Missing).unwrap();
    assert_eq!(asked.request.principal().unwrap().to_string(), "Session::\"a\"");
}

#[test]
fn the_cache_of_sessions_is_bounded() {
    let model = model("role a rule r: allow a to git.push");
    let requests = RequestBuilder::new(&model).unwrap();
    for unknown in 0..SESSIONS_MAX + 10 {
        requests.session(&BTreeSet::from([RoleId(0), RoleId(unknown)])).unwrap();
    }
    let remembered = requests.sessions.lock().unwrap().len();
    assert!(remembered <= SESSIONS_MAX, "{remembered}");
    assert!(remembered >= 10);
}

#[test]
fn an_operation_is_the_action_and_its_tool_the_resource() {
    let model = model("tool jira { op search(project: string) } tool browser rule r: allow anyone to jira.*, browser");
    let requests = RequestBuilder::new(&model).unwrap();
    for (operation, action, resource) in [
        ("file.read", "Action::\"file.read\"", "Tool::\"file\""),
        ("jira.search", "Action::\"jira.search\"", "Tool::\"jira\""),
        ("browser", "Action::\"browser\"", "Tool::\"browser\""),
    ] {
        let asked = requests.build(&request(&model, &[], operation, &[]), Approval::Missing).unwrap().request;
        assert_eq!(asked.action().unwrap().to_string(), action);
        assert_eq!(asked.resource().unwrap().to_string(), resource);
    }
}
