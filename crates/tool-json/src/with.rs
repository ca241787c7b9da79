//! Fields that JSON writes in another way than the messages, for `#[serde(with = …)]`.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};
use tool_proto::Escaped;

use crate::fields::from_value;
use crate::json::parse;

/// Bytes that are text.
pub(crate) mod text {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        String::deserialize(deserializer).map(String::into_bytes)
    }

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        str::from_utf8(bytes).map_err(|_| S::Error::custom("must be UTF-8"))?.serialize(serializer)
    }
}

/// A hash as 64 hexadecimal digits. Lower case only, so that one hash has one text.
pub(crate) mod hash {
    use enforce_core::limits::HASH_SIZE;

    use super::*;

    pub(crate) fn decode(digits: &str) -> Option<[u8; HASH_SIZE]> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        if pairs.len() != HASH_SIZE || !rest.is_empty() || !digits.bytes().all(is_digit) {
            return None;
        }
        let mut hash = [0; HASH_SIZE];
        for (byte, pair) in hash.iter_mut().zip(pairs) {
            *byte = u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(hash)
    }

    pub(crate) fn encode(hash: &[u8]) -> String {
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, H: From<[u8; HASH_SIZE]>>(
        deserializer: D,
    ) -> Result<H, D::Error> {
        decode(&String::deserialize(deserializer)?).map(H::from).ok_or_else(|| D::Error::custom(RULE))
    }

    pub(crate) fn serialize<S: Serializer>(hash: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        if hash.len() == HASH_SIZE { encode(hash).serialize(serializer) } else { Err(S::Error::custom(RULE)) }
    }

    const RULE: &str = "must be 64 hexadecimal digits in lower case";
}

/// Permission bits as three or four octal digits. No bits are set by leaving the field out.
pub(crate) mod octal {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let is_octal = matches!(digits.len(), 3 | 4) && digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'));
        match u32::from_str_radix(&digits, 8) {
            Ok(mode) if is_octal && mode != 0 => Ok(mode),
            _ => Err(D::Error::custom("must be three or four octal digits, not all of them zero")),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
    pub(crate) fn serialize<S: Serializer>(mode: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        if *mode > MODE_MAX {
            return Err(S::Error::custom("must have at most four octal digits"));
        }
        format!("{mode:04o}").serialize(serializer)
    }

    const MODE_MAX: u32 = 0o7777;
}

/// `KEY=VALUE` entries as an object.
pub(crate) mod pairs {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        let pair = |(key, value): (String, String)| match key.contains('=') {
            true => Err(D::Error::custom(format_args!("must not have a `=` in the key `{}`", Escaped(&key)))),
            false => Ok(format!("{key}={value}")),
        };
        BTreeMap::deserialize(deserializer)?.into_iter().map(pair).collect()
    }

    pub(crate) fn serialize<S: Serializer>(entries: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        unpaired(entries, "=").map_err(S::Error::custom)?.serialize(serializer)
    }
}

/// Header lines as an object. Nothing in a header starts another line, and no name is there in two spellings.
pub(crate) mod headers {
    use super::*;

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
        lines(BTreeMap::deserialize(deserializer)?).map_err(D::Error::custom)
    }

    pub(crate) fn serialize<S: Serializer>(entries: &[String], serializer: S) -> Result<S::Ok, S::Error> {
        let headers = unpaired(entries, ": ").map_err(S::Error::custom)?;
        // An object is written only if it can be read.
        lines(headers.clone()).map_err(S::Error::custom)?;
        headers.serialize(serializer)
    }

    fn lines(headers: BTreeMap<String, String>) -> Result<Vec<String>, String> {
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        let mut folded = BTreeMap::new();
        let line = |(name, value): (String, String)| {
            if name.is_empty() || !name.bytes().all(is_token) {
                return Err(format!("has the invalid header name `{}`", Escaped(&name)));
            }
            if value.contains(['\r', '\n', '\0']) {
                return Err(format!("must not have a line break or NUL in the value of `{}`", Escaped(&name)));
            }
            match folded.insert(name.to_ascii_lowercase(), ()) {
                Some(()) => Err(format!("must not have `{}` twice", Escaped(&name))),
                None => Ok(format!("{name}: {value}")),
            }
        };
        headers.into_iter().map(line).collect()
    }
}

/// A value of JSON that the message has as text.
pub(crate) struct JsonText<T>(PhantomData<T>);

impl<T: Serialize + DeserializeOwned> JsonText<T> {
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        serde_json::to_string(&T::deserialize(deserializer)?).map_err(D::Error::custom)
    }

    pub(crate) fn serialize<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
        let value = parse(text.as_bytes()).map_err(S::Error::custom)?;
        let value: T = from_value(value).map_err(|_| S::Error::custom("must be JSON of the argument's type"))?;
        value.serialize(serializer)
    }
}

/// The object of `KEY=VALUE` or `Name: value` entries, with each key once.
fn unpaired(entries: &[String], separator: &str) -> Result<BTreeMap<String, String>, String> {
    let mut map = BTreeMap::new();
    for entry in entries {
        let Some((key, value)) = entry.split_once(separator) else {
            return Err(format!("must have `{separator}` in the entry `{}`", Escaped(entry)));
        };
        if map.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(format!("must not have `{}` twice", Escaped(key)));
        }
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::hash::{decode, encode};

    #[test]
    fn every_byte_of_a_hash_is_written_and_read_again() {
        for byte in 0..=u8::MAX {
            let mut hash = [byte; 32];
            hash[31] = !byte;
            assert_eq!(decode(&encode(&hash)), Some(hash));
        }
    }

    #[test]
    fn only_64_digits_in_lower_case_are_a_hash() {
        let digits = "0123456789abcdef".repeat(4);
        assert!(decode(&digits).is_some());
        for other in
            ["", &digits.repeat(2), &digits.replacen('0', "", 1), &digits.replacen("01", "", 1), &format!("{digits}0")]
        {
            assert_eq!(decode(other), None, "{other}");
        }
        for odd in ["A", "F", "g", "/", ":", "`", " ", "+", "\0"] {
            assert_eq!(decode(&digits.replacen('5', odd, 1)), None, "{odd}");
        }
        assert_eq!(decode(&"\u{e9}".repeat(32)), None);
    }
}
