//! Addresses at both ends of every range. All of them are compared with another source in `tests/`.

use std::string::ToString;

use super::*;

/// The first and the last address of a range are private, and those beside it are not, unless they are named.
#[test]
fn sec_ssrf_ranges_of_ipv4_start_and_end_where_they_should() {
    for (first, last, is_public_before, is_public_after) in [
        ("0.0.0.0", "0.255.255.255", false, true),
        ("10.0.0.0", "10.255.255.255", true, true),
        ("100.64.0.0", "100.127.255.255", true, true),
        ("127.0.0.0", "127.255.255.255", true, true),
        ("169.254.0.0", "169.254.255.255", true, true),
        ("172.16.0.0", "172.31.255.255", true, true),
        ("192.0.0.0", "192.0.0.255", true, true),
        ("192.0.2.0", "192.0.2.255", true, true),
        ("192.88.99.0", "192.88.99.255", true, true),
        ("192.168.0.0", "192.168.255.255", true, true),
        ("198.18.0.0", "198.19.255.255", true, true),
        ("198.51.100.0", "198.51.100.255", true, true),
        ("203.0.113.0", "203.0.113.255", true, true),
        ("224.0.0.0", "255.255.255.255", true, false),
    ] {
        let (first, last): (Ipv4Addr, Ipv4Addr) = (first.parse().unwrap(), last.parse().unwrap());
        assert!(is_private_ip(first.into()) && is_private_ip(last.into()), "{first} {last}");
        let before = Ipv4Addr::from_bits(first.to_bits().wrapping_sub(1));
        let after = Ipv4Addr::from_bits(last.to_bits().wrapping_add(1));
        assert_eq!(!is_private_ip(before.into()), is_public_before, "{before}");
        assert_eq!(!is_private_ip(after.into()), is_public_after, "{after}");
    }
}

#[test]
fn sec_ssrf_ranges_an_ipv6_address_that_stands_for_an_ipv4_address_is_what_that_is() {
    for inner in ["8.8.8.8", "127.0.0.1", "169.254.169.254", "10.1.2.3", "1.1.1.1", "0.0.0.0"] {
        let inner: Ipv4Addr = inner.parse().unwrap();
        let is_private = is_private_ip(inner.into());
        for prefix in ["::ffff:", "64:ff9b::"] {
            let outer: Ipv6Addr = [prefix, &inner.to_string()].concat().parse().unwrap();
            assert_eq!(is_private_ip(outer.into()), is_private, "{outer}");
        }
    }
}

#[test]
fn sec_ssrf_ranges_only_what_is_handed_out_of_ipv6_is_public() {
    for (address, is_public) in [
        ("::", false),
        ("::1", false),
        ("::7f00:1", false),
        ("::808:808", false),
        ("::ffff:0:808:808", false),
        ("64:ff9b:1::1", false),
        ("100::1", false),
        ("1fff:ffff::", false),
        ("2000::", true),
        ("2001::1", false),
        ("2001:1ff:ffff::", false),
        ("2001:200::", true),
        ("2001:db7:ffff::", true),
        ("2001:db8::1", false),
        ("2001:db9::", true),
        ("2002:808:808::", false),
        ("2003::", true),
        ("2606:4700:4700::1111", true),
        ("3ffe::1", true),
        ("3fff::1", false),
        ("3fff:fff::", false),
        ("3fff:1000::", true),
        ("4000::", false),
        ("5f00::1", false),
        ("fc00::1", false),
        ("fd00:ec2::254", false),
        ("fe80::1", false),
        ("fec0::1", false),
        ("ff02::1", false),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false),
    ] {
        let parsed: Ipv6Addr = address.parse().unwrap();
        assert_eq!(!is_private_ip(parsed.into()), is_public, "{address}");
    }
}
