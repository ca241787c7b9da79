//! The doctor on this machine, which has every layer; and on one from which a layer was taken.

use super::*;

#[test]
fn every_layer_of_this_machine_holds_and_the_trials_could_tell() {
    let report = examine(&Options::default());
    println!("{report}");
    assert!(report.is_whole(), "{report}");
    assert_eq!(report.layers.iter().map(|finding| finding.layer).collect::<Vec<_>>(), Layer::ALL);
    for Finding { layer, shown, .. } in &report.layers {
        assert!(!shown.is_empty(), "{layer} was not tried");
        for Shown { what, without, .. } in shown {
            let tells = matches!(without, Outcome::Passed | Outcome::Failed { .. });
            // An ordinary user cannot do some of it anyway.
            assert!(tells || !report.kernel.is_root, "{layer}: {what} is stopped without it too: {without}");
        }
    }
}

#[test]
fn nothing_is_left_of_the_stage() {
    let stage = Stage::set().unwrap();
    let (file, key) = (std::path::PathBuf::from(stage.file.to_str().unwrap()), stage.queue.key);
    assert!(file.exists() && calls::Queue::find(key) == 0);
    drop(stage);
    assert!(!file.parent().unwrap().exists() && calls::Queue::find(key) != 0);
}

#[test]
fn a_layer_that_stops_nothing_is_missing() {
    let sandbox = Sandbox::examined();
    let stage = Stage::set();
    for layer in Layer::ALL {
        // What is examined as this layer has none of it.
        let broken = sandbox.only(Layers::all().without(layer));
        let finding = examine_layer(&broken, stage.as_ref(), layer);
        let tried_as_root = sandbox.layers().has(layer) && rustix::process::geteuid().is_root();
        assert!(!tried_as_root || matches!(finding.status, Status::Missing { .. }), "{layer}: {finding:?}");
    }
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
    assert!(!missing(false).is_whole() && missing(true).is_whole());
    assert!(missing(false).to_string().contains("landlock            MISSING\n    it is not there\n"));
    assert!(missing(true).to_string().contains("landlock            missing, accepted\n"));
    let json = serde_json::to_value(missing(false)).unwrap();
    assert_eq!(json["layers"][0]["status"], "missing");
    assert_eq!(json["layers"][0]["layer"], "landlock");
}
