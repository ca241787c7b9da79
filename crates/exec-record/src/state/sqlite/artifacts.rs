//! Artifacts: published once, and the same from then on (CTR-0021).

use rusqlite::{OptionalExtension as _, params};

use super::books::{Books, Fatal};
use crate::state::error::StateError;
use crate::store::{Artifact, Present};

impl Books {
    pub(super) fn publish(&mut self, artifact: &Artifact) -> Result<Result<(), StateError>, Fatal> {
        match self.find_artifact(&artifact.id)? {
            Some(published) if published == *artifact => Ok(Ok(())),
            Some(_) => Ok(Err(StateError::ArtifactPublished { id: artifact.id.clone() })),
            None => {
                let content = artifact.content.hash();
                let values = params![artifact.id, artifact.category, content.as_bytes(), artifact.metadata];
                self.connection.prepare_cached(INSERT)?.execute(values)?;
                Ok(Ok(()))
            }
        }
    }

    pub(super) fn artifact(&self, id: &str) -> Result<Result<Option<Artifact>, StateError>, Fatal> {
        Ok(Ok(self.find_artifact(id)?))
    }

    fn find_artifact(&self, id: &str) -> Result<Option<Artifact>, Fatal> {
        let artifact = |row: &rusqlite::Row<'_>| {
            Ok(Artifact {
                id: id.to_owned(),
                category: row.get(0)?,
                content: Present::published(row.get::<_, [u8; 32]>(1)?.into()),
                metadata: row.get(2)?,
            })
        };
        Ok(self.connection.prepare_cached(FIND)?.query_row([id], artifact).optional()?)
    }
}

const INSERT: &str = "INSERT INTO artifacts (id, category, content, metadata) VALUES (?1, ?2, ?3, ?4)";
const FIND: &str = "SELECT category, content, metadata FROM artifacts WHERE id = ?1";
