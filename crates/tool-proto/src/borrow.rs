//! An owned request -> the same request as the core reads it, without a copy.

use enforce_core::wire::{self, Argument, ArgumentValue, Repeated, Request, Tool};

use crate::proto::{self, ToolRequest, argument, tool_request};

/// A request with its lists, borrowed entry by entry.
#[derive(Debug)]
pub struct Borrowed<'a> {
    request: &'a ToolRequest,
    texts: Vec<&'a str>,
    arguments: Vec<Argument<'a>>,
}

impl<'a> Borrowed<'a> {
    /// Borrows `request`.
    #[must_use]
    pub fn of(request: &'a ToolRequest) -> Self {
        use tool_request::Tool as Owned;
        let texts: &[String] = match &request.tool {
            Some(Owned::ShellExec(message)) => &message.env,
            Some(Owned::ShellExecExtended(message)) => &message.env,
            Some(Owned::ShellInline(message)) => &message.env,
            Some(Owned::GitOp(message)) => &message.args,
            Some(Owned::ArtifactPublish(message)) => &message.metadata,
            Some(Owned::PytestRun(message)) => &message.paths,
            Some(Owned::HttpRequest(message)) => &message.headers,
            Some(Owned::AstGenerate(message)) => &message.paths,
            _ => &[],
        };
        let arguments: &[proto::Argument] = match &request.tool {
            Some(Owned::ToolCall(call)) => &call.arguments,
            _ => &[],
        };
        Self {
            request,
            texts: texts.iter().map(String::as_str).collect(),
            arguments: arguments.iter().map(argument_of).collect(),
        }
    }

