//! The doctor on this machine, which has every layer; and on one from which a layer was taken. All of it holds for root and
//! for an ordinary user.

use rustix::io::Errno;

use super::*;

#[test]
fn every_layer_of_this_machine_holds_and_the_trials_could_tell() {
    let report = examine(&Options::default());
    println!("{report}");
    assert!(report.is_complete(), "{report}");
    assert_eq!(report.layers.iter().map(|finding| finding.layer).collect::<Vec<_>>(), Layer::ALL);
    // What a kernel was built without, it refuses in the words of the filter.
    let is_built_without = |what: &str| {
        let mut calls = calls::FORBIDDEN.iter().filter(|call| call.name == what);
        calls.any(|call| call.error == Errno::NOSYS && call.call() == Errno::NOSYS.raw_os_error())
    };
    for Finding { layer, shown, .. } in &report.layers {
        let is_known = |shown: &&TrialResult| !is_built_without(&shown.what);
        let tells = |shown: &TrialResult| matches!(shown.without, Outcome::Passed | Outcome::Failed { .. });
        // An ordinary user cannot do some of it anyway; but something of each layer, everybody can.
        assert!(shown.iter().any(tells), "nothing was tried that tells of {layer}: {shown:#?}");
        for shown in shown.iter().filter(is_known) {
            assert!(tells(shown) || !report.kernel.is_root, "{layer} is not all that stops it: {shown:#?}");
        }
    }
}

#[test]
fn nothing_is_left_of_the_stage() {
    let stage = Stage::new().unwrap();
    let (file, key) = (std::path::PathBuf::from(stage.file.to_str().unwrap()), stage.queue.key);
    assert!(file.exists() && calls::Queue::find(key) == 0);
    drop(stage);
    assert!(!file.parent().unwrap().exists() && calls::Queue::find(key) != 0);
}

#[test]
fn a_layer_that_stops_nothing_is_missing() {
    let sandbox = Sandbox::examined();
    let stage = Stage::new().map_err(|error| error.to_string());
    for layer in Layer::ALL {
        // What is examined as this layer has none of it.
        let broken = sandbox.only(Layers::all().without(layer));
        let finding = examine_layer(&broken, stage.as_ref(), layer);
        assert!(matches!(finding.status, Status::Missing { .. }), "{layer}: {finding:?}");
    }
}

/// Who is first there is spared the signal that ends others.
#[test]
fn a_large_file_is_stopped_without_a_namespace_of_processes_too() {
    let sandbox = Sandbox::examined().only(Layers::all().without(Layer::PidNamespace));
    let finding =
        examine_layer(&sandbox, Stage::new().map_err(|error| error.to_string()).as_ref(), Layer::ResourceLimits);
    let shown = finding.shown.iter().find(|shown| shown.what == "making a large file").unwrap();
    assert!(matches!(shown.with, Outcome::Stopped { .. }), "{shown:?}");
}

#[test]
fn what_is_stopped_without_the_layer_too_is_said_to_tell_nothing() {
    let stopped = || Outcome::Stopped { error: "no".to_owned() };
    let report = |without| Report {
        kernel: Kernel::examine(),
        layers: vec![Finding {
            layer: Layer::Seccomp,
            status: Status::Enforced,
            is_accepted: false,
            shown: vec![TrialResult { what: "kexec_load".to_owned(), without, with: stopped() }],
        }],
    };
    assert!(report(Outcome::Passed).to_string().contains("    kexec_load: stopped (no); without it passed\n"));
    let too = "    kexec_load: stopped (no); without it stopped (no), too, so this trial tells nothing\n";
    assert!(report(stopped()).to_string().contains(too));
}

#[test]
fn a_missing_layer_is_said_unless_it_is_accepted() {
    let missing = |is_accepted| Report {
        kernel: Kernel::examine(),
        layers: vec![Finding {
            layer: Layer::Landlock,
            status: Status::Missing { why: "it is not there".to_owned() },
            is_accepted,
            shown: Vec::new(),
        }],
    };
    assert!(!missing(false).is_complete() && missing(true).is_complete());
    assert!(missing(false).to_string().contains("landlock            MISSING\n    it is not there\n"));
    let accepted = missing(true).to_string();
    assert!(accepted.contains("landlock            missing, accepted\n"));
    assert!(
        accepted.ends_with("sandbox works except `landlock`, which was accepted with `--accept-missing landlock`\n"),
        "{accepted}"
    );
    let json = serde_json::to_value(missing(false)).unwrap();
    assert_eq!(json["layers"][0]["status"], "missing");
    assert_eq!(json["layers"][0]["layer"], "landlock");
}
