//! What each tool takes, and arguments made by chance from it.

use super::*;

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Text,
    /// Text that git would not read as an option.
    Name,
    Number,
    SmallNumber,
    Flag,
    Texts,
    Pairs,
    Headers,
    Mode,
    Hash,
    /// An object that is there or not.
    Attribution,
    /// Text or null, and empty text is text.
    Stdin,
    /// Text or null, and empty text is nothing.
    Body,
    Where,
    List,
    Json,
}

/// An argument: its name, what it is, and whether it has to be there.
pub(super) type Spec = [(&'static str, Kind, bool)];

/// Arguments for a tool.
pub(super) fn args(rng: &mut fastrand::Rng, spec: &Spec) -> Object {
    let mut spec = spec.to_vec();
    rng.shuffle(&mut spec);
    let mut args = Object::new();
    for (name, kind, is_required) in spec {
        if is_required || rng.bool() {
            args.insert(name.to_owned(), kind.make(rng));
        }
    }
    args
}

/// The same arguments without those that say what leaving them out would say.
pub(super) fn said(args: Object, spec: &Spec) -> Object {
    let entries = args.into_iter().filter_map(|(name, value)| {
        let (_, kind, is_required) = *spec.iter().find(|(known, _, _)| *known == name).unwrap();
        let value = match (kind, value) {
            (Kind::Mode, Value::String(mode)) if mode.len() == 3 => format!("0{mode}").into(),
            (Kind::Where, Value::Object(object)) => {
                let entries = object.into_iter().filter(|(_, value)| *value != Value::String(String::new()));
                Value::Object(entries.collect())
            }
            (_, value) => value,
        };
        let is_default = match &value {
            Value::Null => kind != Kind::Json,
            Value::Bool(flag) => !flag,
            Value::Number(number) => number.as_u64() == Some(0),
            Value::String(text) => text.is_empty() && kind != Kind::Stdin,
            Value::Array(list) => list.is_empty(),
            Value::Object(object) => object.is_empty() && kind != Kind::Attribution,
        };
        (is_required || !is_default).then_some((name, value))
    });
    entries.collect()
}

impl Kind {
    fn make(self, rng: &mut fastrand::Rng) -> Value {
        let text = testing::text;
        match self {
            Self::Text => text(rng).into(),
            Self::Name => text(rng).trim_start_matches('-').into(),
            Self::Number => testing::number(rng).into(),
            Self::SmallNumber => u32::try_from(testing::number(rng)).unwrap_or(u32::MAX).into(),
            Self::Flag => rng.bool().into(),
            Self::Texts => (0..rng.usize(..4)).map(|_| text(rng)).collect::<Vec<String>>().into(),
            Self::Pairs => object_of(rng, |rng, place| (text(rng).replace('=', "-") + place, text(rng).into())),
            Self::Headers => {
                object_of(rng, |rng, place| (format!("X-{place}"), text(rng).replace(['\r', '\n', '\0'], ": ").into()))
            }
            Self::Mode => format!("{:0width$o}", rng.u32(1..0o1000), width = rng.usize(3..5)).into(),
            Self::Hash => crate::with::hash::encode(&std::array::from_fn::<u8, 32, _>(|_| rng.u8(..))).into(),
            Self::Attribution => object_of(rng, |rng, place| (text(rng) + place, json(rng, 3))),
            Self::Stdin | Self::Body => {
                if rng.bool() {
                    Value::Null
                } else {
                    text(rng).into()
                }
            }
            Self::Where => {
                let mut entries = Object::new();
                for name in ["type", "name_like", "file_glob"] {
                    if rng.bool() {
                        entries.insert(name.to_owned(), text(rng).into());
                    }
                }
                entries.into()
            }
            Self::List => (0..rng.usize(..3)).map(|_| json(rng, 3)).collect::<Vec<Value>>().into(),
            Self::Json => json(rng, 4),
        }
    }
}

/// Any value up to a depth.
fn json(rng: &mut fastrand::Rng, depth: usize) -> Value {
    match rng.u8(..if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => testing::number(rng).into(),
        3 => rng.i64(..0).into(),
        4 => ((rng.f64() - 0.5) * 10_f64.powi(rng.i32(-300..18))).into(),
        5 => testing::text(rng).into(),
        6 => (0..rng.usize(..4)).map(|_| json(rng, depth - 1)).collect::<Vec<Value>>().into(),
        _ => object_of(rng, |rng, place| (testing::text(rng) + place, json(rng, depth - 1))),
    }
}

fn object_of(rng: &mut fastrand::Rng, mut entry: impl FnMut(&mut fastrand::Rng, &str) -> (String, Value)) -> Value {
    Value::Object((0..rng.usize(..4)).map(|place| entry(rng, &place.to_string())).collect())
}

const CWD: (&str, Kind, bool) = ("cwd", Kind::Text, false);

/// Every tool that is not declared.
pub(super) const TOOLS: &[(&str, &Spec)] = &[
    (
        "fs_list",
        &[("glob", Kind::Text, true), ("max_results", Kind::Number, false), ("include_hidden", Kind::Flag, false)],
    ),
    ("fs_move", &[("src", Kind::Text, true), ("dst", Kind::Text, true), ("overwrite", Kind::Flag, false)]),
    (
        "fs_copy",
        &[
            ("src", Kind::Text, true),
            ("dst", Kind::Text, true),
            ("overwrite", Kind::Flag, false),
            ("preserve_mode", Kind::Flag, false),
        ],
    ),
    ("fs_delete", &[("path", Kind::Text, true), ("recursive", Kind::Flag, false), ("force", Kind::Flag, false)]),
    ("file_read", &[("path", Kind::Text, true), ("offset", Kind::Number, false), ("max_bytes", Kind::Number, false)]),
    (
        "file_write",
        &[
            ("path", Kind::Text, true),
            ("content", Kind::Text, true),
            ("create_only", Kind::Flag, false),
            ("append", Kind::Flag, false),
            ("create_dirs", Kind::Flag, false),
            ("mode_octal", Kind::Mode, false),
            ("attribution", Kind::Attribution, false),
        ],
    ),
    ("file_edit", &[("path", Kind::Text, true), ("old_content", Kind::Text, true), ("new_content", Kind::Text, true)]),
    ("file_patch", &[("path", Kind::Text, true), ("unified_diff", Kind::Text, true)]),
    (
        "grep",
        &[
            ("pattern", Kind::Text, true),
            ("glob", Kind::Text, false),
            ("case_sensitive", Kind::Flag, false),
            ("max_results", Kind::Number, false),
        ],
    ),
    ("proc_list", &[("filter", Kind::Text, false), ("limit", Kind::Number, false)]),
    (
        "shell_exec",
        &[
            ("cmd", Kind::Text, true),
            CWD,
            ("timeout_ms", Kind::Number, false),
            ("env", Kind::Pairs, false),
            ("stdin", Kind::Stdin, false),
            ("allow_network", Kind::Flag, false),
        ],
    ),
    (
        "shell_inline",
        &[
            ("interpreter", Kind::Text, true),
            ("script", Kind::Text, true),
            CWD,
            ("timeout_ms", Kind::Number, false),
            ("env", Kind::Pairs, false),
            ("allow_network", Kind::Flag, false),
        ],
    ),
    (
        "pytest_run",
        &[("paths", Kind::Texts, true), ("timeout_ms", Kind::Number, false), ("allow_network", Kind::Flag, false)],
    ),
    (
        "curl",
        &[
            ("method", Kind::Text, true),
            ("url", Kind::Text, true),
            ("headers", Kind::Headers, false),
            ("body", Kind::Body, false),
            ("timeout_ms", Kind::Number, false),
            ("max_bytes", Kind::Number, false),
            ("max_redirects", Kind::Number, false),
        ],
    ),
    ("git_status", &[("porcelain", Kind::Flag, false), CWD]),
    ("git_diff", &[("rev", Kind::Name, false), ("paths", Kind::Texts, false), CWD]),
    ("git_add", &[("paths", Kind::Texts, true), CWD]),
    (
        "git_commit",
        &[("message", Kind::Text, true), ("signoff", Kind::Flag, false), ("allow_empty", Kind::Flag, false), CWD],
    ),
    ("git_checkout", &[("target", Kind::Name, true), ("create", Kind::Flag, false), ("track", Kind::Flag, false), CWD]),
    ("git_merge", &[("branch", Kind::Name, true), ("no_ff", Kind::Flag, false), CWD]),
    ("git_rebase", &[("onto", Kind::Name, true), ("autosquash", Kind::Flag, false), CWD]),
    ("git_push", &[("remote", Kind::Name, true), ("refspec", Kind::Name, true), ("force", Kind::Flag, false), CWD]),
    ("git_pull", &[("remote", Kind::Name, false), ("rebase", Kind::Flag, false), CWD]),
    ("git_clone", &[("args", Kind::Texts, false), CWD]),
    ("git_fetch", &[("args", Kind::Texts, false), CWD]),
    ("git_log", &[("args", Kind::Texts, false), CWD]),
    ("git_branch", &[("args", Kind::Texts, false), CWD]),
    ("git_reset", &[("args", Kind::Texts, false), CWD]),
    ("git_stash", &[("args", Kind::Texts, false), CWD]),
    ("git_tag", &[("args", Kind::Texts, false), CWD]),
    ("git_remote", &[("args", Kind::Texts, false), CWD]),
    ("git_show", &[("args", Kind::Texts, false), CWD]),
    (
        "ast_generate",
        &[
            ("paths", Kind::Texts, true),
            ("language", Kind::Text, false),
            ("incremental", Kind::Flag, false),
            ("max_files", Kind::Number, false),
        ],
    ),
    ("ast_query", &[("where", Kind::Where, false), ("limit", Kind::Number, false)]),
    (
        "ast_edit",
        &[
            ("operation", Kind::Text, true),
            ("target_node_id", Kind::Text, true),
            ("new_name", Kind::Text, true),
            ("format_on_save", Kind::Flag, false),
            ("validate_build", Kind::Flag, false),
        ],
    ),
    ("ast_validate", &[("rules", Kind::List, true)]),
    ("ast_external", &[("provider", Kind::Text, true), ("request", Kind::Json, true)]),
    ("validate", &[("rule_id", Kind::Text, true), ("enforcement", Kind::Text, false), ("glob", Kind::Text, false)]),
    ("emit_metrics", &[("interval", Kind::Number, false), ("session_id", Kind::Text, false)]),
    (
        "inference_call",
        &[
            ("provider", Kind::Text, true),
            ("model", Kind::Text, true),
            ("prompt_hash", Kind::Hash, true),
            ("max_tokens", Kind::Number, false),
            ("temperature_scaled", Kind::SmallNumber, false),
            ("system_prompt_hash", Kind::Hash, false),
        ],
    ),
    (
        "artifact_publish",
        &[
            ("artifact_id", Kind::Text, true),
            ("content_hash", Kind::Hash, true),
            ("category", Kind::Text, true),
            ("metadata", Kind::Pairs, false),
        ],
    ),
];
