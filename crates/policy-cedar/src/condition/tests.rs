//! Each construct of a condition: what Cedar is asked, a request for which it holds and one for which it
//! does not. The reference evaluator must say the same of each.

use policy_syntax::Effect;

use super::*;
use crate::testing::{World, model};

/// A construct in a rule about an operation.
struct Construct {
    operation: &'static str,
    written: &'static str,
    cedar: &'static str,
    holds: &'static [&'static [&'static str]],
    fails: &'static [&'static [&'static str]],
}

fn check(construct: &Construct) {
    let Construct { operation, written, cedar, holds, fails } = construct;
    let world = World::new(&format!("rule r: allow anyone to {operation} where {written}"));
    let condition = condition(world.model.rules[0].condition.as_ref().unwrap()).unwrap();
    assert_eq!(condition.to_string(), *cedar, "{written}");
    assert!(!holds.is_empty() && !fails.is_empty(), "{written}");
    for (requests, expected) in [(holds, Effect::Allow), (fails, Effect::Deny)] {
        for facts in *requests {
            let answer = world.answer(&[], operation, facts);
            assert_eq!(answer.verdict, expected, "{written} with {facts:?}");
        }
    }
}

#[test]
fn flags() {
    check(&Construct {
        operation: "git.push",
        written: "force",
        cedar: "context.flags.force",
        holds: &[&["force"], &["force", "all"]],
        fails: &[&[], &["all"]],
    });
    check(&Construct {
        operation: "file.read",
        written: "not create-only",
        cedar: r#"!context.flags["create-only"]"#,
        holds: &[&[], &["append"]],
        fails: &[&["create-only"]],
    });
}

#[test]
fn strings_are_equal_or_not() {
    check(&Construct {
        operation: "file.read",
        written: r#"path == "a/b""#,
        cedar: r#"(context.strings has path) && (context.strings.path.text == "a/b")"#,
        holds: &[&["path=a/b"]],
        fails: &[&[], &["path="], &["path=a/b/"], &["path=a//b"]],
    });
    check(&Construct {
        operation: "http.request",
        written: r#"scheme != "http""#,
        cedar: r#"!((context.strings has scheme) && (context.strings.scheme == "http"))"#,
        holds: &[&[], &["scheme=https"], &["scheme=HTTP"]],
        fails: &[&["scheme=http"]],
    });
    check(&Construct {
        operation: "fs.list",
        written: r#"path == """#,
        cedar: r#"(context.strings has path) && (context.strings.path.text == "")"#,
        holds: &[&["path="]],
        fails: &[&[], &["path=/"], &["path=a"]],
    });
}

#[test]
fn words_are_looked_up_and_globs_are_like() {
    check(&Construct {
        operation: "http.request",
        written: r#"method in "GET", "HEAD", "GET""#,
        cedar: r#"(context.strings has method) && ["GET", "HEAD"].contains(context.strings.method)"#,
        holds: &[&["method=GET"], &["method=HEAD"]],
        fails: &[&[], &["method="], &["method=get"], &["method=GETS"]],
    });
    check(&Construct {
        operation: "inference.call",
        written: r#"model in "claude-*", "local""#,
        cedar: r#"(context.strings has model) && ((context.strings.model == "local") || (context.strings.model like "claude-*"))"#,
        holds: &[&["model=claude-"], &["model=claude-a/b"], &["model=local"]],
        fails: &[&[], &["model=claude"], &["model=a-claude-b"], &["model=locale"]],
    });
    check(&Construct {
        operation: "proc.list",
        written: r#"filter in "*""#,
        cedar: "context.strings has filter",
        holds: &[&["filter="], &["filter=a"]],
        fails: &[&[]],
    });
    check(&Construct {
        operation: "proc.list",
        written: r#"filter in "*ab*ba*""#,
        cedar: r#"(context.strings has filter) && (context.strings.filter like "*ab*ba*")"#,
        holds: &[&["filter=abba"], &["filter=ababa"], &["filter=-ab-ba-"]],
        fails: &[&["filter=aba"], &["filter=ba ab"], &[]],
    });
}

#[test]
fn hosts_are_exact_or_below() {
    check(&Construct {
        operation: "http.request",
        written: r#"host in "docs.rs", "*.Docs.rs""#,
        cedar: r#"(context.strings has host) && ((context.strings.host == "docs.rs") || ((context.strings.host like "*.docs.rs") && (context.strings.host != ".docs.rs")))"#,
        holds: &[&["host=docs.rs"], &["host=a.docs.rs"], &["host=a.b.docs.rs"], &["host=..docs.rs"]],
        fails: &[&[], &["host=.docs.rs"], &["host=evildocs.rs"], &["host=docs.rs."], &["host=Docs.rs"]],
    });
    check(&Construct {
        operation: "http.request",
        written: r#"host in "*""#,
        cedar: "context.strings has host",
        holds: &[&["host="], &["host=x"]],
        fails: &[&[]],
    });
}

#[test]
fn globs_without_a_double_star_know_the_depth() {
    check(&Construct {
        operation: "file.read",
        written: r#"path in "src/*.rs""#,
        cedar: r#"(context.strings has path) && ((context.strings.path.depth == 2) && (context.strings.path.s0 == "src") && (context.strings.path.s1 like "*.rs"))"#,
        holds: &[&["path=src/a.rs"], &["path=src/.rs"]],
        fails: &[&[], &["path=src"], &["path=src/a.rs/b"], &["path=src/a/b.rs"], &["path=a/src/b.rs"]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "*""#,
        cedar: "(context.strings has path) && (context.strings.path.depth == 1)",
        holds: &[&["path=a"], &["path=.env"]],
        fails: &[&[], &["path="], &["path=/"], &["path=a/b"]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "b", "a/b""#,
        cedar: r#"(context.strings has path) && ["a/b", "b"].contains(context.strings.path.text)"#,
        holds: &[&["path=b"], &["path=a/b"]],
        fails: &[&[], &["path=a"], &["path=a/b/"], &["path=/b"]],
    });
}

#[test]
fn globs_with_a_double_star_know_both_ends() {
    check(&Construct {
        operation: "file.read",
        written: r#"path in "src/**", "tests/**""#,
        cedar: r#"(context.strings has path) && ["src", "tests"].contains(context.strings.path.s0)"#,
        holds: &[&["path=src"], &["path=src/a/b"], &["path=tests/"]],
        fails: &[&[], &["path="], &["path=srcs"], &["path=a/src"], &["path=/src"]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "**/.env", "**/*.pem""#,
        cedar: r#"(context.strings has path) && ((context.strings.path.r0 == ".env") || (context.strings.path.r0 like "*.pem"))"#,
        holds: &[&["path=.env"], &["path=a/b/.env"], &["path=a/.pem"], &["path=//x.pem"]],
        fails: &[&[], &["path=.env/a"], &["path=x.pem/"], &["path=x.env"]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "a/**/a""#,
        cedar: r#"(context.strings has path) && ((context.strings.path.depth >= 2) && (context.strings.path.s0 == "a") && (context.strings.path.r0 == "a"))"#,
        holds: &[&["path=a/a"], &["path=a/b/c/a"]],
        fails: &[&[], &["path=a"], &["path=a/b"], &["path=b/a"]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "*/**""#,
        cedar: "(context.strings has path) && (context.strings.path.depth >= 1)",
        holds: &[&["path=a"], &["path=/"], &["path=a/b"]],
        fails: &[&[], &["path="]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "**""#,
        cedar: "context.strings has path",
        holds: &[&["path="], &["path=a/b"]],
        fails: &[&[]],
    });
}

#[test]
fn globs_with_several_double_stars_look_at_the_wrapped_path() {
    check(&Construct {
        operation: "git.add",
        written: r#"path in "**/.git/**""#,
        cedar: r#"(context.strings has path) && (context.strings.path.wrapped like "*/.git/*")"#,
        holds: &[&["path=.git"], &["path=a/.git"], &["path=.git/b"], &["path=a//.git/b"]],
        fails: &[&[], &["path="], &["path=x.git"], &["path=.gitx/b"], &["path=a.git/b"]],
    });
    check(&Construct {
        operation: "git.push",
        written: r#"ref in "refs/**/a*/**/*b/**""#,
        cedar: r#"(context.strings has ref) && (context.strings.ref.wrapped like "/refs/*/a*/*b/*")"#,
        holds: &[&["ref=refs/a/b"], &["ref=refs/x/ax/x/xb/x"]],
        fails: &[&[], &["ref=refs/ab"], &["ref=refs/b/a"], &["ref=x/refs/a/b"], &["ref=refs/xa/b"]],
    });
}

#[test]
fn what_cedar_cannot_ask_is_an_atom() {
    check(&Construct {
        operation: "shell.exec",
        written: r#"line matches "^ls( -[al]+)?$""#,
        cedar: r#"context.atoms["line matches ^ls( -[al]+)?$"]"#,
        holds: &[&["line=ls"], &["line=ls -la"]],
        fails: &[&[], &["line=lsof"], &["line=ls -x"]],
    });
    check(&Construct {
        operation: "file.read",
        written: r#"path in "**/a*b/**""#,
        cedar: r#"(context.strings has path) && context.atoms["path in **/a*b/**"]"#,
        holds: &[&["path=ab"], &["path=x/a-b/y"]],
        fails: &[&[], &["path=a/b"], &["path=ba"]],
    });
    check(&Construct {
        operation: "shell.exec",
        written: r#"not line matches "a""#,
        cedar: r#"!context.atoms["line matches a"]"#,
        holds: &[&[], &["line=b"]],
        fails: &[&["line=ba"]],
    });
}

#[test]
fn an_open_number_is_greater_than_every_other() {
    let largest = "bytes:18446744073709551615";
    let cut = "bytes:9223372036854775807";
    for (written, cedar, holds, fails) in [
        (
            "bytes == 5 B",
            "(context.numbers has bytes) && (context.numbers.bytes == 5)",
            vec!["bytes:5"],
            vec!["bytes:4", "bytes:6", largest, cut, ""],
        ),
        (
            "bytes != 5 B",
            "!((context.numbers has bytes) && (context.numbers.bytes == 5))",
            vec!["bytes:4", "bytes:6", largest, cut, ""],
            vec!["bytes:5"],
        ),
        (
            "bytes <= 5 B",
            "(context.numbers has bytes) && (context.numbers.bytes <= 5)",
            vec!["bytes:0", "bytes:5"],
            vec!["bytes:6", largest, cut, ""],
        ),
        (
            "bytes < 5 B",
            "(context.numbers has bytes) && (context.numbers.bytes < 5)",
            vec!["bytes:0", "bytes:4"],
            vec!["bytes:5", largest, cut, ""],
        ),
        (
            "bytes >= 5 B",
            "!((context.numbers has bytes) && (context.numbers.bytes < 5))",
            vec!["bytes:5", largest, cut, ""],
            vec!["bytes:0", "bytes:4"],
        ),
        (
            "bytes > 5 B",
            "!((context.numbers has bytes) && (context.numbers.bytes <= 5))",
            vec!["bytes:6", largest, cut, ""],
            vec!["bytes:0", "bytes:5"],
        ),
    ] {
        let world = World::new(&format!("rule r: allow anyone to file.read where {written}"));
        let compiled = condition(world.model.rules[0].condition.as_ref().unwrap()).unwrap();
        assert_eq!(compiled.to_string(), cedar);
        for (facts, expected) in [(holds, Effect::Allow), (fails, Effect::Deny)] {
            for fact in facts {
                let facts: Vec<&str> = [fact].into_iter().filter(|fact| !fact.is_empty()).collect();
                let answer = world.answer(&[], "file.read", &facts);
                assert_eq!(answer.verdict, expected, "{written} with {fact}");
            }
        }
    }
}

/// The largest number of a policy against the ones around it and around Cedar's largest: numbers beyond it are
/// all shown as the same one.
#[test]
fn the_largest_numbers_compare_as_they_should() {
    let around = [NUMBER_MAX - 1, NUMBER_MAX, NUMBER_MAX + 1, NUMBER_MAX + 2, u64::MAX - 1, u64::MAX];
    for operator in ["==", "!=", "<=", "<", ">=", ">"] {
        for value in [NUMBER_MAX - 1, NUMBER_MAX] {
            let world = World::new(&format!("rule r: allow anyone to file.read where bytes {operator} {value} B"));
            for number in around {
                world.answer(&[], "file.read", &[&format!("bytes:{number}")]);
            }
        }
    }
    let world = World::new(&format!("rule r: allow anyone to file.read limit bytes <= {NUMBER_MAX} B"));
    for number in around {
        let answer = world.answer(&[], "file.read", &[&format!("bytes:{number}")]);
        let expected = if number > NUMBER_MAX { "LIMIT_EXCEEDED" } else { "ALLOWED" };
        assert_eq!(answer.code, expected, "{number}");
    }
}

#[test]
fn a_number_without_room_above_it_is_refused() {
    let mut model = model("rule r: allow anyone to file.read where bytes <= 1 B limit offset <= 1 B");
    let too_large = |attribute: &str, value: u64| CedarError::NumberTooLarge { attribute: attribute.to_owned(), value };
    for value in [NUMBER_MAX + 1, u64::MAX] {
        model.rules[0].limits[0].most = value;
        assert_eq!(crate::compile(&model).unwrap_err(), too_large("offset", value));
    }
    model.rules[0].limits.clear();
    let Some(Condition::Number { value, .. }) = &mut model.rules[0].condition else {
        panic!("a number is compared");
    };
    *value = NUMBER_MAX + 1;
    assert_eq!(crate::compile(&model).unwrap_err(), too_large("bytes", NUMBER_MAX + 1));
}

#[test]
fn a_set_without_members_has_nobody() {
    let world = World::new("paths none = rule r: allow anyone to file.read where not path in none");
    assert_eq!(world.answer(&[], "file.read", &["path=a"]).verdict, Effect::Allow);
    let world = World::new("paths none = rule r: allow anyone to file.read where path in none");
    assert_eq!(world.answer(&[], "file.read", &["path=a"]).verdict, Effect::Deny);
    assert_eq!(world.answer(&[], "file.read", &["path="]).verdict, Effect::Deny);
}

#[test]
fn conditions_nest() {
    check(&Construct {
        operation: "git.push",
        written: r#"ref == "a" or (all or force) and not (all and force)"#,
        cedar: r#"((context.strings has ref) && (context.strings.ref.text == "a")) || ((context.flags.all || context.flags.force) && (!(context.flags.all && context.flags.force)))"#,
        holds: &[&["ref=a", "all", "force"], &["all"], &["force"]],
        fails: &[&[], &["all", "force"], &["ref=b"]],
    });
    check(&Construct {
        operation: "http.request",
        written: "port in 80, 443",
        cedar: "((context.numbers has port) && (context.numbers.port == 80)) || ((context.numbers has port) && (context.numbers.port == 443))",
        holds: &[&["port:80"], &["port:443"]],
        fails: &[&[], &["port:81"]],
    });
}
