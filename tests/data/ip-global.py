#!/usr/bin/env python3
"""What Python's ipaddress says is global: the first address of every /16 of IPv4, the addresses at both ends of
every special range and those beside them, and the same ends for IPv6 with every /8 and 2001::/16 by /32.

    python3 tests/data/ip-global.py > tests/data/ip-global.txt
"""

import ipaddress
import sys

V4 = """0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.0.0/29
192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/31 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
255.255.255.255/32""".split()
V6 = """::/128 ::1/128 ::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2000::/3 2001::/23 2001::/32 2001:1::1/128
2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8""".split()


def ends(networks):
    for network in map(ipaddress.ip_network, networks):
        first, last = int(network.network_address), int(network.broadcast_address)
        kind = type(network.network_address)
        top = 2 ** network.max_prefixlen - 1
        for number in (first - 1, first, last, last + 1):
            if 0 <= number <= top:
                yield kind(number)


addresses = {ipaddress.IPv4Address(number << 16) for number in range(1 << 16)}
addresses.update(ends(V4))
addresses.update(ends(V6))
addresses.update(ipaddress.IPv6Address(number << 120) for number in range(1 << 8))
addresses.update(ipaddress.IPv6Address((0x2001 << 112) + (number << 96)) for number in range(1 << 10))
print("# Python", sys.version.split()[0], "ipaddress: runs of addresses in their order, how many, and whether they are global")
run = []


def flush():
    if run:
        print(run[0], run[-1], len(run), "global" if run[0].is_global else "not")
    run.clear()


for address in sorted(addresses, key=lambda address: (address.version, int(address))):
    if run and (run[0].version != address.version or run[0].is_global != address.is_global):
        flush()
    run.append(address)
flush()