    /// The request as the core reads it.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        let ToolRequest { request_id, session_token, dedupe_key, tool } = self.request;
        Request::new(request_id, session_token, dedupe_key, tool.as_ref().map(|tool| self.tool(tool)))
    }

    fn tool<'b>(&'b self, tool: &'b tool_request::Tool) -> Tool<'b> {
        use tool_request::Tool as Owned;
        match tool {
            Owned::FileRead(message) => {
                Tool::FileRead(wire::FileRead { path: &message.path, offset: message.offset, limit: message.limit })
            }
            Owned::FileWrite(message) => Tool::FileWrite(wire::FileWrite {
                path: &message.path,
                content: &message.content,
                create_only: message.create_only,
                append: message.append,
            }),
            Owned::FileEdit(message) => Tool::FileEdit(wire::FileEdit {
                path: &message.path,
                old_content: &message.old_content,
                new_content: &message.new_content,
            }),
            Owned::ShellExec(message) => Tool::ShellExec(wire::ShellExec {
                command: &message.command,
                cwd: &message.cwd,
                timeout_ms: message.timeout_ms,
                network_access: message.network_access,
                env: Repeated::listed(&self.texts),
            }),
            Owned::GitOp(message) => Tool::GitOp(wire::GitOperation {
                operation: &message.operation,
                args: Repeated::listed(&self.texts),
                cwd: &message.cwd,
            }),
            Owned::Inference(message) => Tool::Inference(wire::InferenceCall {
                provider: &message.provider,
                model: &message.model,
                prompt_hash: &message.prompt_hash,
                max_tokens: message.max_tokens,
                temperature_scaled: message.temperature_scaled,
                system_prompt_hash: &message.system_prompt_hash,
            }),
            Owned::ArtifactPublish(message) => Tool::ArtifactPublish(wire::ArtifactPublish {
                artifact_id: &message.artifact_id,
                content_hash: &message.content_hash,
                category: &message.category,
                metadata: Repeated::listed(&self.texts),
            }),
            Owned::FilePatch(message) => {
                Tool::FilePatch(wire::FilePatch { path: &message.path, unified_diff: &message.unified_diff })
            }
            Owned::FsList(message) => Tool::FsList(wire::FsList {
                glob: &message.glob,
                max_results: message.max_results,
                include_hidden: message.include_hidden,
            }),
            Owned::FsGrep(message) => Tool::FsGrep(wire::FsGrep {
                pattern: &message.pattern,
                glob: &message.glob,
                case_sensitive: message.case_sensitive,
                max_results: message.max_results,
            }),
            Owned::FsMove(message) => {
                Tool::FsMove(wire::FsMove { src: &message.src, dst: &message.dst, overwrite: message.overwrite })
            }
            Owned::FsCopy(message) => Tool::FsCopy(wire::FsCopy {
                src: &message.src,
                dst: &message.dst,
                overwrite: message.overwrite,
                preserve_mode: message.preserve_mode,
            }),
            Owned::FsDelete(message) => Tool::FsDelete(wire::FsDelete {
                path: &message.path,
                recursive: message.recursive,
                force: message.force,
            }),
            Owned::ShellInline(message) => Tool::ShellInline(wire::ShellInline {
                interpreter: &message.interpreter,
                script: &message.script,
                cwd: &message.cwd,
                timeout_ms: message.timeout_ms,
                network_access: message.network_access,
                env: Repeated::listed(&self.texts),
            }),
            Owned::PytestRun(message) => Tool::PytestRun(wire::PytestRun {
                paths: Repeated::listed(&self.texts),
                timeout_ms: message.timeout_ms,
                network_access: message.network_access,
            }),
            Owned::ProcList(message) => {
                Tool::ProcList(wire::ProcList { filter: &message.filter, limit: message.limit })
            }
            Owned::HttpRequest(message) => Tool::HttpRequest(wire::HttpRequest {
                method: &message.method,
                url: &message.url,
                headers: Repeated::listed(&self.texts),
                body: &message.body,
                timeout_ms: message.timeout_ms,
                max_bytes: message.max_bytes,
                max_redirects: message.max_redirects,
            }),
            Owned::AstGenerate(message) => Tool::AstGenerate(wire::AstGenerate {
                paths: Repeated::listed(&self.texts),
                language: &message.language,
                incremental: message.incremental,
                max_files: message.max_files,
            }),
            Owned::AstQuery(message) => Tool::AstQuery(wire::AstQuery {
                node_type: &message.node_type,
                name_like: &message.name_like,
                file_glob: &message.file_glob,
                limit: message.limit,
            }),
            Owned::AstEdit(message) => Tool::AstEdit(wire::AstEdit {
                operation: &message.operation,
                target_node_id: &message.target_node_id,
                new_name: &message.new_name,
                format_on_save: message.format_on_save,
                validate_build: message.validate_build,
            }),
            Owned::AstValidate(message) => Tool::AstValidate(wire::AstValidate { rules: &message.rules }),
            Owned::AstExternal(message) => {
                Tool::AstExternal(wire::AstExternal { provider: &message.provider, request: &message.request })
            }
            Owned::ValidateRun(message) => Tool::ValidateRun(wire::ValidateRun {
                rule_id: &message.rule_id,
                enforcement: &message.enforcement,
                glob: &message.glob,
            }),
            Owned::MetricsEmit(message) => Tool::MetricsEmit(wire::MetricsEmit {
                interval_ms: message.interval_ms,
                session_id: &message.session_id,
            }),
            Owned::ToolCall(message) => Tool::ToolCall(wire::ToolCall {
                tool: &message.tool,
                operation: &message.operation,
                arguments: Repeated::listed(&self.arguments),
            }),
            Owned::FileWriteExtended(message) => Tool::FileWriteExtended(wire::FileWriteExtended {
                path: &message.path,
                content: &message.content,
                create_only: message.create_only,
                append: message.append,
                create_dirs: message.create_dirs,
                mode: message.mode,
                attribution: &message.attribution,
            }),
            Owned::ShellExecExtended(message) => Tool::ShellExecExtended(wire::ShellExecExtended {
                command: &message.command,
                cwd: &message.cwd,
                timeout_ms: message.timeout_ms,
                network_access: message.network_access,
                env: Repeated::listed(&self.texts),
                stdin: &message.stdin,
            }),
        }
    }
}

fn argument_of(argument: &proto::Argument) -> Argument<'_> {
    let value = argument.value.as_ref().map(|value| match value {
        argument::Value::Text(text) => ArgumentValue::Text(text),
        argument::Value::Number(number) => ArgumentValue::Number(*number),
        argument::Value::Flag(flag) => ArgumentValue::Flag(*flag),
    });
    Argument { name: &argument.name, value }
}
