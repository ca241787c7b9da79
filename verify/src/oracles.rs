//! Second opinions from outside the core: what it reads, somebody else reads alike. They need a heap, so each is behind
//! a feature. Like the properties, they are functions that panic when they do not hold.

#[cfg(feature = "messages")]
pub mod messages;
#[cfg(all(feature = "shells", unix))]
pub mod shells;
#[cfg(feature = "urls")]
pub mod urls;

/// What is known of a second opinion without asking for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opinion {
    /// The file it stands in.
    pub module: &'static str,
    /// The function.
    pub name: &'static str,
    /// What it says, in a sentence.
    pub meaning: &'static str,
    /// Who asks, and about what.
    pub asked: &'static [Asked],
}

/// Who asks for a second opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The file that does.
    pub by: &'static str,
    /// What it is asked about.
    pub about: &'static str,
    /// How many cases; nothing where it goes on as long as somebody wants.
    pub cases: Option<usize>,
}

/// Envelopes of up to five bytes that are counted.
pub const ENVELOPES: usize = 8_002_876;
/// Messages of up to five bytes that are counted.
pub const BODIES: usize = 12_004_314;
/// Requests with texts of up to two bytes that are counted.
pub const REQUESTS: usize = 221_880;
/// Messages that prost encodes.
pub const MESSAGES: usize = 300_000;
/// Mutations of encoded messages.
pub const MUTATIONS: usize = 3_000_000;
/// Bytes that nobody encoded.
pub const NOISE: usize = 500_000;
/// Lines that are understood, each of which every shell is given.
pub const LINES: usize = 3_000;
/// URLs put together of pieces.
pub const URLS: usize = 500_000;

/// The file that counts through cases with a second opinion of each.
pub const COUNTED: &str = "verify/tests/exhaustive.rs";

/// Every second opinion.
pub const OPINIONS: &[Opinion] = &[
    Opinion {
        module: "messages",
        name: "what_is_read_prost_reads_alike",
        meaning: "whatever bytes the core reads as a request, prost reads with equal fields",
        asked: &[
            Asked {
                by: COUNTED,
                about: "`Envelope<0, 5, 4>`; with `--full` `Envelope<0, 6, 4>`",
                cases: Some(ENVELOPES),
            },
            Asked { by: COUNTED, about: "`Inside<0, 5, 6>`; with `--full` `Inside<0, 6, 6>`", cases: Some(BODIES) },
            Asked {
                by: COUNTED,
                about: "`Sent<0, 2, 256, 6>`; with `--full` `Sent<0, 3, 256, 6>`",
                cases: Some(REQUESTS),
            },
            Asked { by: "tests/tests/wire.rs", about: "messages with up to four mutations", cases: Some(MUTATIONS) },
            Asked { by: "tests/tests/wire.rs", about: "up to 39 bytes that nobody encoded", cases: Some(NOISE) },
            Asked { by: "fuzz/src/properties/wire.rs", about: "the bytes of a fuzzer", cases: None },
        ],
    },
    Opinion {
        module: "messages",
        name: "what_prost_encodes_is_read_alike",
        meaning: "whatever request prost encodes, the core reads with equal fields",
        asked: &[Asked {
            by: "tests/tests/wire.rs",
            about: "messages of every tool, with values at the limits",
            cases: Some(MESSAGES),
        }],
    },
    Opinion {
        module: "shells",
        name: "words_are_run_as_they_were_read",
        meaning: "whatever command line is understood, dash and bash run exactly the words that were read",
        asked: &[
            Asked { by: "tests/tests/shells.rs", about: "lines of our own commands, by both", cases: Some(LINES) },
            Asked { by: "fuzz/src/properties/shell.rs", about: "the bytes of a fuzzer, by dash", cases: None },
        ],
    },
    Opinion {
        module: "urls",
        name: "compare",
        meaning: "whatever URL is accepted, the crate `url` accepts too, and reads the same scheme, host, address, port and path; or it refuses an international name, for which the core has no tables",
        asked: &[
            Asked { by: "tests/tests/urls.rs", about: "pieces of URLs that readers disagree about", cases: Some(URLS) },
            Asked { by: "fuzz/src/properties/url.rs", about: "the bytes of a fuzzer", cases: None },
        ],
    },
];
