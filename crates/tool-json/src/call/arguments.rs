//! Tables of arguments -> the types that serde reads them into, and objects again.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;

use super::error::{BadValue, CallWrong};
use crate::json::{Json, Object, read};

/// The arguments of tools: before the semicolon what has to be there, after it what may be left out.
macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident {
        $($must:ident: $must_type:ty),* $(; $($may:ident: $may_type:ty),+)?
    })+) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $($must: $must_type,)*
            $($(#[serde(default)] $may: $may_type,)+)?
        }

        impl $name {
            /// As an object, without what says what leaving it out would say.
            pub(super) fn object(self) -> $crate::json::Object {
                #[allow(unused_mut, clippy::allow_attributes, reason = "there may be nothing to leave out")]
                let mut entries: Vec<(String, $crate::json::Json)> =
                    vec![$(($crate::call::arguments::name_of(stringify!($must)), self.$must.into()),)*];
                $($(if self.$may != <$may_type>::default() {
                    entries.push(($crate::call::arguments::name_of(stringify!($may)), self.$may.into()));
                })+)?
                $crate::json::Object::of_distinct(entries)
            }
        }
    )+ };
}

/// Arguments that are fields of a message under the same or another name.
macro_rules! plain_arguments {
    ($($name:ident = $message:ident {
        $($must:ident: $must_type:ty = $must_field:ident),* $(; $($may:ident: $may_type:ty = $may_field:ident),+)?
    })+) => { $(
        $crate::call::arguments::arguments! {
            $name { $($must: $must_type),* $(; $($may: $may_type),+)? }
        }

        impl From<$name> for tool_proto::$message {
            fn from(args: $name) -> Self {
                Self { $($must_field: args.$must,)* $($($may_field: args.$may,)+)? }
            }
        }

        impl From<tool_proto::$message> for $name {
            fn from(message: tool_proto::$message) -> Self {
                Self { $($must: message.$must_field,)* $($($may: message.$may_field,)+)? }
            }
        }
    )+ };
}

pub(super) use {arguments, plain_arguments};

/// What may be left out, and is something when it is there, whatever it is. Null is not leaving it out.
#[derive(Debug, Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(from = "T")]
pub(super) struct Given<T>(pub(super) Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> From<T> for Given<T> {
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}

impl<T: Into<Json>> From<Given<T>> for Json {
    fn from(given: Given<T>) -> Self {
        given.0.map_or(Self::Null, Into::into)
    }
}

/// Arguments that are a message as they are.
pub(super) fn plain<A: DeserializeOwned + Into<M>, M>(args: Object) -> Result<M, CallWrong> {
    Ok(read::<A>(args)?.into())
}

/// As JSON names it: `type` is a word of Rust's.
pub(super) fn name_of(field: &str) -> String {
    field.trim_start_matches("r#").to_owned()
}

/// `KEY=VALUE` entries in the order of the keys, so that one object is one list.
pub(super) fn pairs(argument: &'static str, map: BTreeMap<String, String>) -> Result<Vec<String>, CallWrong> {
    let pair = |(key, value): (String, String)| {
        if key.contains('=') { Err(bad(argument, BadValue::EqualsInKey { key })) } else { Ok(format!("{key}={value}")) }
    };
    map.into_iter().map(pair).collect()
}

/// The object of `KEY=VALUE` entries.
pub(super) fn unpaired(argument: &'static str, entries: Vec<String>) -> Result<BTreeMap<String, String>, CallWrong> {
    let mut map = BTreeMap::new();
    for entry in entries {
        let Some((key, value)) = entry.split_once('=') else {
            return Err(bad(argument, BadValue::NoPair { entry }));
        };
        if map.insert(key.to_owned(), value.to_owned()).is_some() {
            return Err(bad(argument, BadValue::Twice { name: key.to_owned() }));
        }
    }
    Ok(map)
}

/// Bytes as JSON can hold them.
pub(super) fn text(argument: &'static str, bytes: Vec<u8>) -> Result<String, CallWrong> {
    String::from_utf8(bytes).map_err(|_| bad(argument, BadValue::NoText))
}

pub(super) fn bad(argument: &'static str, why: BadValue) -> CallWrong {
    CallWrong::Value { argument: argument.to_owned(), why }
}
