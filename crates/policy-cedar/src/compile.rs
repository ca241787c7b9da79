//! Model -> Cedar policies and schema, validated in strict mode, as trees and as text.

use std::collections::BTreeMap;

use cedar_policy::pst::{self, LinkedHashMap, StaticPolicy};
use cedar_policy::{PolicySet, Schema, SchemaFragment, ValidationMode, Validator};
use cedar_policy_formatter::{Config, policies_str_to_pretty};
use policy_model::Model;
use thiserror::Error;

use crate::policies::{Part, deciding, explaining};
use crate::schema::schema;
use crate::vocabulary::Vocabulary;

/// A policy as Cedar policies and a schema. Equal models give equal texts, byte for byte.
#[derive(Debug, Clone)]
pub struct CedarPolicy {
    pub policies: PolicySet,
    /// The policies as text, for a `.cedar` file. Cedar's text has no ids, so they are in the annotation `@id`.
    pub policies_text: String,
    /// Policies that do not decide: for a request that no policy permits they name the exceeded limits.
    pub limits: PolicySet,
    pub limits_text: String,
    pub schema: Schema,
    /// The schema as text, for a `.cedarschema` file.
    pub schema_text: String,
}

/// Compiles a model.
///
/// # Errors
/// When Cedar, or its validator in strict mode, rejects a part of the result.
pub fn compile(model: &Model) -> Result<CedarPolicy, CedarError> {
    let Compiled { deciding, explaining, policies, limits, schema, schema_text, vocabulary: _ } = Compiled::of(model)?;
    let (policies_text, limits_text) = (text(&deciding)?, text(&explaining)?);
    Ok(CedarPolicy { policies, policies_text, limits, limits_text, schema, schema_text })
}

/// Why a model has no Cedar policy. No checked policy is known to cause any of these errors.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CedarError {
    #[error("`{attribute}` is compared with {value}, which is too large for Cedar")]
    NumberTooLarge { attribute: String, value: u64 },
    #[error("Cedar rejects the policy `{policy}`: {reason}")]
    Tree { policy: String, reason: String },
    #[error("Cedar rejects the schema: {reason}")]
    Schema { reason: String },
    /// The errors of Cedar's validator in strict mode, policy by policy.
    #[error("Cedar's validator rejects the policies: {}", .reasons.join("; "))]
    Invalid { reasons: Vec<String> },
    #[error("Cedar cannot print its policies: {reason}")]
    Text { reason: String },
}

/// A compiled policy, and the parts from which requests and answers are made.
pub(crate) struct Compiled {
    pub(crate) vocabulary: Vocabulary,
    pub(crate) deciding: Vec<Part>,
    pub(crate) policies: PolicySet,
    pub(crate) explaining: Vec<Part>,
    pub(crate) limits: PolicySet,
    pub(crate) schema: Schema,
    pub(crate) schema_text: String,
}

impl Compiled {
    pub(crate) fn of(model: &Model) -> Result<Self, CedarError> {
        let vocabulary = Vocabulary::of(model);
        let (deciding, explaining) = (deciding(model)?, explaining(model)?);
        let (policies, limits) = (policy_set(&deciding)?, policy_set(&explaining)?);
        let rejected = |error: &dyn std::fmt::Display| CedarError::Schema { reason: error.to_string() };
        let fragment = SchemaFragment::from_json_value(schema(&vocabulary)).map_err(|error| rejected(&error))?;
        let schema_text = fragment.to_cedarschema().map_err(|error| rejected(&error))?;
        let schema = Schema::from_schema_fragments([fragment]).map_err(|error| rejected(&error))?;
        let validator = Validator::new(schema.clone());
        validate(&validator, &policies)?;
        validate(&validator, &limits)?;
        Ok(Self { vocabulary, deciding, policies, explaining, limits, schema, schema_text })
    }
}

