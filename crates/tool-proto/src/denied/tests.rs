//! What is said of every refusal, and what cannot be made of it.

use enforce_core::git::GitError;
use enforce_core::judge::ArgumentError;
use enforce_core::net::UrlError;
use enforce_core::path::PathError;
use enforce_core::validate::{Rule, Violation};
use enforce_core::wire::{Malformed, WireError};
use enforce_core::{Asked, Operation};

use super::*;

fn outside(path: &[u8]) -> Refusal<'_> {
    Refusal::SenderPath { path, error: PathError::Outside }
}

/// Every refusal that quotes the sender, with the same text in it.
fn quoting(text: &str) -> Vec<Refusal<'_>> {
    vec![
        outside(text.as_bytes()),
        Refusal::SenderUrl { url: text.as_bytes(), error: UrlError::Host },
        Refusal::SenderArgument { name: text, error: ArgumentError::Unknown },
        Refusal::SenderOutsideLease(Asked::Declared { tool: text, operation: text }),
        Refusal::PolicyUnknownOperation(Asked::Declared { tool: text, operation: "" }),
    ]
}

#[test]
fn a_refusal_is_told_with_its_rule_its_code_and_a_sentence() {
    let invalid = Violation { field: "file_read.path", item: None, rule: Rule::Required };
    let malformed = WireError { reason: Malformed::Truncated, at: 7 };
    let cases: [(Refusal<'_>, &str, &str); 9] = [
        (
            Refusal::SenderMalformed(malformed),
            "VALIDATION_FAILED",
            "the request ends in the middle of a field, at byte 7",
        ),
        (
            Refusal::SenderInvalid { first: invalid, count: 2 },
            "VALIDATION_FAILED",
            "`file_read.path` is missing, the first of 2 violations",
        ),
        (Refusal::SenderUnknownSession, "SESSION_UNKNOWN", "the session is not known, or it is over"),
        (
            Refusal::SenderOutsideLease(Asked::BuiltIn(Operation::GitPush)),
            "LEASE_SCOPE",
            "the lease does not cover git.push",
        ),
        (outside(b"../a"), "PATH_ESCAPE", "the path `../a` is not inside the root"),
        (
            Refusal::SenderPath { path: b"a/..", error: PathError::Parent { at: 2 } },
            "PATH_ESCAPE",
            "the path `a/..` has a component `..`",
        ),
        (
            Refusal::SenderGit(GitError::NothingNamed),
            "VALIDATION_FAILED",
            "the git operation does not say what it is about",
        ),
        (
            Refusal::PolicyUnknownOperation(Asked::Declared { tool: "jira", operation: "search" }),
            "OPERATION_NOT_ALLOWED",
            "no policy knows `jira`.`search`",
        ),
        (Refusal::HostBufferTooSmall { needed: 9 }, "JUDGE_UNABLE", "the judge needs a buffer of 9 bytes"),
    ];
    for (refusal, rationale_code, message) in cases {
        let expected = ToolDenied {
            rule_id: "default-deny".into(),
            rationale_code: rationale_code.into(),
            message: message.into(),
        };
        assert_eq!(ToolDenied::from(&refusal), expected);

        let refused = Refused { request_id: "r".into(), refusal };
        let response = ToolResponse::from(&refused);
        let result = Some(tool_response::Result::Denied(expected));
        assert_eq!(response, ToolResponse { request_id: "r".into(), result });
    }
}

#[test]
fn what_the_sender_wrote_cannot_forge_a_line_a_colour_or_a_direction() {
    for (text, shown) in [
        ("a\n2026-01-10 ALLOW git.push", "a\\n2026-01-10 ALLOW git.push"),
        ("a\r\nb", "a\\r\\nb"),
        ("\u{1b}[2J\u{1b}[32mok", "\\u{1b}[2J\\u{1b}[32mok"),
        ("\u{9b}2J", "\\u{9b}2J"),
        ("exe.\u{202e}txt\u{2066}", "exe.\\u{202e}txt\\u{2066}"),
        ("a` is allowed: `b", "a\\u{60} is allowed: \\u{60}b"),
        ("a\\nb", "a\\\\nb"),
        ("a\u{2028}b\u{85}\u{b}\u{c}", "a\\u{2028}b\\u{85}\\u{b}\\u{c}"),
        ("\0", "\\u{0}"),
    ] {
        assert_eq!(sentence(&outside(text.as_bytes())), format!("the path `{shown}` is not inside the root"));
    }
    assert_eq!(sentence(&outside(b"a\xff\xc3`")), "the path `a\\xff\\xc3\\u{60}` is not inside the root");
}

#[test]
fn any_text_stays_in_its_quotes_and_any_sentence_in_its_length() {
    let mut rng = fastrand::Rng::with_seed(51);
    for _ in 0..30_000 {
        // Never empty: an operation without a name is not said.
        let text = crate::testing::text(&mut rng) + "x";
        for (refusal, plain) in quoting(&text).iter().zip(quoting("x")) {
            let (said, plain) = (sentence(refusal), sentence(&plain));
            assert_eq!(said.matches('`').count(), plain.matches('`').count(), "{said}");
            assert!(said.len() <= MESSAGE_BYTES_MAX);
            assert!(
                !said.chars().any(|character| character.is_control() || ('\u{202a}'..='\u{202e}').contains(&character))
            );
            // Outside of the quotes nothing has changed.
            let outside = |said: &str| said.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(outside(&said), outside(&plain));
        }
    }
}

#[test]
fn long_quotations_end_in_an_ellipsis_between_characters_and_in_their_quotes() {
    let quoted = |text: &str| {
        let said = sentence(&outside(text.as_bytes()));
        said.split('`').nth(1).unwrap().to_owned()
    };
    const KEPT: usize = QUOTED_BYTES_MAX - 3;
    assert_eq!(quoted(&"a".repeat(KEPT)), "a".repeat(KEPT));
    assert_eq!(quoted(&"a".repeat(KEPT + 1)), "a".repeat(KEPT) + "…");
    assert_eq!(quoted(&"\u{1f980}".repeat(65)), "\u{1f980}".repeat(63) + "…");
    // An escape is kept as a whole or not at all.
    assert_eq!(quoted(&"\u{202e}".repeat(100)), "\\u{202e}".repeat(31) + "…");
    assert_eq!(quoted(&"\n".repeat(1_000_000)), "\\n".repeat(126) + "…");
}

#[test]
fn a_sentence_that_is_too_long_ends_in_an_ellipsis() {
    let mut sentence = Sentence { text: String::new(), is_over: false };
    sentence.put(Piece::Words(&"\u{e9}".repeat(MESSAGE_BYTES_MAX)));
    sentence.put(Piece::Words("more"));
    sentence.put(Piece::Quoted(b"more"));
    assert_eq!(sentence.text, "\u{e9}".repeat((MESSAGE_BYTES_MAX - 3) / 2) + "…");
    for before in MESSAGE_KEPT_MAX - 24..=MESSAGE_KEPT_MAX {
        let mut sentence = Sentence { text: "x".repeat(before), is_over: false };
        sentence.put(Piece::Quoted(b"a long quotation"));
        sentence.put(Piece::Words(" and words"));
        assert!(sentence.text.len() <= MESSAGE_BYTES_MAX, "{before}");
        assert_eq!(sentence.text.matches('`').count() % 2, 0, "{}", sentence.text);
    }
}
