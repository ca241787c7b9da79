//! The file tools.

use tool_proto::tool_request::Tool;

use super::arguments::{Given, arguments, bad, plain_arguments, text};
use super::error::{BadValue, CallWrong};
use crate::json::{Json, Object, read};

plain_arguments! {
    FileRead = FileRead { path: String = path; offset: u64 = offset, max_bytes: u64 = limit }
    FileEdit = FileEdit { path: String = path, old_content: String = old_content, new_content: String = new_content }
    FilePatch = FilePatch { path: String = path, unified_diff: String = unified_diff }
    FsList = FsList { glob: String = glob; max_results: u64 = max_results, include_hidden: bool = include_hidden }
    Grep = FsGrep {
        pattern: String = pattern; glob: String = glob, case_sensitive: bool = case_sensitive,
        max_results: u64 = max_results
    }
    FsMove = FsMove { src: String = src, dst: String = dst; overwrite: bool = overwrite }
    FsCopy = FsCopy {
        src: String = src, dst: String = dst; overwrite: bool = overwrite, preserve_mode: bool = preserve_mode
    }
    FsDelete = FsDelete { path: String = path; recursive: bool = recursive, force: bool = force }
}

arguments! {
    FileWrite {
        path: String, content: String;
        create_only: bool, append: bool, create_dirs: bool, mode_octal: Given<String>, attribution: Given<Object>
    }
}

/// The shorter message when it says everything.
pub(super) fn write(args: Object) -> Result<Tool, CallWrong> {
    let FileWrite { path, content, create_only, append, create_dirs, mode_octal, attribution } = read(args)?;
    let content = content.into_bytes();
    let mode = mode_octal.0.map_or(Ok(0), mode)?;
    let attribution = attribution.0.map_or_else(String::new, |object| object.to_string());
    Ok(if !create_dirs && mode == 0 && attribution.is_empty() {
        Tool::FileWrite(tool_proto::FileWrite { path, content, create_only, append })
    } else {
        Tool::FileWriteExtended(tool_proto::FileWriteExtended {
            path,
            content,
            create_only,
            append,
            create_dirs,
            mode,
            attribution,
        })
    })
}

pub(super) fn written(write: tool_proto::FileWriteExtended) -> Result<Object, CallWrong> {
    let tool_proto::FileWriteExtended { path, content, create_only, append, create_dirs, mode, attribution } = write;
    let octal = format!("{mode:04o}");
    if mode > MODE_MAX {
        return Err(bad("mode_octal", BadValue::OctalMode { found: octal }));
    }
    let mode_octal = Given(Some(octal).filter(|_| mode != 0));
    let attribution = match attribution.as_str() {
        "" => Given(None),
        text => match Json::new(text.as_bytes()) {
            Ok(Json::Object(object)) => object.into(),
            Ok(other) => {
                return Err(bad("attribution", BadValue::Kind { expected: "an object", found: other.kind() }));
            }
            Err(error) => return Err(bad("attribution", BadValue::NoJson(error))),
        },
    };
    let content = text("content", content)?;
    Ok(FileWrite { path, content, create_only, append, create_dirs, mode_octal, attribution }.object())
}

pub(super) fn extended(write: tool_proto::FileWrite) -> tool_proto::FileWriteExtended {
    let tool_proto::FileWrite { path, content, create_only, append } = write;
    tool_proto::FileWriteExtended { path, content, create_only, append, ..Default::default() }
}

/// Permission bits. A mode of zeros would be read as none, so it cannot be said.
fn mode(octal: String) -> Result<u32, CallWrong> {
    let is_octal = matches!(octal.len(), 3 | 4) && octal.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
    match u32::from_str_radix(&octal, 8) {
        Ok(mode) if is_octal && mode != 0 => Ok(mode),
        _ => Err(bad("mode_octal", BadValue::OctalMode { found: octal })),
    }
}

/// What four octal digits hold.
const MODE_MAX: u32 = 0o7777;
