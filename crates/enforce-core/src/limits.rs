//! What a request may at most be (TRUST-LIMITS). A KB, MB or GB is binary.

/// Characters of an identifier.
pub const MAX_ID_LEN: usize = 256;
/// Characters of a path.
pub const MAX_PATH_LEN: usize = 4_096;
/// Bytes to read of a file: 1 GB.
pub const MAX_READ_LIMIT: u64 = 1_073_741_824;
/// Bytes to write to a file: 100 MB.
pub const MAX_WRITE_SIZE: usize = 104_857_600;
/// Bytes of either side of an edit, of a diff, and of what is sent with an HTTP request: 10 MB.
pub const MAX_EDIT_SIZE: usize = 10_485_760;
/// Bytes of a command line, of a script, and of JSON text: 1 MB.
pub const MAX_COMMAND_LEN: usize = 1_048_576;
/// Milliseconds of a timeout: an hour.
pub const MAX_TIMEOUT_MS: u64 = 3_600_000;
/// Bytes of one argument: 32 KB.
pub const MAX_ARG_LEN: usize = 32_768;
/// Tokens of an inference.
pub const MAX_TOKENS: u64 = 1_000_000;
/// Bytes of a BLAKE3 hash.
pub const HASH_SIZE: usize = 32;
/// Entries of a list.
pub const MAX_REPEATED_ITEMS: usize = 1_000;

/// Permission bits that a file may be given: none that change who runs it.
pub const MAX_FILE_MODE: u64 = 0o777;
/// Bytes of a request. The largest that is valid writes [`MAX_WRITE_SIZE`] bytes, and has room for the rest.
pub const MAX_REQUEST_SIZE: usize = 134_217_728;
/// Entries of a list that are read at all, so that a list which is too long is said to be, and one that is
/// endless is not followed.
pub const MAX_READ_ITEMS: u64 = 16_384;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_limits_are_those_of_the_protocol() {
        assert_eq!([MAX_ID_LEN, MAX_PATH_LEN, HASH_SIZE, MAX_REPEATED_ITEMS], [256, 4_096, 32, 1_000]);
        assert_eq!((MAX_READ_LIMIT, MAX_WRITE_SIZE, MAX_EDIT_SIZE), (1 << 30, 100 << 20, 10 << 20));
        assert_eq!((MAX_COMMAND_LEN, MAX_ARG_LEN), (1 << 20, 32 << 10));
        assert_eq!((MAX_TIMEOUT_MS, MAX_TOKENS), (3_600_000, 1_000_000));
    }
}
