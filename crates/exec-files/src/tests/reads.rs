//! Reading: spans and limits.

use std::fs::File;
use std::time::{Duration, Instant};

use super::{TestRoot, allow};
use crate::{FileError, Span, Stop};

fn span(place: &TestRoot, offset: u64, limit: u64, bytes_max: u64) -> Result<Vec<u8>, FileError> {
    let span = Span { offset, limit, bytes_max };
    place.workspace.read(b"file", span, &mut allow, &Stop::on_request())
}

#[test]
fn ctr_0004_ctr_0005_no_limit_reads_to_the_end_and_no_offset_from_the_beginning() {
    let place = TestRoot::new();
    place.put("file", "0123456789");
    for (offset, limit, expected) in
        [(0, 0, "0123456789"), (4, 0, "456789"), (0, 3, "012"), (4, 3, "456"), (8, 5, "89"), (10, 0, ""), (99, 1, "")]
    {
        let content = span(&place, offset, limit, 100).unwrap();
        assert_eq!(content, expected.as_bytes(), "{offset} {limit}");
    }
}

#[test]
fn tool_file_read_of_more_than_it_may_is_an_error_and_not_cut() {
    let place = TestRoot::new();
    place.put("file", "0123456789");
    assert_eq!(span(&place, 0, 0, 10).unwrap().len(), 10);
    assert!(matches!(span(&place, 0, 0, 9), Err(FileError::TooLarge { bytes: 10, most: 9 })));
    assert!(matches!(span(&place, 0, 10, 9), Err(FileError::TooLarge { bytes: 10, most: 9 })));
    assert_eq!(span(&place, 1, 0, 9).unwrap().len(), 9);
    assert_eq!(span(&place, 0, 9, 9).unwrap().len(), 9);
}

#[test]
fn trust_limits_a_huge_file_is_refused_before_room_is_made_for_it() {
    let place = TestRoot::new();
    File::create(place.at("file")).unwrap().set_len(1 << 40).unwrap();
    assert!(
        matches!(span(&place, 0, 0, u64::MAX), Err(FileError::TooLarge { bytes, most }) if bytes == 1 << 40 && most == 1 << 30)
    );
    assert_eq!(span(&place, 1 << 39, 3, u64::MAX).unwrap(), [0; 3]);
}

#[test]
fn tool_file_read_of_a_large_file_is_the_file() {
    let place = TestRoot::new();
    let content: Vec<u8> = (0..3_000_001_u32).map(|number| (number % 251) as u8).collect();
    place.put("file", &content);
    let read = span(&place, 0, 0, u64::MAX).unwrap();
    assert!(read == content);
}

#[test]
fn invoke_notfound_a_missing_file_and_a_missing_folder_are_not_found() {
    let place = TestRoot::new();
    place.put("file", "x");
    assert!(matches!(place.read("missing"), Err(FileError::NotFound)));
    assert!(matches!(place.read("no/such/file"), Err(FileError::NotFound)));
    assert!(matches!(place.read("file/below"), Err(FileError::NotAFolder)));
    assert!(matches!(place.read(""), Err(FileError::NotAFile { .. })));
}

#[test]
fn a_stopped_operation_is_cancelled_and_a_late_one_has_timed_out() {
    let place = TestRoot::new();
    place.put("file", "x");
    let stop = Stop::on_request();
    stop.stop();
    let read = place.workspace.read(b"file", Span::WHOLE, &mut allow, &stop);
    assert!(matches!(read, Err(FileError::Cancelled)));
    let late = Stop::at(Instant::now().checked_sub(Duration::from_millis(1)).unwrap());
    let write = place.unchanged(|| place.workspace.write(b"file", b"y", super::REPLACE, &mut allow, &late));
    assert!(matches!(write, FileError::TimedOut));
}

#[test]
fn a_hard_link_is_read_like_any_file() {
    let place = TestRoot::new();
    place.put("one", "x");
    std::fs::hard_link(place.at("one"), place.at("other")).unwrap();
    assert_eq!(place.read("other").unwrap(), b"x");
}
