//! The tools whose content is in the content store, named by its hash.

use std::collections::BTreeMap;

use tool_proto::tool_request::Tool;

use super::arguments::{Given, arguments, bad, pairs, unpaired};
use super::error::{BadValue, CallWrong};
use crate::hex;
use crate::json::{Object, read};

arguments! {
    InferenceCall {
        provider: String, model: String, prompt_hash: String;
        max_tokens: u64, temperature_scaled: u32, system_prompt_hash: Given<String>
    }
    ArtifactPublish {
        artifact_id: String, content_hash: String, category: String;
        metadata: BTreeMap<String, String>
    }
}

pub(super) fn infer(args: Object) -> Result<Tool, CallWrong> {
    let InferenceCall { provider, model, prompt_hash, max_tokens, temperature_scaled, system_prompt_hash } =
        read(args)?;
    let prompt_hash = hash("prompt_hash", &prompt_hash)?;
    let system_prompt_hash = match system_prompt_hash.0 {
        None => Vec::new(),
        Some(digits) => hash("system_prompt_hash", &digits)?,
    };
    Ok(Tool::Inference(tool_proto::InferenceCall {
        provider,
        model,
        prompt_hash,
        max_tokens,
        temperature_scaled,
        system_prompt_hash,
    }))
}

pub(super) fn inferred(call: tool_proto::InferenceCall) -> Result<Object, CallWrong> {
    let tool_proto::InferenceCall { provider, model, prompt_hash, max_tokens, temperature_scaled, system_prompt_hash } =
        call;
    let prompt_hash = digits("prompt_hash", &prompt_hash)?;
    let system_prompt_hash = match system_prompt_hash.as_slice() {
        [] => Given(None),
        hash => digits("system_prompt_hash", hash)?.into(),
    };
    Ok(InferenceCall { provider, model, prompt_hash, max_tokens, temperature_scaled, system_prompt_hash }.object())
}

pub(super) fn publish(args: Object) -> Result<Tool, CallWrong> {
    let ArtifactPublish { artifact_id, content_hash, category, metadata } = read(args)?;
    let content_hash = hash("content_hash", &content_hash)?;
    let metadata = pairs("metadata", metadata)?;
    Ok(Tool::ArtifactPublish(tool_proto::ArtifactPublish { artifact_id, content_hash, category, metadata }))
}

pub(super) fn published(publish: tool_proto::ArtifactPublish) -> Result<Object, CallWrong> {
    let tool_proto::ArtifactPublish { artifact_id, content_hash, category, metadata } = publish;
    let content_hash = digits("content_hash", &content_hash)?;
    let metadata = unpaired("metadata", metadata)?;
    Ok(ArtifactPublish { artifact_id, content_hash, category, metadata }.object())
}

fn hash(argument: &'static str, digits: &str) -> Result<Vec<u8>, CallWrong> {
    hex::read(digits).map(Vec::from).ok_or_else(|| bad(argument, BadValue::Hash))
}

fn digits(argument: &'static str, hash: &[u8]) -> Result<String, CallWrong> {
    hash.try_into().map(hex::write).map_err(|_| bad(argument, BadValue::Hash))
}
