//! Texts that are longer than what is stored of them: what is left of them, and that no secret is.

use super::*;

#[test]
fn trust_audit_both_ends_of_a_padded_command_are_on_the_record() {
    for (line, start, end) in [
        (format!("rm {}important", "./".repeat(1_100)), "rm ././", "/./important"),
        (format!("rm -f {}important", "x ".repeat(600)), "rm -f x x ", " x x important"),
        (format!("sh -c '{}rm important'", " ".repeat(1_100)), "sh -c '   ", "  rm important'"),
    ] {
        let kept = stored(&line);
        assert!(kept.starts_with(start) && kept.ends_with(end), "{kept}");
        let (head, rest) = kept.split_once("\u{2026}(").unwrap();
        let (left_out, tail) = rest.split_once(" bytes left out)\u{2026}").unwrap();
        assert_eq!(head.len() + left_out.parse::<usize>().unwrap() + tail.len(), line.len());
        assert!(kept.len() <= TEXT_BYTES_MAX);
    }
    // Of what is not even looked at the number is said.
    let kept = stored(&format!("rm {}", "./".repeat(READ_BYTES_MAX)));
    assert_eq!(kept, format!("rm\u{2026}({} bytes left out)", 2 * READ_BYTES_MAX + 1));
}

/// What a path is padded with is a part of it, and all of it is what was acted on.
#[test]
fn trust_audit_nothing_is_left_out_of_a_path_that_a_request_can_name() {
    for name in ["a", "\u{1f600}", "\u{1b}", "\u{e0001}"] {
        let path = name.repeat(enforce_core::limits::MAX_PATH_LEN);
        assert_eq!(Text::of_name(path.as_bytes()).as_str(), path);
        let mut secrets = Secrets::default();
        let target = secrets.target(path.as_bytes(), Written::Name);
        assert!(!target.is_cut());
        assert_eq!(secrets.stored(&target).as_str(), path);
        let fact = format!("path {path:?} name \"a\"");
        let draft = Draft::new(fact.clone(), Fixed::All, Written::Name);
        assert_eq!(secrets.stored(&draft).as_str(), fact);
    }
    let longer = Text::of_name("a".repeat(10 * NAME_BYTES_MAX).as_bytes());
    assert_eq!(longer.as_str(), format!("\u{2026}({} bytes left out)", 10 * NAME_BYTES_MAX));
}

/// Where a text is cut, a secret that another command shows may be cut in two, and neither part looks like it.
#[test]
fn trust_audit_what_may_be_a_part_of_a_secret_is_not_kept_for_later() {
    let mut secrets = Secrets::default();
    secrets.target(format!("mysql --password {GENERATED}").as_bytes(), Written::Command);
    let kept = |text: String| {
        let draft = Draft::new(text, Fixed::First(0), Written::Command);
        secrets.stored(&draft).as_str().to_owned()
    };
    let parts: Vec<&str> = (0..GENERATED.len() - 3).filter_map(|at| GENERATED.get(at..at + 4)).collect();
    for at in [1_000_usize, 2_000] {
        for more in 0..=2 * GENERATED.len() {
            let before = ". ".repeat((at - 2 * GENERATED.len()) / 2);
            let text = format!("{before}{}{GENERATED}{}", ".".repeat(more), " .".repeat((3_000 - at) / 2));
            let cut = kept(text);
            assert!(cut.len() <= TEXT_BYTES_MAX && cut.contains("bytes left out"), "{cut}");
            assert!(!parts.iter().any(|part| cut.contains(part)), "{at} {more}: {cut}");
        }
    }
    let cut = kept("a ".repeat(500) + &"LEAK".repeat(300));
    assert!(!cut.contains("LEAK") && cut.starts_with("a a ") && cut.ends_with(" bytes left out)\u{2026}"), "{cut}");
    assert_eq!(kept("LEAK".repeat(513)), "\u{2026}(2052 bytes left out)\u{2026}");
}

#[test]
fn trust_audit_a_line_as_a_whole_has_all_of_it_but_its_secrets() {
    let padded = |middle: &str| format!("rm {}{middle}{}", "x ".repeat(20_000), " y".repeat(20_000));
    let mut secrets = Secrets::default();
    let target = secrets.target(padded(&format!("{GENERATED} important")).as_bytes(), Written::Command);
    assert!(target.is_cut());
    let line = padded(&format!("{GENERATED} important; mysql -phunter2; true --password={GENERATED};"));
    let whole = secrets.whole(line.as_bytes(), Written::Command).unwrap();
    let (before, after) = ("rm ".to_owned() + &"x ".repeat(20_000), " y".repeat(20_000));
    let middle = whole.as_str().strip_prefix(&before).and_then(|rest| rest.strip_suffix(&after));
    assert_eq!(middle, Some("[redacted] important; mysql -p[redacted]; true --password=[redacted];"));
    assert!(!secrets.stored(&target).as_str().contains(GENERATED));
}

/// A word of quotes that holds a secret is written with each of them quoted.
#[test]
fn a_line_that_is_too_long_without_its_secrets_is_not_kept_as_a_whole() {
    let line = |quotes: usize| format!("echo \"{}password=a\"", "'".repeat(quotes));
    let whole = |quotes: usize| Secrets::default().whole(line(quotes).as_bytes(), Written::Command);
    let most = LINE_BYTES_MAX / 4;
    assert!(whole(most - 16).is_some_and(|text| text.as_str().len() > LINE_BYTES_MAX - 64));
    assert_eq!(whole(most), None);
}
