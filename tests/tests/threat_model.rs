//! The page about threats is true: every row of its tables is read from the document and compared with the code.

#![cfg(test)]

#[path = "readers/gate.rs"]
mod gate;
#[path = "readers/page.rs"]
mod page;

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use enforce_core::Verdict;
use enforce_core::net::{Url, UrlError, is_private_ip};
use enforce_core::path::{Contained, PathError, Root, RootError};
use enforce_core::shell::{Line, ShellError};
use fastrand::Rng;
use gate::Gate;
use page::{Said, headers, rows};

const PATHS: &str = "path | result | why";
const FOLDERS: &str = "working directory | path | result | why";
const ROOTS: &str = "root | result | why";
const LINES: &str = "line | result | why";
const URLS: &str = "URL | result | why";
const PATTERNS: &str = "pattern | host | matches | why";
const ADDRESSES: &str = "from | to | is | why";
/// Tables about what others have to do, and about machines that lack something.
const NOT_RUN: [&str; 4] = [
    "who | is trusted for | is not trusted for",
    "what | why the core cannot know | who has to handle it, and how",
    "what | how it is held | what is left",
    "layer | what a command can do without it",
];

#[test]
fn every_table_is_run_or_is_known_not_to_be() {
    let run = [PATHS, FOLDERS, ROOTS, LINES, URLS, PATTERNS, ADDRESSES];
    let known: BTreeSet<&str> = run.into_iter().chain(NOT_RUN).collect();
    let found = headers();
    assert_eq!(found.len(), known.len(), "{found:#?}");
    assert_eq!(found.iter().map(String::as_str).collect::<BTreeSet<_>>(), known);
}

#[test]
fn rule_sec_paths_sandbox_paths_are_what_the_page_says() {
    let mut names = BTreeSet::new();
    for row in rows(PATHS, 45) {
        let said = contained(b"", &row.text(0));
        assert_eq!(said, row.said(1), "{row:?}");
        names.insert(said.words);
    }
    assert_names(&names, "refused:", &["Empty", "TooLong", "Nul", "Parent", "Outside"]);
}

#[test]
fn paths_start_in_the_working_directory_as_the_page_says() {
    for row in rows(FOLDERS, 9) {
        assert_eq!(contained(&row.text(0), &row.text(1)), row.said(2), "{row:?}");
    }
}

#[test]
fn roots_are_what_the_page_says() {
    for row in rows(ROOTS, 7) {
        let said = match Root::new(&row.text(0)) {
            Ok(_) => Said::words("a root"),
            Err(RootError::NotAbsolute) => Said::words("refused: NotAbsolute"),
            Err(RootError::Path(error)) => refused(&error),
        };
        assert_eq!(said, row.said(1), "{row:?}");
    }
}

#[test]
fn lines_are_what_the_page_says() {
    let mut names = BTreeSet::new();
    for row in rows(LINES, 48) {
        let text = row.text(0);
        let said = match Line::new(&text) {
            Ok(line) => Said::texts(line.commands().map(|command| {
                let mut buffer = vec![0; command.written_max()];
                command.write(&mut buffer).unwrap().to_vec()
            })),
            Err(ShellError::Invalid { reason, .. }) => Said::words(&format!("invalid: {reason:?}")),
            Err(ShellError::Complex { reason, .. }) => Said::words(&format!("complex: {reason:?}")),
        };
        assert_eq!(said, row.said(1), "{row:?}");
        names.insert(said.words);
    }
    let invalid = ["Empty", "TooLong", "Nul", "OpenQuote", "LoneBackslash", "OperatorFirst", "OperatorLast"];
    assert_names(&names, "invalid:", &invalid);
    let opened = ["Control", "Expansion", "Substitution", "Redirection", "Background", "Subshell", "PipeOfBoth"];
    let others = ["Comment", "Glob", "Tilde", "Braces", "Assignment", "Reserved"];
    assert_names(&names, "complex:", &[&opened[..], &others].concat());
}

#[test]
fn urls_are_what_the_page_says() {
    let mut names = BTreeSet::new();
    for row in rows(URLS, 40) {
        let said = match Url::new(&row.text(0)) {
            Ok(url) => {
                let port = url.port.map(|port| port.to_string().into_bytes());
                let (scheme, host) = (url.scheme.to_ascii_lowercase(), url.host.text().to_ascii_lowercase());
                let words = if port.is_none() { "none" } else { "" };
                let texts = [Some(scheme), Some(host), port, Some(url.path.to_vec())];
                Said { words: words.to_owned(), texts: texts.into_iter().flatten().collect() }
            }
            Err(error) => refused_url(&error),
        };
        assert_eq!(said, row.said(1), "{row:?}");
        names.insert(said.words);
    }
    let all = ["Byte", "NoScheme", "Scheme", "UserInfo", "Port", "Path", "Host", "Address"];
    assert_names(&names, "refused:", &all);
}

