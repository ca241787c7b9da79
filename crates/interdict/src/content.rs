//! What was read of a file -> text, which is all that JSON gives of one (INVOKE-UTF8), and its hash.

use sha2::{Digest as _, Sha256 as Hasher};
use tool_json::Sha256;
use tool_proto::FileRead;

/// What a file holds, or a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub(crate) text: String,
    /// Of the text.
    pub(crate) sha256: Sha256,
    /// Whether it is known to be all that the file holds.
    pub(crate) is_whole: bool,
}

impl Content {
    /// The bytes that a request gave. Where the request's own bound cut a character, the text ends before it.
    ///
    /// # Errors
    /// Why they are no text, for people.
    pub(crate) fn new(read: &FileRead, mut bytes: Vec<u8>) -> Result<Self, String> {
        let is_cut = read.limit != 0 && u64::try_from(bytes.len()).is_ok_and(|length| length >= read.limit);
        let is_whole = read.offset == 0 && !is_cut;
        if let Err(error) = str::from_utf8(&bytes) {
            let (at, is_part) = (error.valid_up_to(), error.error_len().is_none());
            match (is_cut && is_part, at) {
                (true, 0) => {
                    let limit = read.limit;
                    return Err(format!(
                        "the {limit} bytes end inside a character; read {CHARACTER_BYTES_MAX} or more"
                    ));
                }
                (true, at) => bytes.truncate(at),
                (false, 0) if read.offset > 0 => {
                    let offset = read.offset;
                    return Err(format!("the file is no UTF-8, or byte {offset} is in the middle of a character"));
                }
                (false, at) => {
                    let at = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(read.offset);
                    return Err(format!("the file is no UTF-8, as byte {at} shows"));
                }
            }
        }
        let sha256 = Sha256::new(Hasher::digest(&bytes).into());
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { text, sha256, is_whole }),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Bytes of a character of UTF-8, at the most.
const CHARACTER_BYTES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn content(offset: u64, limit: u64, bytes: &[u8]) -> Result<(String, bool), String> {
        let read = FileRead { path: "a".to_owned(), offset, limit };
        let content = Content::new(&read, bytes.to_owned())?;
        assert_eq!(content.sha256, Sha256::new(Hasher::digest(content.text.as_bytes()).into()));
        Ok((content.text, content.is_whole))
    }

    #[test]
    fn tool_file_read_text_is_cut_by_the_request_alone_and_between_characters() {
        let euro = "\u{20ac}".as_bytes();
        let told = |text: &str, is_whole| Ok((text.to_owned(), is_whole));
        assert_eq!(content(0, 0, b"ab"), told("ab", true));
        assert_eq!(content(0, 3, b"ab"), told("ab", true));
        assert_eq!(content(0, 2, b"ab"), told("ab", false), "there may be more");
        assert_eq!(content(1, 0, b"b"), told("b", false));
        assert_eq!(content(0, 3, &[b"a", &euro[..2]].concat()), told("a", false));
        let ends = |message: &str| Err(message.to_owned());
        assert_eq!(content(0, 2, &euro[..2]), ends("the 2 bytes end inside a character; read 4 or more"));
        assert_eq!(content(0, 0, &[b"a", &euro[..2]].concat()), ends("the file is no UTF-8, as byte 1 shows"));
        assert_eq!(content(0, 9, &[b"a", &euro[..2]].concat()), ends("the file is no UTF-8, as byte 1 shows"));
        assert_eq!(content(0, 3, b"a\xffb"), ends("the file is no UTF-8, as byte 1 shows"), "it is not the cut");
        assert_eq!(content(5, 0, b"a\xff"), ends("the file is no UTF-8, as byte 6 shows"));
        let inside = "the file is no UTF-8, or byte 1 is in the middle of a character";
        assert_eq!(content(1, 0, &euro[1..]), ends(inside));
    }
}
