//! Bytes -> text a person can review: bounded, UTF-8, nothing invisible.

use crate::codes;
use crate::diagnostic::{Code, Diagnostic, is_bidi_control};
use crate::limits::{FILE_BYTES_MAX, FINDINGS_MAX, LINE_BYTES_MAX};
use crate::source::{FileId, Location, Span};

/// Why bytes are not text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextError {
    TooLarge {
        bytes: usize,
    },
    NotUtf8 {
        /// The text before the first invalid byte.
        readable: String,
    },
}

/// Decodes the bytes of a file.
///
/// # Errors
/// More than [`FILE_BYTES_MAX`] bytes, or not UTF-8.
pub fn decode(bytes: Vec<u8>) -> Result<String, TextError> {
    if bytes.len() > FILE_BYTES_MAX {
        return Err(TextError::TooLarge { bytes: bytes.len() });
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let readable = error.as_bytes().get(..valid).unwrap_or_default();
        TextError::NotUtf8 { readable: String::from_utf8_lossy(readable).into_owned() }
    })
}

impl TextError {
    /// Returns the finding in `file`, whose text is the readable part.
    #[must_use]
    pub fn diagnostic(&self, file: FileId) -> Diagnostic {
        let at = |span| Location { file, span };
        match self {
            Self::TooLarge { bytes } => Diagnostic::new(
                codes::FILE_TOO_LARGE,
                at(Span::default()),
                format!("the file has {bytes} bytes; a policy may have at most {FILE_BYTES_MAX}"),
            )
            .help("split the policy into files and link them with `use`"),
            Self::NotUtf8 { readable } => Diagnostic::new(
                codes::NOT_UTF8,
                at(Span::new(readable.len(), readable.len())),
                format!("the byte at offset {} is not UTF-8", readable.len()),
            )
            .help("save the file as UTF-8"),
        }
    }
}

/// Reports characters that a reader cannot see; of a run of one kind on a line, the first.
pub(crate) fn inspect(file: FileId, text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        if found.len() > FINDINGS_MAX {
            break;
        }
        let line_end = line_start + line.len();
        let report = |code, at: usize, bytes: usize, message: String| {
            let span = Span::new(line_start + at, line_start + at + bytes);
            Diagnostic::new(code, Location { file, span }, message)
        };
        if line.len() > LINE_BYTES_MAX {
            found.push(
                report(
                    codes::LINE_TOO_LONG,
                    0,
                    0,
                    format!("the line has {} bytes; a line may have at most {LINE_BYTES_MAX}", line.len()),
                )
                .help("break it over several lines; white space has no meaning"),
            );
        }
        if line.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t' | b'\n')) {
            line_start = line_end;
            continue;
        }
        let mut last: Option<&Code> = None;
        for (at, c) in line.char_indices() {
            let followed_by_newline = line.as_bytes().get(at + 1) == Some(&b'\n');
            let (code, what) = match c {
                '\u{FEFF}' if line_start + at == 0 => (codes::BYTE_ORDER_MARK, "byte order mark"),
                '\n' | '\t' => continue,
                '\r' if followed_by_newline => continue,
                c if c.is_control() => (codes::CONTROL_CHARACTER, "control character"),
                c if is_invisible(c) => (codes::INVISIBLE_CHARACTER, "invisible character"),
                _ => continue,
            };
            if last != Some(code) {
                let message = format!("{what} U+{:04X}", u32::from(c));
                found.push(report(code, at, c.len_utf8(), message).help("remove it"));
                last = Some(code);
            }
        }
        line_start = line_end;
    }
    found
}

/// Returns true if [`inspect`] reports the character everywhere.
pub(crate) fn is_refused(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t') || is_invisible(c)
}

/// Returns true if the character could make two different strings look alike. In a comment it does no harm, and
/// elsewhere it is not a word.
pub(crate) fn is_deceptive(c: char) -> bool {
    is_unseen(c) || c != ' ' && c.is_whitespace() || c == BRAILLE_BLANK
}

/// Returns true if a character is invisible: it has no width, changes direction, or controls a device. These are
/// Unicode's Default_Ignorable_Code_Point, control characters, line separators and noncharacters.
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}')
        || matches!(c, '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}')
        || matches!(c, '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}')
        || matches!(c, '\u{FFF0}'..='\u{FFFB}' | '\u{FFFE}'..='\u{FFFF}' | '\u{1BCA0}'..='\u{1BCA3}')
        || matches!(c, '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Characters refused in comments too. Joiners and selectors are allowed there: they make up emoji.
fn is_invisible(c: char) -> bool {
    is_bidi_control(c)
        || matches!(c, '\u{00AD}' | '\u{200B}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
        || matches!(c, '\u{FFF0}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// A braille pattern without dots looks like a blank.
const BRAILLE_BLANK: char = '\u{2800}';