#[test]
fn hosts_match_patterns_as_the_page_says() {
    for row in rows(PATTERNS, 11) {
        let gate = Gate::new(&format!("host in {:?}", String::from_utf8(row.text(0)).unwrap()));
        let is_allowed = gate.judge(&[b"https://", &row.text(1)[..], b"/"].concat()) == Verdict::Allow;
        assert_eq!(Said::words(if is_allowed { "yes" } else { "no" }), row.said(2), "{row:?}");
    }
}

/// The rows follow each other without a gap, so that no address is left out.
#[test]
fn sec_ssrf_ranges_every_address_is_what_the_page_says() {
    let mut dice = Rng::with_seed(1);
    let (mut next, mut kinds) = (Some(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), 0);
    for row in rows(ADDRESSES, 43) {
        let address = |place: usize| -> IpAddr { String::from_utf8(row.text(place)).unwrap().parse().unwrap() };
        let (first, last) = (address(0), address(1));
        assert_eq!(Some(first), next, "{row:?} does not follow");
        assert!(first <= last, "{row:?}");
        let inside = (0..1_000).map(|_| between(&mut dice, first, last));
        for address in inside.chain([first, last]) {
            let expected = match (row.said(2).words.as_str(), address) {
                ("private", _) => true,
                ("public", _) => false,
                ("as IPv4", IpAddr::V6(address)) => {
                    let [.., a, b, c, d] = address.octets();
                    is_private_ip(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
                }
                _ => panic!("{row:?}"),
            };
            assert_eq!(is_private_ip(address), expected, "{address}");
        }
        next = match last {
            IpAddr::V4(Ipv4Addr::BROADCAST) => Some(IpAddr::V6(Ipv6Addr::UNSPECIFIED)),
            IpAddr::V4(last) => Some(IpAddr::V4(Ipv4Addr::from_bits(last.to_bits() + 1))),
            IpAddr::V6(last) => last.to_bits().checked_add(1).map(|next| IpAddr::V6(Ipv6Addr::from_bits(next))),
        };
        kinds += usize::from(next.is_none() || last == IpAddr::V4(Ipv4Addr::BROADCAST));
    }
    assert_eq!((next, kinds), (None, 2), "the last row of each kind ends where the kind ends");
}

fn contained(folder: &[u8], path: &[u8]) -> Said {
    match Contained::new(Root::new(b"/workspace").unwrap(), folder, path) {
        Ok(contained) if contained.is_root() => Said::words("inside: the root"),
        Ok(contained) => {
            let mut buffer = vec![0; folder.len() + path.len() + 1];
            Said { words: "inside:".to_owned(), texts: vec![contained.write(&mut buffer).unwrap().to_vec()] }
        }
        Err(error) => refused(&error),
    }
}

fn refused(error: &PathError) -> Said {
    Said::words(match error {
        PathError::Empty => "refused: Empty",
        PathError::TooLong { .. } => "refused: TooLong",
        PathError::Nul { .. } => "refused: Nul",
        PathError::Parent { .. } => "refused: Parent",
        PathError::Outside => "refused: Outside",
    })
}

fn refused_url(error: &UrlError) -> Said {
    Said::words(match error {
        UrlError::Byte { .. } => "refused: Byte",
        UrlError::NoScheme => "refused: NoScheme",
        UrlError::Scheme => "refused: Scheme",
        UrlError::UserInfo => "refused: UserInfo",
        UrlError::Port => "refused: Port",
        UrlError::Path => "refused: Path",
        UrlError::Host => "refused: Host",
        UrlError::Address => "refused: Address",
    })
}

/// Each way to refuse has a row.
fn assert_names(found: &BTreeSet<String>, how: &str, names: &[&str]) {
    let found: BTreeSet<&str> = found.iter().filter_map(|words| words.strip_prefix(how)).map(str::trim).collect();
    assert_eq!(found, names.iter().copied().collect());
}

fn between(dice: &mut Rng, first: IpAddr, last: IpAddr) -> IpAddr {
    match (first, last) {
        (IpAddr::V4(first), IpAddr::V4(last)) => {
            IpAddr::V4(Ipv4Addr::from_bits(dice.u32(first.to_bits()..=last.to_bits())))
        }
        (IpAddr::V6(first), IpAddr::V6(last)) => {
            IpAddr::V6(Ipv6Addr::from_bits(dice.u128(first.to_bits()..=last.to_bits())))
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => panic!("a row is of one kind"),
    }
}
