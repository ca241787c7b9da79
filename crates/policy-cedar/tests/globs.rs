//! A little world of globs and paths, all of it: Cedar matches what the glob itself matches, nothing more and
//! nothing less.

#![cfg(test)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cedar_policy::{Authorizer, PolicySet};
use policy_cedar::{Approval, RequestBuilder, compile};
use policy_model::{Condition, LocatedPattern, OperationId, Pattern, PatternSet, Request, SegmentGlob};

#[test]
fn short_globs_on_paths_with_odd_segments() {
    let globs = joined(&["a", "*", "**", "a*", "*a", "a*b", "*a*", ""], 1, 3);
    let paths = joined(&["a", "b", "ab", "ba", ""], 0, 4);
    // The root, slashes alone, slashes at either end and in a row are among them.
    for odd in ["", "/", "//", "a/", "/a", "a//b", "///"] {
        assert!(paths.contains(odd), "{odd}");
    }
    let world = World::new(&globs);
    let matched = world.assert_exact(&paths);
    assert!(matched > 30_000, "{matched}");
    assert!(world.atoms * 20 < globs.len(), "{} of {} globs are atoms", world.atoms, globs.len());
}

#[test]
fn long_globs_with_several_double_stars() {
    let literal = joined(&["a", "ab", "**"], 3, 6);
    let starred = joined(&["a", "**", "a*", "*b", "*ab*"], 3, 5);
    let has_several = |glob: &String| glob.matches("**").count() >= 2 && !glob.contains("**/**");
    let globs: BTreeSet<String> = literal.into_iter().chain(starred).filter(has_several).collect();
    let paths = joined(&["a", "b", "ab"], 0, 5);
    let world = World::new(&globs);
    let matched = world.assert_exact(&paths);
    assert!(matched > 40_000, "{matched}");
    let asked = globs.len() - world.atoms;
    assert!(asked > 250, "Cedar can ask for {asked} of {} globs", globs.len());
}

/// One letter is many bytes: what Cedar counts in characters and the glob in bytes is still the same.
#[test]
fn globs_and_paths_beyond_ascii() {
    let globs = joined(&["ü", "*ü", "ü*", "**", "*\u{1f980}*"], 1, 3);
    let paths = joined(&["ü", "üü", "u\u{308}", "\u{1f980}ü", "\u{fc}x"], 0, 3);
    let matched = World::new(&globs).assert_exact(&paths);
    assert!(matched > 1_000, "{matched}");
}

/// Deeper than any segment that is shown by itself.
#[test]
fn a_path_may_be_deeper_than_every_glob() {
    let globs: BTreeSet<String> =
        ["a/**", "**/a", "a/**/a", "**/a/**", "*/*", "a/b/**/b/a", "**/a*b/**"].map(str::to_owned).into();
    let deep = |middle: &str, count: usize| format!("a/b/{}b/a", format!("{middle}/").repeat(count));
    let paths = [1, 16, 17, 400].into_iter().flat_map(|count| [deep("x", count), deep("a", count), deep("", count)]);
    let matched = World::new(&globs).assert_exact(&paths.collect());
    assert_eq!(matched, 12 * 5);
}

/// A rule for each glob.
struct World {
    globs: Vec<SegmentGlob>,
    requests: RequestBuilder,
    policies: PolicySet,
    /// How many globs Cedar cannot ask for.
    atoms: usize,
}

impl World {
    fn new(globs: &BTreeSet<String>) -> Self {
        let text = "policy globs language 1\nwithout std.protected-paths\nrule r: allow anyone to file.read";
        let mut model = support::model(&format!("{text} where path in \"x\"\n"));
        model.operations.truncate(1);
        let template = model.rules.remove(0);
        let Some(Condition::In { attribute, at, .. }) = template.condition.clone() else {
            panic!("a path is looked up");
        };
        let globs: Vec<SegmentGlob> = globs.iter().filter_map(|glob| SegmentGlob::new(glob).ok()).collect();
        for (place, glob) in globs.iter().enumerate() {
            let located = LocatedPattern { pattern: Pattern::Segments(glob.clone()), at };
            let set = PatternSet { name: None, lists: vec![Arc::from([located])] };
            let condition = Condition::In { attribute: attribute.clone(), sets: vec![Arc::new(set)], at };
            let mut rule = template.clone();
            (rule.place, rule.name, rule.condition) = (place, place.to_string(), Some(condition));
            model.rules.push(rule);
        }
        let compiled = compile(&model).unwrap();
        let atoms = compiled.policies_text.matches("context.atoms").count();
        let requests = RequestBuilder::new(&model).unwrap();
        Self { globs, requests, policies: compiled.policies, atoms }
    }

    /// How many pairs match.
    fn assert_exact(&self, paths: &BTreeSet<String>) -> usize {
        let authorizer = Authorizer::new();
        let mut matched = 0;
        for path in paths {
            let request = Request {
                roles: BTreeSet::new(),
                operation: OperationId(0),
                strings: BTreeMap::from([("path".to_owned(), path.clone())]),
                numbers: BTreeMap::new(),
                flags: BTreeSet::new(),
            };
            let asked = self.requests.build(&request, Approval::Missing).unwrap();
            let response = authorizer.is_authorized(&asked.request, &self.policies, &asked.entities);
            assert_eq!(response.diagnostics().errors().count(), 0, "{path}");
            let found: BTreeSet<String> = response.diagnostics().reason().map(ToString::to_string).collect();
            for (place, glob) in self.globs.iter().enumerate() {
                let expected = glob.matches(path);
                assert_eq!(found.contains(&place.to_string()), expected, "`{glob}` on `{path}`");
                matched += usize::from(expected);
            }
        }
        matched
    }
}

/// Every text of so many parts.
fn joined(parts: &[&str], least: usize, most: usize) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut last: Vec<Vec<&str>> = vec![Vec::new()];
    for length in 0..=most {
        if length >= least {
            all.extend(last.iter().map(|parts| parts.join("/")));
        }
        last = last.iter().flat_map(|list| parts.iter().map(|part| [list.as_slice(), &[part]].concat())).collect();
    }
    all
}
