//! What can go wrong between a model, a request and Cedar.

use std::error::Error;
use std::fmt;

/// Why a model has no Cedar policy. None of these is an author's mistake: a checked policy has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CedarError {
    /// A number of the policy leaves no room for a larger one in Cedar.
    NumberTooLarge {
        /// What is compared with it.
        attribute: String,
        /// The number.
        value: u64,
    },
    /// Cedar refuses a tree or a name in it.
    Tree {
        /// The policy it is of.
        policy: String,
        /// What Cedar says.
        reason: String,
    },
    /// Cedar refuses the schema.
    Schema {
        /// What Cedar says.
        reason: String,
    },
    /// Cedar's validator refuses policies in strict mode.
    Invalid {
        /// What it says, policy by policy.
        reasons: Vec<String>,
    },
    /// A tree has no text.
    Text {
        /// What Cedar says.
        reason: String,
    },
}

/// Why a request cannot be shown to Cedar, or Cedar has no answer to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JudgeError {
    /// The model has no such operation.
    UnknownOperation {
        /// Its place among the model's operations.
        operation: usize,
    },
    /// Cedar refuses a part of the request.
    Request {
        /// What Cedar says.
        reason: String,
    },
    /// A policy failed instead of matching or not. Cedar would pass over it, which is never right here.
    Evaluation {
        /// What Cedar says, failure by failure.
        reasons: Vec<String>,
    },
    /// Cedar names a policy that was not compiled from the model.
    UnknownPolicy {
        /// Its id.
        id: String,
    },
    /// Cedar permits and names no policy for it.
    NoReason,
}

impl fmt::Display for CedarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NumberTooLarge { attribute, value } => {
                write!(f, "`{attribute}` is compared with {value}, which is too large for Cedar")
            }
            Self::Tree { policy, reason } => write!(f, "Cedar refuses the policy `{policy}`: {reason}"),
            Self::Schema { reason } => write!(f, "Cedar refuses the schema: {reason}"),
            Self::Invalid { reasons } => write!(f, "Cedar's validator refuses policies: {}", reasons.join("; ")),
            Self::Text { reason } => write!(f, "Cedar cannot print its policies: {reason}"),
        }
    }
}

impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOperation { operation } => write!(f, "the model has no operation {operation}"),
            Self::Request { reason } => write!(f, "Cedar refuses the request: {reason}"),
            Self::Evaluation { reasons } => write!(f, "Cedar could not evaluate policies: {}", reasons.join("; ")),
            Self::UnknownPolicy { id } => write!(f, "Cedar names the policy `{id}`, which the model does not have"),
            Self::NoReason => f.write_str("Cedar permits without naming a policy"),
        }
    }
}

impl Error for CedarError {}

impl Error for JudgeError {}
