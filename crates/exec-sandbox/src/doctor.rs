//! This machine -> the layers of the sandbox that work, shown by trying what each must stop.
//!
//! Every trial runs twice, each time in a process of its own: without any layer, and with only the one layer and those that it
//! requires, so that no layer hides that another is broken. The doctor repairs nothing.

#[expect(unsafe_code, reason = "calls that no safe wrapper has, because nobody should make them")]
mod calls;
mod report;
mod stage;
mod trials;

pub use report::{Finding, Outcome, Report, Status, TrialResult};

use crate::sandbox::{Kernel, Layer, Layers, Limits, Sandbox, TrialAnswer};
use stage::Stage;
use trials::Trial;

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub accept_missing: Vec<Layer>,
}

/// Examines the machine. This takes a few seconds, mostly for a trial that uses CPU time until it is stopped.
#[must_use]
pub fn examine(options: &Options) -> Report {
    let sandbox = Sandbox::examined();
    let stage = Stage::new().map_err(|error| error.to_string());
    let layers = Layer::ALL
        .into_iter()
        .map(|layer| Finding {
            is_accepted: options.accept_missing.contains(&layer),
            ..examine_layer(&sandbox, stage.as_ref(), layer)
        })
        .collect();
    Report { kernel: Kernel::examine(), layers }
}

fn examine_layer(sandbox: &Sandbox, stage: Result<&Stage, &String>, layer: Layer) -> Finding {
    let missing = |why: String, shown| Finding { layer, status: Status::Missing { why }, is_accepted: false, shown };
    if let Some(known) = sandbox.missing().iter().find(|missing| missing.layer == layer) {
        return missing(known.why.clone(), Vec::new());
    }
    let stage = match stage {
        Ok(stage) => stage,
        Err(why) => return missing(format!("the trials cannot be prepared: {why}"), Vec::new()),
    };
    let alone = sandbox.only(required(layer).with(layer));
    let bare = sandbox.only(Layers::default());
    let shown: Vec<TrialResult> = trials::of(layer, sandbox, stage)
        .into_iter()
        .map(|Trial { what, limits, attempt, is_stopped_by }| {
            let outcome = |sandbox: &Sandbox| match sandbox.attempt(&limits, attempt()) {
                TrialAnswer::Answered(0) => Outcome::Passed,
                TrialAnswer::Answered(error) => Outcome::of(error, is_stopped_by),
                TrialAnswer::NotMade(why) => Outcome::NotTried { why },
            };
            TrialResult { what: what.to_owned(), without: outcome(&bare), with: outcome(&alone) }
        })
        .collect();
    match shown.iter().find(|shown| !matches!(shown.with, Outcome::Stopped { .. })) {
        Some(TrialResult { what, with, .. }) => missing(format!("{what}: {with}"), shown.clone()),
        None => Finding { layer, status: Status::Enforced, is_accepted: false, shown },
    }
}

/// The layers that a layer requires.
fn required(layer: Layer) -> Layers {
    match layer {
        Layer::NoNewPrivileges | Layer::UserNamespace => Layers::default(),
        Layer::Landlock | Layer::Seccomp => Layers::default().with(Layer::NoNewPrivileges),
        Layer::PidNamespace | Layer::MountNamespace | Layer::NetworkNamespace | Layer::IpcNamespace => {
            Layers::default().with(Layer::UserNamespace)
        }
        Layer::ResourceLimits => {
            Layers::default().with(Layer::UserNamespace).with(Layer::PidNamespace).with(Layer::IpcNamespace)
        }
    }
}

/// Small enough to be reached quickly; the kernel limits CPU time in whole seconds.
fn small_limits() -> Limits {
    Limits {
        cpu_seconds: 1,
        memory_bytes: 64 << 20,
        open_files: 64,
        processes: trials::PROCESSES,
        file_bytes: 1 << 20,
        temp_bytes: 64 << 20,
        ..Limits::default()
    }
}

#[cfg(test)]
mod tests;
