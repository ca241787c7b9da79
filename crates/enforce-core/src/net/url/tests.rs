//! What URLs say, and why others are refused.

use std::vec::Vec;

use super::*;

#[test]
fn urls_are_taken_apart() {
    for (text, (scheme, host, port, path)) in [
        ("https://docs.rs", ("https", "docs.rs", Some(443), "/")),
        ("http://docs.rs/", ("http", "docs.rs", Some(80), "/")),
        ("HTTPS://Docs.RS:8443/a/b?c=/../d@e:f", ("HTTPS", "Docs.RS", Some(8443), "/a/b")),
        ("HtTpS://a", ("HtTpS", "a", Some(443), "/")),
        ("https://docs.rs?q", ("https", "docs.rs", Some(443), "/")),
        ("https://10.0.0.1/x", ("https", "10.0.0.1", Some(443), "/x")),
        ("ftp://a/b//c", ("ftp", "a", Some(21), "/b//c")),
        ("WS://a", ("WS", "a", Some(80), "/")),
        ("wss://a", ("wss", "a", Some(443), "/")),
        ("other://a/b", ("other", "a", None, "/b")),
        ("files://a/[b]?\"<>^`{|}", ("files", "a", None, "/[b]")),
        ("https://a_b.xn--bcher-kva.example/%2F?%zz", ("https", "a_b.xn--bcher-kva.example", Some(443), "/%2F")),
        ("https://1.example.com/...", ("https", "1.example.com", Some(443), "/...")),
        ("https://a/%c3%a9/.a/a.", ("https", "a", Some(443), "/%c3%a9/.a/a.")),
    ] {
        let url = Url::new(text.as_bytes()).unwrap();
        let said = (url.scheme, url.host.text(), url.port, url.path);
        assert_eq!(said, (scheme.as_bytes(), host.as_bytes(), port, path.as_bytes()), "{text}");
    }
}

#[test]
fn urls_with_two_readings_are_refused_by_name() {
    for (text, expected) in [
        ("https://docs.rs/a b", UrlError::Byte { byte: 0x20, at: 17 }),
        ("https://docs.rs\\@evil.example/", UrlError::Byte { byte: 0x5c, at: 15 }),
        ("https://docs.rs/\n", UrlError::Byte { byte: 0x0a, at: 16 }),
        ("https://docs.rs/\u{7f}", UrlError::Byte { byte: 0x7f, at: 16 }),
        ("https://bücher.example/", UrlError::Byte { byte: 0xc3, at: 9 }),
        ("https://docs.rs/#x", UrlError::Byte { byte: 0x23, at: 16 }),
        ("docs.rs/std", UrlError::NoScheme),
        ("https:/docs.rs", UrlError::NoScheme),
        ("//docs.rs", UrlError::NoScheme),
        ("://docs.rs", UrlError::Scheme),
        ("1a://docs.rs", UrlError::Scheme),
        ("a_b://docs.rs", UrlError::Scheme),
        ("file://localhost/etc/passwd", UrlError::Scheme),
        ("File://docs.rs/", UrlError::Scheme),
        ("https://user@docs.rs/", UrlError::UserInfo),
        ("https://user:pw@docs.rs", UrlError::UserInfo),
        ("https://@docs.rs", UrlError::UserInfo),
        ("https://", UrlError::Host),
        ("https:///x", UrlError::Host),
        ("https://docs%2ers/", UrlError::Host),
        ("https://docs..rs/", UrlError::Host),
        ("https://docs.rs./", UrlError::Host),
        ("https://.docs.rs/", UrlError::Host),
        ("https://-docs.rs/", UrlError::Host),
        ("https://docs-.rs/", UrlError::Host),
        ("https://[::1]/", UrlError::Port),
        ("https://do*cs.rs/", UrlError::Host),
        ("https://127.1/", UrlError::Address),
        ("https://2130706433/", UrlError::Address),
        ("https://0x7f.1/", UrlError::Address),
        ("https://127.0.0.0x1/", UrlError::Address),
        ("https://127.0.0.01/", UrlError::Address),
        ("https://0X7F000001/", UrlError::Address),
        ("https://a.1/", UrlError::Address),
        ("https://1.2.3.4.5/", UrlError::Address),
        ("https://256.0.0.1/", UrlError::Address),
        ("https://docs.rs:/", UrlError::Port),
        ("https://docs.rs:0/", UrlError::Port),
        ("https://docs.rs:0443/", UrlError::Port),
        ("https://docs.rs:65536/", UrlError::Port),
        ("https://docs.rs:+443/", UrlError::Port),
        ("https://docs.rs:443:443/", UrlError::Port),
        ("https://docs.rs/../x", UrlError::Path),
        ("https://docs.rs/a/./x", UrlError::Path),
        ("https://docs.rs/a/%2E%2e/x", UrlError::Path),
        ("https://docs.rs/a/.%2e", UrlError::Path),
        ("https://docs.rs/%", UrlError::Path),
        ("https://docs.rs/%4", UrlError::Path),
        ("https://docs.rs/%zz", UrlError::Path),
        ("https://docs.rs/%2e", UrlError::Path),
        ("https://docs.rs/%2E./x", UrlError::Path),
    ] {
        assert_eq!(Url::new(text.as_bytes()), Err(expected), "{text:?}");
    }
    for byte in b"\"<>^`{|}" {
        assert_eq!(Url::new(&[b"https://docs.rs/a", &[*byte][..]].concat()), Err(UrlError::Path), "{byte:#x}");
    }
    let scheme: Vec<u8> = [&[b'a'; SCHEME_BYTES_MAX][..], b"://a"].concat();
    assert!(Url::new(&scheme).is_ok());
    assert_eq!(Url::new(&[b"a", &scheme[..]].concat()), Err(UrlError::Scheme));
}

#[test]
fn hosts_have_labels_of_bounded_length() {
    let label = "a".repeat(LABEL_BYTES_MAX);
    assert!(Host::new(label.as_bytes()).is_ok());
    assert_eq!(Host::new(&[label.as_bytes(), b"a"].concat()), Err(UrlError::Host));
    let longest = [label.as_str(); 4].join(".");
    assert!(Host::new(&longest.as_bytes()[..HOST_BYTES_MAX]).is_ok());
    assert_eq!(Host::new(&longest.as_bytes()[..=HOST_BYTES_MAX]), Err(UrlError::Host));
}

#[test]
fn an_address_is_one_in_its_plain_form() {
    assert_eq!(Host::new(b"127.0.0.1").unwrap().address(), Some(Ipv4Addr::LOCALHOST));
    assert_eq!(Host::new(b"a.example").unwrap().address(), None);
}

#[test]
fn folding_needs_room_for_the_whole_text() {
    let mut buffer = [0; 4];
    assert_eq!(fold(b"AbC1", &mut buffer), Some(&b"abc1"[..]));
    assert_eq!(fold(b"AbC12", &mut buffer), None);
}
