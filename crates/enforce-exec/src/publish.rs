//! A permitted `artifact.publish` -> a name for content that is in the store, for good (CTR-0020, CTR-0021).

use enforce_core::wire::{ArtifactPublish, Tool};
use exec_record::{Artifact, ContentStore, Digest, State, StateError, StoreError};

use crate::act::{Begun, Done, Failed, Output};
use crate::fault::{Fault, FaultCode};
use crate::measures::BYTES;
use crate::obligations::Obligations;
use crate::response::ledger_unavailable;
use crate::results::Published;
use crate::tools::json;

/// Publishes content that is in the store. Publishing the same again changes nothing.
pub(crate) async fn publish(store: &ContentStore, state: &dyn State, begun: Begun<'_>) -> Done {
    let outcome = match begun.request().tool() {
        Some(Tool::ArtifactPublish(asked)) => published(store, state, &asked, begun.obligations()).await,
        _ => Err(Failed::Fault(Fault::new(FaultCode::Internal, "the request does not publish"))),
    };
    begun.end(outcome)
}

async fn published(
    store: &ContentStore,
    state: &dyn State,
    asked: &ArtifactPublish<'_>,
    obligations: &Obligations,
) -> Result<Output, Failed> {
    let hash = Digest::try_from(asked.content_hash)
        .map_err(|error| Failed::Fault(Fault::new(FaultCode::NotFound, error.to_string())))?;
    let (content, bytes) = store.measure(&hash).await.map_err(|error| Failed::Fault(absent(&error)))?;
    if let Some(most) = obligations.most(BYTES).filter(|most| bytes > *most) {
        return Err(Failed::TooLarge {
            bytes,
            why: format!("the content has {bytes} bytes, and the policy allows {most}"),
        });
    }
    let said: Vec<&str> = asked.metadata.iter().collect();
    let metadata = serde_json::to_string(&said)
        .map_err(|error| Failed::Fault(Fault::new(FaultCode::Internal, error.to_string())))?;
    let (id, category) = (asked.artifact_id.to_owned(), asked.category.to_owned());
    let artifact = Artifact { id: id.clone(), category, content, metadata };
    state.publish(artifact).await.map_err(|error| Failed::Fault(unpublished(&error)))?;
    let output = json(&Published { published: true, artifact_id: id, content_hash: hash.to_string() }, 0, bytes)?;
    Ok(Output { returned: bytes, ..output })
}

fn absent(error: &StoreError) -> Fault {
    let code = match error {
        StoreError::Missing { .. } => FaultCode::NotFound,
        StoreError::TooLarge { .. } => FaultCode::TooLarge,
        StoreError::Directory(_)
        | StoreError::Unusable { .. }
        | StoreError::OverQuota { .. }
        | StoreError::Changed { .. }
        | StoreError::Failed { .. } => FaultCode::StoreUnavailable,
    };
    Fault::new(code, error.to_string())
}

fn unpublished(error: &StateError) -> Fault {
    match error {
        StateError::ArtifactPublished { .. } => Fault::new(FaultCode::Exists, error.to_string()),
        StateError::TooLarge { .. } => Fault::new(FaultCode::TooLarge, error.to_string()),
        _ => ledger_unavailable(error),
    }
}
