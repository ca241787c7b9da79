//! The parser that pest makes of `grammar/policy.pest`.

#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/policy.pest"]
pub(crate) struct Grammar;
