//! Which addresses are not of the public network.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is anything but a public one: of a private network, of this machine, of a link, of
/// everybody on it, or of nobody (SEC-SSRF-RANGES, SEC-SSRF-PUBLIC).
///
/// What IANA's registries do not call globally reachable is private here, and so is what is for many receivers or
/// for none. An IPv6 address that stands for an IPv4 address is what that address is.
#[must_use]
pub fn is_private_ip(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => match inner(address) {
            Some(inner) => is_private_v4(inner),
            None => is_private_v6(address),
        },
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    PRIVATE_V4.iter().any(|(network, bits)| {
        let shift = u32::BITS.saturating_sub(*bits);
        address.to_bits().checked_shr(shift) == network.to_bits().checked_shr(shift)
    })
}

/// Only 2000::/3 is handed out, and not all of that.
fn is_private_v6(address: Ipv6Addr) -> bool {
    let is_in = |(network, bits): &(Ipv6Addr, u32)| {
        let shift = u128::BITS.saturating_sub(*bits);
        address.to_bits().checked_shr(shift) == network.to_bits().checked_shr(shift)
    };
    !is_in(&GLOBAL_UNICAST) || PRIVATE_V6.iter().any(is_in)
}

/// The IPv4 address that connections to an IPv6 address end up at.
fn inner(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.octets() {
        // Mapped: ::ffff:0:0/96.
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d]
        // NAT64: 64:ff9b::/96.
        | [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] => Some(Ipv4Addr::new(a, b, c, d)),
        _ => None,
    }
}

const GLOBAL_UNICAST: (Ipv6Addr, u32) = (v6([0x2000, 0, 0, 0]), 3);

/// Each with the length of its prefix.
const PRIVATE_V4: &[(Ipv4Addr, u32)] = &[
    // This network, and the unspecified address.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // RFC 1918.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Behind the address translation of carriers.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // RFC 3927: link local, and where clouds keep their metadata.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Protocol assignments.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Relays of 6to4, which nobody runs any more.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Benchmarking.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Within 2000::/3, each with the length of its prefix.
const PRIVATE_V6: &[(Ipv6Addr, u32)] = &[
    // Protocol assignments, Teredo and ORCHID among them.
    (v6([0x2001, 0, 0, 0]), 23),
    // Documentation.
    (v6([0x2001, 0xdb8, 0, 0]), 32),
    (v6([0x3fff, 0, 0, 0]), 20),
    // 6to4, which leads to any IPv4 address.
    (v6([0x2002, 0, 0, 0]), 16),
];

const fn v6([a, b, c, d]: [u16; 4]) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)
}

#[cfg(test)]
mod tests;
