//! The tools for syntax trees, for checks and for figures.

use tool_proto::tool_request::Tool;

use super::arguments::{arguments, bad, plain_arguments};
use super::error::{BadValue, CallWrong};
use crate::json::{Json, Object, read};

plain_arguments! {
    AstGenerate = AstGenerate {
        paths: Vec<String> = paths;
        language: String = language, incremental: bool = incremental, max_files: u64 = max_files
    }
    AstEdit = AstEdit {
        operation: String = operation, target_node_id: String = target_node_id, new_name: String = new_name;
        format_on_save: bool = format_on_save, validate_build: bool = validate_build
    }
    Validate = ValidateRun { rule_id: String = rule_id; enforcement: String = enforcement, glob: String = glob }
    EmitMetrics = MetricsEmit {; interval: u64 = interval_ms, session_id: String = session_id }
}

arguments! {
    AstQuery {; r#where: Where, limit: u64 }
    #[derive(Default)]
    Where {; r#type: String, name_like: String, file_glob: String }
    AstValidate { rules: Vec<Json> }
    AstExternal { provider: String, request: Json }
}

impl From<Where> for Json {
    fn from(nodes: Where) -> Self {
        Self::Object(nodes.object())
    }
}

pub(super) fn query(args: Object) -> Result<Tool, CallWrong> {
    let AstQuery { r#where: Where { r#type: node_type, name_like, file_glob }, limit } = read(args)?;
    Ok(Tool::AstQuery(tool_proto::AstQuery { node_type, name_like, file_glob, limit }))
}

pub(super) fn queried(query: tool_proto::AstQuery) -> Object {
    let tool_proto::AstQuery { node_type, name_like, file_glob, limit } = query;
    AstQuery { r#where: Where { r#type: node_type, name_like, file_glob }, limit }.object()
}

pub(super) fn validate(args: Object) -> Result<Tool, CallWrong> {
    let AstValidate { rules } = read(args)?;
    Ok(Tool::AstValidate(tool_proto::AstValidate { rules: Json::List(rules).to_string() }))
}

pub(super) fn validated(validate: &tool_proto::AstValidate) -> Result<Object, CallWrong> {
    match json("rules", &validate.rules)? {
        Json::List(rules) => Ok(AstValidate { rules }.object()),
        other => Err(bad("rules", BadValue::Kind { expected: "a list", found: other.kind() })),
    }
}

pub(super) fn external(args: Object) -> Result<Tool, CallWrong> {
    let AstExternal { provider, request } = read(args)?;
    Ok(Tool::AstExternal(tool_proto::AstExternal { provider, request: request.to_string() }))
}

pub(super) fn forwarded(external: tool_proto::AstExternal) -> Result<Object, CallWrong> {
    let tool_proto::AstExternal { provider, request } = external;
    let request = json("request", &request)?;
    Ok(AstExternal { provider, request }.object())
}

fn json(argument: &'static str, text: &str) -> Result<Json, CallWrong> {
    Json::new(text.as_bytes()).map_err(|error| bad(argument, BadValue::NoJson(error)))
}
