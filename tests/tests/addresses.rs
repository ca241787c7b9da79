//! Private addresses against a second source: what Python's `ipaddress` calls global, as data that
//! `tests/data/ip-global.py` made. (SEC-SSRF-RANGES, SEC-SSRF-PUBLIC.)

#![cfg(test)]

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use enforce_core::net::is_private_ip;

/// Where this project is stricter: the second source calls them global, or knows nothing of them.
const STRICTER: &[(&str, &str, &str)] = &[
    ("192.0.0.0", "192.0.0.255", "protocol assignments, of which two addresses are anycast services"),
    ("192.88.99.0", "192.88.99.255", "relays of 6to4, withdrawn"),
    ("224.0.0.0", "239.255.255.255", "multicast"),
    ("::2", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not handed out, or translated"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "6to4 of any address"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation"),
    ("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not handed out"),
    ("fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not handed out"),
    ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site local, withdrawn"),
    ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
];

#[test]
fn sec_ssrf_public_sec_ssrf_ranges_private_is_what_a_second_source_does_not_call_global() {
    let stricter: Vec<(IpAddr, IpAddr)> =
        STRICTER.iter().map(|(first, last, _)| (first.parse().unwrap(), last.parse().unwrap())).collect();
    let mut compared = 0;
    for line in include_str!("../data/ip-global.txt").lines().filter(|line| !line.starts_with('#')) {
        let [first, last, _, says] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        for address in sampled(first.parse().unwrap(), last.parse().unwrap()) {
            let is_stricter = stricter.iter().any(|(first, last)| (first..=last).contains(&&address));
            assert_eq!(is_private_ip(address), says == "not" || is_stricter, "{address}");
            compared += 1;
        }
    }
    assert!(compared > 65_536, "only {compared} addresses");
}

/// The ends of a run, and every /16 of IPv4 or /8 of IPv6 in between.
fn sampled(first: IpAddr, last: IpAddr) -> Vec<IpAddr> {
    let mut sampled = vec![first, last];
    match (first, last) {
        (IpAddr::V4(first), IpAddr::V4(last)) => {
            let starts = (first.to_bits() >> 16..=last.to_bits() >> 16).map(|high| Ipv4Addr::from_bits(high << 16));
            sampled.extend(starts.filter(|address| (first..=last).contains(address)).map(IpAddr::V4));
        }
        (IpAddr::V6(first), IpAddr::V6(last)) => {
            let starts = (first.to_bits() >> 120..=last.to_bits() >> 120).map(|high| Ipv6Addr::from_bits(high << 120));
            sampled.extend(starts.filter(|address| (first..=last).contains(address)).map(IpAddr::V6));
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => panic!("a run is of one kind"),
    }
    sampled
}