fn policy_set(parts: &[Part]) -> Result<PolicySet, CedarError> {
    let mut policies = LinkedHashMap::new();
    for part in parts {
        let id = part.template.id.clone();
        let rejected = |reason: String| CedarError::Tree { policy: id.to_string(), reason };
        let policy = StaticPolicy::try_from(part.template.clone()).map_err(|error| rejected(error.to_string()))?;
        if policies.insert(id.clone(), policy).is_some() {
            return Err(rejected("duplicate name".to_owned()));
        }
    }
    let set = pst::PolicySet { templates: LinkedHashMap::new(), policies, template_links: Vec::new() };
    PolicySet::from_pst(set).map_err(|error| CedarError::Tree { policy: "*".to_owned(), reason: error.to_string() })
}

fn validate(validator: &Validator, policies: &PolicySet) -> Result<(), CedarError> {
    let result = validator.validate(policies, ValidationMode::Strict);
    // Cedar keeps policies in a hash map; sorting by id makes the order of the reasons deterministic.
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for error in result.validation_errors() {
        reasons.entry(error.policy_id().to_string()).or_default().push(error.to_string());
    }
    if reasons.is_empty() {
        Ok(())
    } else {
        Err(CedarError::Invalid { reasons: reasons.into_values().flatten().collect() })
    }
}

/// Prints policies in source order with a blank line between them.
fn text(parts: &[Part]) -> Result<String, CedarError> {
    let texts: Vec<String> = parts.iter().map(policy_text).collect::<Result<_, _>>()?;
    Ok(texts.join("\n"))
}

/// Formats a policy, unless its line is so long that nobody would read it.
fn policy_text(part: &Part) -> Result<String, CedarError> {
    let line = part.template.to_string();
    if line.len() > FORMATTED_BYTES_MAX {
        return Ok(line + "\n");
    }
    let config = Config { line_width: LINE_WIDTH, indent_width: INDENT_WIDTH };
    policies_str_to_pretty(&line, &config).map_err(|error| CedarError::Text { reason: error.to_string() })
}

/// The formatter's time grows with the square of the length.
const FORMATTED_BYTES_MAX: usize = 32 << 10;

const LINE_WIDTH: usize = 100;

const INDENT_WIDTH: isize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::model;

    #[test]
    fn cedars_validator_runs_in_strict_mode() {
        let mut model = model("rule a: allow anyone to file.read where append rule b: allow anyone to fs.list");
        // No checked policy has such a rule: `fs.list` has no such flag.
        model.rules[1].condition = model.rules[0].condition.clone();
        let Err(CedarError::Invalid { reasons }) = compile(&model) else {
            panic!("a rule that asks for what its operation lacks is compiled");
        };
        assert!(reasons.iter().all(|reason| reason.contains("`b`")), "{reasons:?}");
        assert!(!reasons.is_empty());
    }

    #[test]
    fn a_policy_without_rules_has_no_text_and_a_schema() {
        let compiled = compile(&model("role a")).unwrap();
        assert_eq!((compiled.policies_text.as_str(), compiled.limits_text.as_str()), ("", ""));
        assert!(compiled.schema_text.contains("action \"file.read\""));
    }

    #[test]
    fn errors_are_one_line() {
        let reason = "no".to_owned();
        for (error, expected) in [
            (
                CedarError::NumberTooLarge { attribute: "bytes".to_owned(), value: 9 },
                "`bytes` is compared with 9, which is too large for Cedar",
            ),
            (CedarError::Tree { policy: "p".to_owned(), reason: reason.clone() }, "Cedar rejects the policy `p`: no"),
            (CedarError::Schema { reason: reason.clone() }, "Cedar rejects the schema: no"),
            (
                CedarError::Invalid { reasons: vec![reason.clone(), reason.clone()] },
                "Cedar's validator rejects the policies: no; no",
            ),
            (CedarError::Text { reason }, "Cedar cannot print its policies: no"),
        ] {
            assert_eq!(error.to_string(), expected);
        }
    }
}
