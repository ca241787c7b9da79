//! Bytes -> Request: what `tool.proto` encodes, in place, and nothing else.
//!
//! A lenient reader of protocol buffers takes the last of two tools, skips what it does not know and puts
//! pieces of a message together. Here each of these is an error, so that everybody who reads the bytes reads the
//! same request.

mod cursor;
mod error;
mod fields;
mod message;
mod messages;
mod repeated;
mod text;

pub use error::{Malformed, WireError};
// Its table is the list of messages.
pub use messages::*;
pub use repeated::{Entry, Repeated, Texts};
pub use text::Text;

pub(crate) use fields::{Fields, Value};
pub(crate) use message::{Bound, Fact, Field, Kind, Message, Subject};

use core::fmt;

use crate::limits::MAX_REQUEST_SIZE;
use cursor::{Cursor, Shape};
use fields::text;

/// One call of one tool. It borrows from its bytes.
#[derive(Clone, Copy, Default)]
pub struct Request<'a> {
    /// Names the request.
    pub request_id: Text<'a>,
    /// Names the session.
    pub session_token: Text<'a>,
    /// A repeat under the same key is not run again.
    pub dedupe_key: Text<'a>,
    call: Option<Call<'a>>,
}

/// A tool that is called, by the fields of its message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) message: &'static Message,
    pub(crate) fields: Fields<'a>,
}

impl<'a> Call<'a> {
    /// What is known of each field, and its value.
    #[inline]
    pub(crate) fn each(&self) -> impl Iterator<Item = (&'static Field, &Value<'a>)> {
        self.message.fields.iter().zip(self.fields.values())
    }
}

impl<'a> Request<'a> {
    /// The same request as it is read from its bytes.
    #[must_use]
    pub fn new(request_id: &'a str, session_token: &'a str, dedupe_key: &'a str, tool: Option<Tool<'a>>) -> Self {
        let call = tool.map(|tool| tool.fields()).map(|(message, fields)| Call { message, fields });
        let [request_id, session_token, dedupe_key] = [request_id, session_token, dedupe_key].map(Text::from);
        Self { request_id, session_token, dedupe_key, call }
    }

    /// What is asked for; nothing when the request does not say.
    #[must_use]
    pub fn tool(&self) -> Option<Tool<'a>> {
        self.call.as_ref().and_then(|call| Tool::of(call.message, &call.fields))
    }

    pub(crate) fn call(&self) -> Option<&Call<'a>> {
        self.call.as_ref()
    }

    /// Reads a request to its end.
    ///
    /// # Errors
    /// When the bytes are anything but one encoded request.
    pub fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut request = Self::default();
        request.fill(bytes)?;
        Ok(request)
    }

    /// Reads a request into one that is empty, so that it is not moved.
    #[inline(never)]
    pub(crate) fn fill(&mut self, bytes: &'a [u8]) -> Result<(), WireError> {
        if bytes.len() > MAX_REQUEST_SIZE {
            return Err(WireError { reason: Malformed::TooLarge, at: MAX_REQUEST_SIZE });
        }
        let mut seen = [false; 3];
        let mut cursor = Cursor::new(bytes, 0);
        while let Some(tag) = cursor.tag()? {
            let number = tag.number;
            let refuse = |reason| Err(WireError { reason, at: tag.at });
            let (place, field) = match number {
                1 => (0, &mut self.request_id),
                2 => (1, &mut self.session_token),
                3 => (2, &mut self.dedupe_key),
                _ => {
                    let Some(message) = Message::numbered(number) else {
                        return refuse(Malformed::UnknownField { number });
                    };
                    if tag.shape != Shape::Delimited {
                        return refuse(Malformed::WireType { number });
                    }
                    if self.call.is_some() {
                        return refuse(Malformed::SecondTool);
                    }
                    let bytes = cursor.delimited()?;
                    let base = cursor.place().saturating_sub(bytes.len());
                    let call = self.call.insert(Call { message, fields: Fields::NONE });
                    call.fields.read(bytes, base, message.fields, message.list)?;
                    continue;
                }
            };
            if tag.shape != Shape::Delimited {
                return refuse(Malformed::WireType { number });
            }
            match seen.get_mut(place) {
                Some(seen) if !*seen => *seen = true,
                _ => return refuse(Malformed::RepeatedField { number }),
            }
            *field = text(&mut cursor, number)?;
        }
        Ok(())
    }
}

impl PartialEq for Request<'_> {
    fn eq(&self, other: &Self) -> bool {
        let ids = |request: &Self| [request.request_id, request.session_token, request.dedupe_key];
        ids(self) == ids(other) && self.tool() == other.tool()
    }
}

impl Eq for Request<'_> {}

impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("request_id", &self.request_id)
            .field("session_token", &self.session_token)
            .field("dedupe_key", &self.dedupe_key)
            .field("tool", &self.tool())
            .finish()
    }
}

#[cfg(test)]
mod tests;
