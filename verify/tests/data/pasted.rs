    #[test]
    fn every_byte_of_a_path_is_like_one_of_the_alphabet_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{InPath, Swapped, every_byte_of_a_path_is_like_one_of_the_alphabet};

        let case: InPath<12> = InPath(Swapped { text: Bytes::of(b".aa\xc9T//\xff\xff.\x1f"), place: 9, byte: 223 });
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_byte_of_a_path_is_like_one_of_the_alphabet(&case);
    }

    #[test]
    fn every_byte_of_a_line_is_like_one_of_the_alphabet_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{InLine, Swapped, every_byte_of_a_line_is_like_one_of_the_alphabet};

        let case: InLine<12> = InLine(Swapped { text: Bytes::of(b"[a(\xc9T!?1=$\x1f"), place: 9, byte: 223 });
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_byte_of_a_line_is_like_one_of_the_alphabet(&case);
    }

    #[test]
    fn every_byte_of_a_url_is_like_one_of_the_alphabet_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{InUrl, Swapped, every_byte_of_a_url_is_like_one_of_the_alphabet};

        let case: InUrl<12> = InUrl(Swapped { text: Bytes::of(b":a?\xc9T-gx@@\x1f"), place: 9, byte: 223 });
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_byte_of_a_url_is_like_one_of_the_alphabet(&case);
    }

    #[test]
    fn every_byte_of_a_text_is_like_one_of_the_alphabet_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{InText, Swapped, every_byte_of_a_text_is_like_one_of_the_alphabet};

        let case: InText<0, 12, 9> = InText { field: 0, swapped: Swapped { text: Bytes::of(b"a/\xc9Taa\xa9\xa9"), place: 1, byte: 31 } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_byte_of_a_text_is_like_one_of_the_alphabet(&case);
    }

    #[test]
    fn every_character_of_a_path_is_checked_like_one_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{InCheckedPath, Swapped, every_character_of_a_path_is_checked_like_one};

        let case: InCheckedPath<0, 12, 5> = InCheckedPath { field: 1, swapped: Swapped { text: Bytes::of(b""), place: 0, byte: 233 }, is_long: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_character_of_a_path_is_checked_like_one(&case);
    }

    #[test]
    fn every_character_of_an_entry_is_checked_like_one_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{InEntry, Swapped, every_character_of_an_entry_is_checked_like_one};

        let case: InEntry<0, 12, 3> = InEntry { field: 2, swapped: Swapped { text: Bytes::of(b""), place: 0, byte: 233 }, is_long: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_character_of_an_entry_is_checked_like_one(&case);
    }

    #[test]
    fn every_byte_of_a_string_is_decided_like_one_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{Anyone, Asks, First, InString, IsBa, Limited, NotBehindA, Rule, Rules, Swapped, every_byte_of_a_string_is_decided_like_one};

        let case: InString<Rules<3, 13, 1>, 12> = InString { world: Rules::of(&[Rule { does: Asks, who: First, asked: NotBehindA, bound: Limited }, Rule { does: Asks, who: Anyone, asked: IsBa, bound: Limited }]), swapped: Swapped { text: Bytes::of(b"\x01\x1f\xed\x02\xbe\xd48\xe4\xc3\x02"), place: 10, byte: 237 } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_byte_of_a_string_is_decided_like_one(&case);
    }

    #[test]
    fn every_character_of_a_path_is_judged_like_one_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::alphabet::{Called, InJudged, Swapped, every_character_of_a_path_is_judged_like_one};

        let case: InJudged<0, 12, 0> = InJudged { called: Called::FileRead, swapped: Swapped { text: Bytes::of(b"ba/\xc9Taa$$b\x1f"), place: 9, byte: 190 }, is_long: true, policies: 3, role: 2 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = every_character_of_a_path_is_judged_like_one(&case);
    }

    #[test]
    fn contained_paths_are_names_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Inside, contained_paths_are_names};

        let case: Inside<48, 12, 64> = Inside { root: "/a", working_directory: "", path: Bytes::of(b"\xfc\xffq.\xb3.a\xb5c\xc2Ya\xb3/H\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = contained_paths_are_names(&case);
    }

    #[test]
    fn containment_is_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Inside, containment_is_as_specified};

        let case: Inside<48, 12, 64> = Inside { root: "/a", working_directory: "", path: Bytes::of(b"\xfc\xffq.\xb3.a\xb5c\xc2Ya\xb3/H\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = containment_is_as_specified(&case);
    }

    #[test]
    fn a_contained_path_is_written_as_its_components_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Inside, a_contained_path_is_written_as_its_components};

        let case: Inside<48, 12, 64> = Inside { root: "/a", working_directory: "", path: Bytes::of(b"\xfc\xffq.\xb3.a\xb5c\xc2Ya\xb3/H\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = a_contained_path_is_written_as_its_components(&case);
    }

    #[test]
    fn containment_is_idempotent_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Inside, containment_is_idempotent};

        let case: Inside<48, 12, 64> = Inside { root: "/a", working_directory: "", path: Bytes::of(b"\xfc\xffq.\xb3.a\xb5c\xc2Ya\xb3/H\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = containment_is_idempotent(&case);
    }

    #[test]
    fn the_name_is_the_last_component_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Inside, the_name_is_the_last_component};

        let case: Inside<48, 12, 64> = Inside { root: "/a", working_directory: "", path: Bytes::of(b"\xfc\xffq.\xb3.a\xb5c\xc2Ya\xb3/H\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = the_name_is_the_last_component(&case);
    }

    #[test]
    fn a_plain_path_is_its_components_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Inside, a_plain_path_is_its_components};

        let case: Inside<48, 12, 64> = Inside { root: "/a", working_directory: "", path: Bytes::of(b"\xfc\xffq.\xb3.a\xb5c\xc2Ya\xb3/H\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = a_plain_path_is_its_components(&case);
    }

    #[test]
    fn equal_components_are_equal_paths_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Two, equal_components_are_equal_paths};

        let case: Two<3> = Two { one: Bytes::of(b"\xff"), other: Bytes::of(b"\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = equal_components_are_equal_paths(&case);
    }

    #[test]
    fn equal_components_are_written_alike_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::path::{Two, equal_components_are_written_alike};

        let case: Two<3> = Two { one: Bytes::of(b"\xff"), other: Bytes::of(b"\xff") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = equal_components_are_written_alike(&case);
    }

    #[test]
    fn reading_a_line_is_total_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::shell::{Typed, reading_a_line_is_total};

        let case: Typed<48> = Typed { text: Bytes::of(b"[a(\xc9T!?1=") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = reading_a_line_is_total(&case);
    }

    #[test]
    fn commands_account_for_every_byte_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::shell::{Typed, commands_account_for_every_byte};

        let case: Typed<48> = Typed { text: Bytes::of(b":..") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = commands_account_for_every_byte(&case);
    }

    #[test]
    fn commands_are_read_again_as_they_are_written_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::shell::{Rewritten, commands_are_read_again_as_they_are_written};

        let case: Rewritten<48, 48, 194> = Rewritten { text: Bytes::of(b":..") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = commands_are_read_again_as_they_are_written(&case);
    }

    #[test]
    fn quotes_never_open_an_operator_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::shell::{Quoted, quotes_never_open_an_operator};

        let case: Quoted<0, 24, 26> = Quoted { text: Bytes::of(b"--\xb8&-Eg\xcc"), quote: "'", open: 3, len: 3 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = quotes_never_open_an_operator(&case);
    }

    #[test]
    fn ipv4_is_private_as_listed_of_what_was_found() {
        use verify::properties::net::{Four, ipv4_is_private_as_listed};

        let case: Four<65536> = Four { upper: 53090, lower: 26769 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = ipv4_is_private_as_listed(&case);
    }

    #[test]
    fn ipv6_is_private_as_listed_of_what_was_found() {
        use verify::properties::net::{Six, ipv6_is_private_as_listed};

        let case: Six<65536, 6, 7> = Six { first: 53090, second: 26769, middle: 18309282450896148740, last: 4294967295 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = ipv6_is_private_as_listed(&case);
    }

    #[test]
    fn a_url_is_what_was_read_of_it_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::net::{Link, a_url_is_what_was_read_of_it};

        let case: Link<40, 7, 54> = Link { start: "http://a/", rest: Bytes::of(b"/g") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = a_url_is_what_was_read_of_it(&case);
    }

    #[test]
    fn escapes_stand_for_what_needs_them_of_what_was_found() {
        use verify::properties::net::{Escape, escapes_stand_for_what_needs_them};

        let case: Escape = Escape { high: 98, low: 145 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = escapes_stand_for_what_needs_them(&case);
    }

    #[test]
    fn a_host_of_numbers_is_a_plain_address_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::net::{Named, a_host_of_numbers_is_a_plain_address};

        let case: Named<16, 5, 32> = Named { start: "1.1.1.", rest: Bytes::of(b"0") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = a_host_of_numbers_is_a_plain_address(&case);
    }

    #[test]
    fn reading_an_envelope_is_total_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Envelope, reading_an_envelope_is_total};

        let case: Envelope<0, 24, 4> = Envelope { start: "\n\u{1}r", bytes: Bytes::of(b"az\xc9T\r\x00\xff\xff\x01\x1f\xed\n\xbe\xd48\xe4\xc3\x80]\xedR\x18\x82n") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = reading_an_envelope_is_total(&case);
    }

    #[test]
    fn reading_a_message_is_total_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Inside, reading_a_message_is_total};

        let case: Inside<0, 24, 6> = Inside { message: (10, None), bytes: Bytes::of(b"az\xc9T\r\x00\xff\xff\x01\x1f\xed\n\xbe\xd48\xe4\xc3\x80]\xedR\x18\x82n") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = reading_a_message_is_total(&case);
    }

    #[test]
    fn what_is_written_is_read_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Sent, SentTool, what_is_written_is_read};

        let case: Sent<0, 12, 256, 6> = Sent { tool: SentTool::Nothing, one: Bytes::of(b"\x00\xb6a\x83a*\xa9"), other: Bytes::of(b"\x00\x00"), number: 128, flag: false };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_is_written_is_read(&case);
    }

    #[test]
    fn what_is_cut_off_is_refused_or_ends_at_a_field_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Cut, Sent, SentTool, what_is_cut_off_is_refused_or_ends_at_a_field};

        let case: Cut<0, 12, 256, 6> = Cut { sent: Sent { tool: SentTool::Nothing, one: Bytes::of(b"\x00\xb6a\x83a*\xa9"), other: Bytes::of(b"\x00\x00"), number: 128, flag: false }, kept: 5 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_is_cut_off_is_refused_or_ends_at_a_field(&case);
    }

    #[test]
    fn tags_out_of_place_are_refused_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Tagged, tags_out_of_place_are_refused};

        let case: Tagged<6, 600, 9> = Tagged { number: 66, wire_type: 1, after: Bytes::of(b"az\xc9T\r\x00") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = tags_out_of_place_are_refused(&case);
    }

    #[test]
    fn what_comes_again_is_refused_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Again, what_comes_again_is_refused};

        let case: Again<16, 12> = Again { text: Bytes::of(b"/a^\x12rra\x0ba /\n/\ns\x00"), number: 1 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_comes_again_is_refused(&case);
    }

    #[test]
    fn numbers_have_one_form_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::wire::{Spelled, numbers_have_one_form};

        let case: Spelled<0, 12, 3> = Spelled { before: Bytes::of(b"\xffa\x81\xc9T\x80\x80\x81\x81\xff\x1f"), last: 237 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = numbers_have_one_form(&case);
    }

    #[test]
    fn names_break_rules_as_specified_of_what_was_found() {
        use verify::properties::validate::{Names, Run, names_break_rules_as_specified};

        let case: Names<1> = Names { request_id: Run { character: 'a', count: 228 }, session_token: Run { character: 'a', count: 19 }, dedupe_key: Run { character: 'a', count: 153 }, has_tool: false };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = names_break_rules_as_specified(&case);
    }

    #[test]
    fn file_read_breaks_rules_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::validate::{Path, Reads, Run, file_read_breaks_rules_as_specified};

        let case: Reads<12, 16400> = Reads { name: Run { character: 'a', count: 0 }, path: Path { start: Bytes::of(b""), rest: Run { character: '🦀', count: 4096 } }, offset: 18446744073709551615, limit: 1073741825 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = file_read_breaks_rules_as_specified(&case);
    }

    #[test]
    fn file_write_breaks_rules_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::validate::{Path, Run, Writes, file_write_breaks_rules_as_specified};

        let case: Writes<12, 16400> = Writes { name: Run { character: '🦀', count: 257 }, path: Path { start: Bytes::of(b""), rest: Run { character: '🦀', count: 4097 } }, content: 104857601, create_only: true, append: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = file_write_breaks_rules_as_specified(&case);
    }

    #[test]
    fn file_edit_breaks_rules_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::validate::{Edits, Path, Run, file_edit_breaks_rules_as_specified};

        let case: Edits<12, 16400> = Edits { name: Run { character: '🦀', count: 257 }, path: Path { start: Bytes::of(b""), rest: Run { character: '🦀', count: 4097 } }, old_content: Run { character: '🦀', count: 2621440 }, new_content: Run { character: '🦀', count: 2621441 } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = file_edit_breaks_rules_as_specified(&case);
    }

    #[test]
    fn shell_exec_breaks_rules_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::validate::{Entry, List, Path, Run, Runs, shell_exec_breaks_rules_as_specified};

        let case: Runs<6, 16400, 6, 3, 1001> = Runs { name: Run { character: 'a', count: 0 }, command: Run { character: 'a', count: 1048577 }, cwd: Path { start: Bytes::of(b"/a"), rest: Run { character: '🦀', count: 4094 } }, timeout_ms: 18446744073709551614, env: List { entries: [Entry { short: Bytes::of(b""), long: 0 }, Entry { short: Bytes::of(b""), long: 0 }, Entry { short: Bytes::of(b""), long: 0 }], count: 0, total: 0 } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = shell_exec_breaks_rules_as_specified(&case);
    }

    #[test]
    fn git_operation_breaks_rules_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::validate::{Entry, List, Path, Run, Versions, git_operation_breaks_rules_as_specified};

        let case: Versions<6, 16400, 3, 1001> = Versions { name: Run { character: 'a', count: 1 }, operation: Bytes::of(b""), known: 14, args: List { entries: [Entry { short: Bytes::of(b""), long: 0 }, Entry { short: Bytes::of(b""), long: 0 }, Entry { short: Bytes::of(b""), long: 0 }], count: 0, total: 0 }, cwd: Path { start: Bytes::of(b""), rest: Run { character: '🦀', count: 4097 } } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = git_operation_breaks_rules_as_specified(&case);
    }

    #[test]
    fn inference_breaks_rules_as_specified_of_what_was_found() {
        use verify::properties::validate::{Calls, Run, inference_breaks_rules_as_specified};

        let case: Calls<true> = Calls { name: Run { character: 'a', count: 1 }, provider: Run { character: 'a', count: 257 }, model: Run { character: '🦀', count: 257 }, prompt_hash: 32, max_tokens: 1000001, system_prompt_hash: 31 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = inference_breaks_rules_as_specified(&case);
    }

    #[test]
    fn artifact_publish_breaks_rules_as_specified_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::validate::{Entry, List, Publishes, Run, artifact_publish_breaks_rules_as_specified};

        let case: Publishes<6, 3, 1001> = Publishes { name: Run { character: 'a', count: 1 }, artifact_id: Run { character: 'a', count: 257 }, content_hash: 31, category: Run { character: '🦀', count: 256 }, metadata: List { entries: [Entry { short: Bytes::of(b""), long: 0 }, Entry { short: Bytes::of(b""), long: 0 }, Entry { short: Bytes::of(b""), long: 0 }], count: 1, total: 1000 } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = artifact_publish_breaks_rules_as_specified(&case);
    }

    #[test]
    fn nothing_invalid_is_permitted_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::judge::{Called, Judges, nothing_invalid_is_permitted};

        let case: Judges<4, 0> = Judges { called: Called::FsList, one: Bytes::of(b"/\xc9"), other: Bytes::of(b""), number: 7, is_named: true, is_longer: false, is_known: false, lease: 3, policies: 9, role: 1, is_approved: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = nothing_invalid_is_permitted(&case);
    }

    #[test]
    fn what_is_permitted_was_allowed_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::judge::{Called, Judges, what_is_permitted_was_allowed};

        let case: Judges<4, 0> = Judges { called: Called::ToolCall, one: Bytes::of(b""), other: Bytes::of(b""), number: 5, is_named: true, is_longer: false, is_known: true, lease: 1, policies: 3, role: 2, is_approved: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_is_permitted_was_allowed(&case);
    }

    #[test]
    fn refusals_name_a_rule_or_the_default_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::judge::{Called, Judges, refusals_name_a_rule_or_the_default};

        let case: Judges<4, 0> = Judges { called: Called::FileRead, one: Bytes::of(b".$"), other: Bytes::of(b""), number: 3600000, is_named: true, is_longer: false, is_known: true, lease: 2, policies: 3, role: 1, is_approved: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = refusals_name_a_rule_or_the_default(&case);
    }

    #[test]
    fn what_a_policy_does_not_know_is_refused_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::judge::{Called, Judges, what_a_policy_does_not_know_is_refused};

        let case: Judges<4, 0> = Judges { called: Called::FsList, one: Bytes::of(b"/\xc9"), other: Bytes::of(b""), number: 7, is_named: true, is_longer: false, is_known: false, lease: 3, policies: 9, role: 1, is_approved: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_a_policy_does_not_know_is_refused(&case);
    }

    #[test]
    fn judging_again_is_judging_alike_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::judge::{Called, Judges, judging_again_is_judging_alike};

        let case: Judges<4, 0> = Judges { called: Called::ToolCall, one: Bytes::of(b""), other: Bytes::of(b""), number: 5, is_named: true, is_longer: false, is_known: true, lease: 1, policies: 3, role: 2, is_approved: true };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = judging_again_is_judging_alike(&case);
    }

    #[test]
    fn any_file_is_a_table_or_an_error_of_what_was_found() {
        use verify::properties::table::{File, Filed, any_file_is_a_table_or_an_error};

        let case: File<5, 15, 0, 0, 6> = File { bytes: Filed::of(b"INTRDCT\x00\x01\x00\x00\x00\x01\x00\x00\x00\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x00\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x06\x00\x00\x005\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\xc0\x01\x00\x00\x80\x00\x00\x00\x80\x00\x00\x00\xc0\x01\x00\x00\x00\x01\x00\x00\xc0\x01\x00\x00\x00\x00\x00\x00@\x03\x00\x00\x80\x00\x00\x00\xc0\x04\x10\x00\x00\x02\x00\x00\xc0\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x08\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x01\x00\x01\x00\x01\x01\x02\x00\x04\x00\x03\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x01\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x02\x00\x00\x00\x17\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x01\x00\x00\x04\x00\x00\x00\x18\x00\x00\x00\x01\x01\x00\x00\x1c\x00\x00\x00\xff\x00\x00\x00\x1f\x00\x00\x00\xff\x00\x00\x00\"\x00\x00\x00\xff\x00\x00\x00%\x00\x00\xed\x00/\x00\x00\x01\x00\x00\x80\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x02\xff\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00(\x00\x00\x00\xff\xff\xff\xff\x04\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00\x00+\x00\x00\x00\x01\x00\x00\xb0\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00/\x00\x00\x00\xff\xff\xff\xff\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x001\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00\x00a\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x00\x00\x03\x00\x00\x00\x00\x00\x01\x00\x00\x00\xff\x00\x00\x00\x1f\x00\x00\x00\x02\x00\x00\x00\xff\x00\x00\x00\"\x00\x00\x00\x03\x00\x00\x00\xff\x00\x00\x00%\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x1c\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x02\x00\x00\x00\xfc\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\xb0\x01\x00\x00\xc0\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\xcb\x00\x00\x90\xff\xff\xff\xff\x00\x00\x01\x00a\x01\x00b") };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = any_file_is_a_table_or_an_error(&case);
    }

    #[test]
    fn noise_is_a_table_or_an_error_of_what_was_found() {
        use verify::properties::table::{Noise, noise_is_a_table_or_an_error};

        let case: Noise<8, 40, 0> = Noise { sections: 3938, fill: [64, 97, 192, 201, 84, 1, 32, 3, 192, 16, 31, 237, 16, 190, 212, 56, 228, 195, 32, 93, 237, 4, 3, 32, 110, 128, 16, 26, 69, 97, 0, 240, 64, 4, 8, 209, 191, 16, 64, 32] };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = noise_is_a_table_or_an_error(&case);
    }

    #[test]
    fn what_opens_is_safe_to_ask_of_what_was_found() {
        use verify::properties::table::{File, Filed, Questioned, what_opens_is_safe_to_ask};

        let case: Questioned<File<5, 15, 144, 0, 2>, 12> = Questioned { file: File { bytes: Filed::of(b"INTRDCT\x00\x01\x00\x00\x00\x01\x00\x00\x00\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x00\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x06\x00\x00\x005\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\xc0\x01\x00\x00\x80\x00\x00\x00\x80\x00\x00\x00\xc0\x01\x00\x00\x00\x01\x00\x00\xc0\x01\x00\x00\x00\x00\x00\x00@\x03\x00\x00\x80\x00\x00\x00\xc0\x04\x00\x00\xf0\x02\x00\x00\xc0\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x08\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x01\x00\x01\x00\x01\x01\x02\x00\x04\x00\x03\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x01\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x02\x00\x00\x00\x17\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x01\x00\x00\x04\x00\x00\x00\x18\x00\x00\x00\x01\x01\x00\x00\x1c\x00\x00\x00\xff\x00\x00\x00\x1f\x00\x00\x00\xff\x00\x00\x00\"\x00\x00\x00\xff\x00\x00\x00%\x00\x00\x00\x00/\x00\x00\x01\x00\x00\x80\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x02\xff\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00(\x00\x00\x00\xff\xff\xff\xff\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00+\x00\x00\x00\x01\x00\x00\xb0\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00/\x00\x00\x00\xff\xff\xff\xff\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x001\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x00\x00\x03\x00\x00\x00\x00\x00\x01\x00\x00\x00\xff\x00\x00\x00\x1f\x00\x00\x00\x02\x00\x00\x00\xff\x00\x00\x00\"\x00\x00\x00\x03\x00\x00\x00\xff\x00\x00\x00%\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x1c\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\xb0\x01\x00\x00\xc0\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x90\xff\xff\xff\xff\x00\x00\x01\x00a\x01\x00b") }, roles: 0, string: None, number: None, flags: 0 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_opens_is_safe_to_ask(&case);
    }

    #[test]
    fn what_opens_is_safe_to_look_at_of_what_was_found() {
        use verify::properties::table::{File, Filed, Questioned, what_opens_is_safe_to_look_at};

        let case: Questioned<File<5, 15, 144, 0, 2>, 12> = Questioned { file: File { bytes: Filed::of(b"INTRDCT\x00\x01\x00\x00\x00\x01\x00\x00\x00\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x07\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x05\x00\x00\x00\x00\x01\x00\x00\x00\x05\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x06\x00\x00\x005\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\xc0\x01\x00\x00\x80\x00\x00\x00\x80\x00\x00\x00\xc0\x01\x00\x00\x00\x01\x00\x00\xc0\x01\x00\x00\x00\x00\x00\x00@\x03\x00\x00\x80\x00\x00\x00\xc0\x04\x00\x00\xf0\x02\x00\x00\xc0\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00\x08\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x01\x00\x01\x00\x01\x01\x02\x00\x04\x00\x03\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x01\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x00\x00\x00\x00\x17\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00\x00\x02\x00\x00\x00\x17\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x18\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x01\x01\x00\x00\x04\x00\x00\x00\x18\x00\x00\x00\x01\x01\x00\x00\x1c\x00\x00\x00\xff\x00\x00\x00\x1f\x00\x00\x00\xff\x00\x00\x00\"\x00\x00\x00\xff\x00\x00\x00%\x00\x00\x00\x00/\x00\x00\x01\x00\x00\x80\x00\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x01\x00\x00\x00\x02\xff\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00(\x00\x00\x00\xff\xff\xff\xff\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00+\x00\x00\x00\x01\x00\x00\xb0\x03\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00/\x00\x00\x00\xff\xff\xff\xff\x04\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x001\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\x03\x00\x00\xe0\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x00\x00\x03\x00\x00\x00\x00\x00\x01\x00\x00\x00\xff\x00\x00\x00\x1f\x00\x00\x00\x02\x00\x00\x00\xff\x00\x00\x00\"\x00\x00\x00\x03\x00\x00\x00\xff\x00\x00\x00%\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00\x00\x1c\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80\x02\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff\xff\x02\x00\x00\x00\x02\x00\x00\x00\x02\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\x05\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\xb0\x01\x00\x00\xc0\x02\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x90\xff\xff\xff\xff\x00\x00\x01\x00a\x01\x00b") }, roles: 0, string: None, number: None, flags: 0 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = what_opens_is_safe_to_look_at(&case);
    }

    #[test]
    fn tables_are_read_as_written_of_what_was_found() {
        use verify::properties::table::{Rows, tables_are_read_as_written};

        let case: Rows<14> = Rows { section: 13, values: [4, 0, 4294967294, 18446744073709551614] };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = tables_are_read_as_written(&case);
    }

    #[test]
    fn one_other_byte_is_refused_of_what_was_found() {
        use verify::properties::table::{Changed, one_other_byte_is_refused};

        let case: Changed<5, 15, 0, 0> = Changed { place: 286, by: 2 };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = one_other_byte_is_refused(&case);
    }

    #[test]
    fn a_table_opens_only_by_its_digest_of_what_was_found() {
        use verify::properties::table::{Vouched, a_table_opens_only_by_its_digest};

        let case: Vouched<32> = Vouched { hash: [98, 0, 97, 255, 201, 84, 7, 7, 255, 255, 0, 31, 237, 255, 190, 212, 56, 228, 195, 7, 93, 237, 7, 7, 0, 110, 128, 7, 26, 69, 97, 0], pin: Some([255, 0, 255, 7, 209, 191, 255, 7, 7, 0, 255, 1, 156, 7, 7, 7, 7, 0, 0, 141, 189, 11, 7, 33, 65, 1, 143, 105, 255, 255, 101, 0]) };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = a_table_opens_only_by_its_digest(&case);
    }

    #[test]
    fn decisions_are_what_the_rules_say_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::decide::{Allows, Anyone, Asks, Denies, First, IsOther, Judged, Limited, NotBehindA, Request, Rule, Rules, Small, Unbounded, decisions_are_what_the_rules_say};

        let case: Judged<Rules<3, 13, 5>, 12> = Judged { world: Rules::of(&[Rule { does: Denies, who: Anyone, asked: Small, bound: Unbounded }, Rule { does: Asks, who: Anyone, asked: NotBehindA, bound: Limited }, Rule { does: Allows, who: First, asked: IsOther, bound: Unbounded }]), request: Request { roles: 4, string: Some(Bytes::of(b"V_3\xd2\x89//\xcc5\xdc")), number: Some(3), flag: false } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = decisions_are_what_the_rules_say(&case);
    }

    #[test]
    fn limits_are_named_or_held_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::decide::{Allows, Anyone, Asks, Denies, First, IsOther, Judged, Limited, NotBehindA, Request, Rule, Rules, Small, Unbounded, limits_are_named_or_held};

        let case: Judged<Rules<3, 13, 5>, 12> = Judged { world: Rules::of(&[Rule { does: Denies, who: Anyone, asked: Small, bound: Unbounded }, Rule { does: Asks, who: Anyone, asked: NotBehindA, bound: Limited }, Rule { does: Allows, who: First, asked: IsOther, bound: Unbounded }]), request: Request { roles: 4, string: Some(Bytes::of(b"V_3\xd2\x89//\xcc5\xdc")), number: Some(3), flag: false } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = limits_are_named_or_held(&case);
    }

    #[test]
    fn codes_say_why_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::decide::{Anyone, Asks, First, IsBa, Judged, Limited, NotBehindA, Request, Rule, Rules, codes_say_why};

        let case: Judged<Rules<3, 13, 5>, 12> = Judged { world: Rules::of(&[Rule { does: Asks, who: First, asked: NotBehindA, bound: Limited }, Rule { does: Asks, who: Anyone, asked: IsBa, bound: Limited }]), request: Request { roles: 0, string: Some(Bytes::of(b"\x1f\xed\x02\xbe\xd48")), number: None, flag: true } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = codes_say_why(&case);
    }

    #[test]
    fn a_deny_that_applies_wins_of_what_was_found() {
        use verify::properties::decide::{Anyone, Denies, Judged, NoFlag, Request, Rule, Rules, Unbounded, a_deny_that_applies_wins};

        let case: Judged<Rules<3, 13, 5>, 12> = Judged { world: Rules::of(&[Rule { does: Denies, who: Anyone, asked: NoFlag, bound: Unbounded }]), request: Request { roles: 3, string: None, number: Some(0), flag: false } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = a_deny_that_applies_wins(&case);
    }

    #[test]
    fn silence_forbids_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::decide::{Anyone, Asks, First, Foreign, ForeignOperation, IsBa, Limited, NotBehindA, Request, Rule, Rules, silence_forbids};

        let case: Foreign<Rules<3, 13, 5>, 12> = Foreign { world: Rules::of(&[Rule { does: Asks, who: First, asked: NotBehindA, bound: Limited }, Rule { does: Asks, who: Anyone, asked: IsBa, bound: Limited }]), request: Request { roles: 0, string: Some(Bytes::of(b"\x1f\xed\x02\xbe\xd48")), number: None, flag: true }, of: ForeignOperation };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = silence_forbids(&case);
    }

    #[test]
    fn adding_a_deny_permits_nothing_of_what_was_found() {
        use verify::properties::decide::{Added, Always, Anyone, Asks, Denies, First, FlagAndSmall, Inserted, Limited, NotBehindA, Request, Rule, Rules, Unbounded, adding_a_deny_permits_nothing};

        let case: Added<Inserted<0, 3, 13, 5>, 12> = Added { pair: Inserted { rules: Rules::of(&[Rule { does: Asks, who: Anyone, asked: NotBehindA, bound: Limited }, Rule { does: Asks, who: First, asked: FlagAndSmall, bound: Unbounded }]), rule: Rule { does: Denies, who: First, asked: Always, bound: Unbounded }, place: 2 }, request: Request { roles: 3, string: None, number: None, flag: true } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = adding_a_deny_permits_nothing(&case);
    }

    #[test]
    fn adding_an_allow_forbids_nothing_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::decide::{Added, Allows, Anyone, Asks, Denies, First, Inserted, IsOther, Limited, NotBehindA, Request, Rule, Rules, Small, Unbounded, adding_an_allow_forbids_nothing};

        let case: Added<Inserted<2, 3, 13, 5>, 12> = Added { pair: Inserted { rules: Rules::of(&[Rule { does: Denies, who: Anyone, asked: Small, bound: Unbounded }, Rule { does: Asks, who: Anyone, asked: NotBehindA, bound: Limited }, Rule { does: Allows, who: First, asked: IsOther, bound: Unbounded }]), rule: Rule { does: Allows, who: First, asked: NotBehindA, bound: Unbounded }, place: 3 }, request: Request { roles: 1, string: Some(Bytes::of(b"\x89//\xcc5\xdc\x02<\x90/")), number: Some(2020413668090055449), flag: false } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = adding_an_allow_forbids_nothing(&case);
    }

    #[test]
    fn the_order_of_layers_means_nothing_of_what_was_found() {
        use verify::properties::decide::{Allows, Anyone, Denies, IsOther, Layers, Limited, NotBehindA, Request, Rule, Rules, Second, Small, Unbounded, the_order_of_layers_means_nothing};

        let case: Layers<Rules<1, 1, 5>, Rules<2, 13, 5>, Rules<3, 13, 5>, 12> = Layers { one: Rules::of(&[Rule { does: Denies, who: Anyone, asked: Small, bound: Unbounded }]), other: Rules::of(&[Rule { does: Denies, who: Anyone, asked: NotBehindA, bound: Limited }]), third: Rules::of(&[Rule { does: Allows, who: Second, asked: IsOther, bound: Unbounded }]), request: Request { roles: 2, string: None, number: Some(5), flag: true } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = the_order_of_layers_means_nothing(&case);
    }

    #[test]
    fn another_layer_permits_nothing_of_what_was_found() {
        use verify::properties::decide::{Allows, Always, Anyone, Denies, First, Layers, Limited, Middle, Named, NoFlag, Nobody, Request, Rule, Rules, Small, Unbounded, another_layer_permits_nothing};

        let case: Layers<Rules<1, 1, 5>, Rules<2, 13, 5>, Rules<3, 13, 5>, 12> = Layers { one: Rules::of(&[Rule { does: Allows, who: Anyone, asked: Always, bound: Unbounded }]), other: Rules::of(&[Rule { does: Allows, who: Nobody, asked: Small, bound: Limited }]), third: Rules::of(&[Rule { does: Allows, who: Anyone, asked: Middle, bound: Unbounded }, Rule { does: Allows, who: First, asked: Named, bound: Unbounded }, Rule { does: Denies, who: First, asked: NoFlag, bound: Limited }]), request: Request { roles: 1, string: None, number: None, flag: false } };
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = another_layer_permits_nothing(&case);
    }
