//! Every property with the cases that each engine asks it about: drivers and proofs are made of this list.

/// Hands every property to a macro: its file and its name, and the kinds of cases of each engine. A kind of cases is a type
/// in the property's file, and its parameters are the bounds.
///
/// An entry has the domain that is counted through, the larger one of `VERIFY_FULL`, and that of dice and fuzzers; then what
/// a model checker proves, and how often it unwinds loops, which the checker says when it is too few. A second proof settles
/// more and leaves more open.
#[macro_export]
macro_rules! for_each_property {
    ($with:ident) => {
        $with! {
            alphabet {
                every_byte_of_a_path_is_like_one_of_the_alphabet { InPath<4>, InPath<6>, InPath<12>; InPath<2>, 5 }
                every_byte_of_a_line_is_like_one_of_the_alphabet { InLine<2>, InLine<3>, InLine<12>; InLine<1>, 3 }
                every_byte_of_a_url_is_like_one_of_the_alphabet { InUrl<3>, InUrl<4>, InUrl<12>; InUrl<1>, 7 }
            }
            path {
                contained_paths_are_names
                    { Inside<7, 12, 20>, Inside<9, 12, 20>, Inside<48, 12, 64>; Inside<4, 1, 8>, 6 }
                containment_is_as_specified
                    { Inside<7, 12, 20>, Inside<9, 12, 20>, Inside<48, 12, 64>; Inside<4, 1, 8>, 6 }
                a_contained_path_is_written_as_its_components
                    { Inside<7, 12, 20>, Inside<9, 12, 20>, Inside<48, 12, 64>; Inside<3, 1, 7>, 5 }
                containment_is_idempotent
                    { Inside<7, 12, 20>, Inside<9, 12, 20>, Inside<48, 12, 64>; Inside<3, 1, 7>, 5 }
                the_name_is_the_last_component
                    { Inside<7, 12, 20>, Inside<9, 12, 20>, Inside<48, 12, 64>; Inside<3, 1, 7>, 5 }
                a_plain_path_is_its_components
                    { Inside<7, 12, 20>, Inside<9, 12, 20>, Inside<48, 12, 64>; Inside<4, 1, 8>, 6 }
                equal_components_are_equal_paths { Two<4>, Two<5>, Two<3>; Two<2>, 4 }
                equal_components_are_written_alike { Two<4>, Two<5>, Two<3>; Two<2>, 4 }
            }
            shell {
                reading_a_line_is_total { Typed<4>, Typed<5>, Typed<48>; Typed<4>, 5 }
                commands_account_for_every_byte { Typed<4>, Typed<5>, Typed<48>; Typed<3>, 4 }
                commands_are_read_again_as_they_are_written
                    { Rewritten<4, 4, 18>, Rewritten<5, 5, 22>, Rewritten<48, 48, 194>; Rewritten<1, 1, 6>, 4 }
                quotes_never_open_an_operator
                    { Quoted<0, 3, 5>, Quoted<0, 4, 6>, Quoted<0, 24, 26>; Quoted<0, 1, 3>, 4; Quoted<3, 3, 5>, 6 }
            }
            net {
                ipv4_is_private_as_listed { Four<27>, Four<65536>, Four<65536>; Four<65536>, 16 }
                ipv6_is_private_as_listed
                    { Six<27, 2, 7>, Six<65536, 1, 1>, Six<65536, 6, 7>; Six<65536, 6, 7>, 16 }
                a_url_is_what_was_read_of_it { Link<4, 7, 18>, Link<5, 7, 19>, Link<40, 7, 54>; Link<2, 1, 6>, 7 }
                escapes_stand_for_what_needs_them { Escape, Escape, Escape; Escape, 10 }
                a_host_of_numbers_is_a_plain_address
                    { Named<5, 5, 16>, Named<6, 5, 16>, Named<16, 5, 32>; Named<2, 1, 8>, 7 }
            }
            wire {
                reading_an_envelope_is_total
                    { Envelope<0, 5, 4>, Envelope<0, 6, 4>, Envelope<0, 24, 4>; Envelope<4, 4, 1>, 5 }
                reading_a_message_is_total
                    { Inside<0, 5, 6>, Inside<0, 6, 6>, Inside<0, 24, 6>; Inside<3, 3, 1>, 4 }
                what_is_written_is_read
                    { Sent<0, 2, 256, 6>, Sent<0, 4, 256, 6>, Sent<0, 12, 256, 6>; Sent<4, 4, 20, 1>, 5 }
                what_is_cut_off_is_refused_or_ends_at_a_field
                    { Cut<0, 1, 256, 6>, Cut<0, 2, 256, 6>, Cut<0, 12, 256, 6>; Cut<1, 1, 16, 1>, 5 }
                tags_out_of_place_are_refused
                    { Tagged<1, 512, 9>, Tagged<3, 512, 9>, Tagged<6, 600, 9>; Tagged<0, 16, 2>, 5 }
                what_comes_again_is_refused { Again<4, 12>, Again<8, 12>, Again<16, 12>; Again<2, 3>, 5 }
                numbers_have_one_form
                    { Spelled<0, 10, 3>, Spelled<0, 12, 3>, Spelled<0, 12, 3>; Spelled<2, 2, 1>, 4 }
            }
            validate {
                names_break_rules_as_specified
                    { Names<AT_LIMITS>, Names<AT_LIMITS>, Names<LETTERS>; Names<ONE_BY_ONE>, 258 }
                file_read_breaks_rules_as_specified
                    { Reads<3, 16400>, Reads<4, 16400>, Reads<12, 16400>; Reads<4, 4>, 9 }
                file_write_breaks_rules_as_specified
                    { Writes<2, 16400>, Writes<3, 16400>, Writes<12, 16400>; Writes<3, 3>, 13 }
                file_edit_breaks_rules_as_specified
                    { Edits<2, 16400>, Edits<3, 16400>, Edits<12, 16400>; Edits<3, 3>, 9 }
                shell_exec_breaks_rules_as_specified {
                    Runs<2, 16400, 3, 1, 1001>, Runs<3, 16400, 4, 1, 1001>, Runs<6, 16400, 6, 3, 1001>;
                    Runs<3, 3, 3, 1, 1>, 11
                }
                git_operation_breaks_rules_as_specified {
                    Versions<2, 16400, 1, 1001>, Versions<3, 16400, 1, 1001>, Versions<6, 16400, 3, 1001>;
                    Versions<0, 0, 1, 1>, 19
                }
                inference_breaks_rules_as_specified { Calls<true>, Calls<true>, Calls<true>; Calls<false>, 9 }
                artifact_publish_breaks_rules_as_specified
                    { Publishes<2, 1, 1001>, Publishes<2, 2, 1001>, Publishes<6, 3, 1001>; Publishes<3, 1, 1>, 9 }
            }
            judge {
                nothing_invalid_is_permitted {
                    Judges<2, ANY>, Judges<3, ANY>, Judges<4, ANY>; Judges<0, FLAWED>, 42; Judges<4, FLAWED>, 42
                }
                what_is_permitted_was_allowed { Judges<2, ANY>, Judges<3, ANY>, Judges<4, ANY>; Judges<0, KNOWN>, 42 }
                refusals_name_a_rule_or_the_default
                    { Judges<2, ANY>, Judges<3, ANY>, Judges<4, ANY>; Judges<0, KNOWN>, 42 }
                a_permit_is_bound_to_every_rule_that_permits
                    { Judges<2, ANY>, Judges<3, ANY>, Judges<4, ANY>; Judges<0, KNOWN>, 42 }
                what_a_policy_does_not_know_is_refused
                    { Judges<2, ANY>, Judges<3, ANY>, Judges<4, ANY>; Judges<1, UNKNOWN>, 42 }
                judging_again_is_judging_alike
                    { Judges<2, ANY>, Judges<3, ANY>, Judges<4, ANY>; Judges<0, KNOWN_ALONE>, 42 }
            }
            table {
                any_file_is_a_table_or_an_error {
                    File<WIDE, 15, 0, 0, 1>, File<LIMIT_AND_DENY, 7, 0, 0, 2>, File<WIDE, 15, 0, 0, 6>;
                    File<PLAIN, 5, 280, 284, 1>, 37
                }
                noise_is_a_table_or_an_error
                    { Noise<8, 1, 0>, Noise<8, 2, 0>, Noise<8, 40, 0>; Noise<3, 8, CELLS>, 37 }
                what_opens_is_safe_to_ask {
                    Questioned<File<WIDE, 15, 144, 0, 1>, 0>, Questioned<File<WIDE, 15, 144, 0, 1>, 2>,
                    Questioned<File<WIDE, 15, 144, 0, 2>, 12>; Questioned<File<LIMIT_AND_DENY, 7, 0, 0, 0>, 3>, 37
                }
                what_opens_is_safe_to_look_at {
                    Questioned<File<WIDE, 15, 144, 0, 1>, 0>, Questioned<File<WIDE, 15, 144, 0, 1>, 2>,
                    Questioned<File<WIDE, 15, 144, 0, 2>, 12>; Questioned<File<PLAIN, 5, 0, 0, 0>, 3>, 37
                }
                tables_are_read_as_written
                    { Rows<ALL_SECTIONS>, Rows<ALL_SECTIONS>, Rows<ALL_SECTIONS>; Rows<WORDS>, 37 }
                one_other_byte_is_refused {
                    Changed<WIDE, 15, 0, 0>, Changed<WIDE, 15, 0, 0>, Changed<WIDE, 15, 0, 0>;
                    Changed<PLAIN, 5, 44, 52>, 37
                }
                a_table_opens_only_by_its_digest { Vouched<4>, Vouched<6>, Vouched<32>; Vouched<32>, 37 }
            }
            decide {
                decisions_are_what_the_rules_say {
                    Judged<Rules<2, 1, 3>, 2>, Judged<Rules<2, 3, 3>, 3>, Judged<Rules<3, 13, 5>, 12>;
                    Judged<Kept<LIMIT_AND_DENY>, 3>, 37
                }
                limits_are_named_or_held {
                    Judged<Rules<2, 1, 3>, 1>, Judged<Rules<2, 3, 3>, 3>, Judged<Rules<3, 13, 5>, 12>;
                    Judged<Kept<LIMIT>, 0>, 37
                }
                codes_say_why {
                    Judged<Rules<2, 1, 3>, 1>, Judged<Rules<2, 3, 3>, 3>, Judged<Rules<3, 13, 5>, 12>;
                    Judged<Kept<SILENCE>, 0>, 37
                }
                a_deny_that_applies_wins {
                    Judged<Rules<2, 1, 3>, 1>, Judged<Rules<2, 3, 3>, 3>, Judged<Rules<3, 13, 5>, 12>;
                    Judged<Kept<LIMIT_AND_DENY>, 3>, 37
                }
                silence_forbids {
                    Foreign<Rules<1, 1, 3>, 2>, Foreign<Rules<2, 1, 5>, 2>, Foreign<Rules<3, 13, 5>, 12>;
                    Foreign<Kept<ASK>, 3>, 37
                }
                adding_a_deny_permits_nothing {
                    Added<Inserted<0, 1, 1, 3>, 1>, Added<Inserted<0, 1, 4, 5>, 3>, Added<Inserted<0, 3, 13, 5>, 12>;
                    Added<Grown<LIMIT, LIMIT_AND_DENY>, 3>, 37
                }
                adding_an_allow_forbids_nothing {
                    Added<Inserted<2, 1, 1, 3>, 1>, Added<Inserted<2, 1, 4, 5>, 3>, Added<Inserted<2, 3, 13, 5>, 12>;
                    Added<Grown<ASK, ASK_AND_ALLOW>, 3>, 37
                }
                the_order_of_layers_means_nothing {
                    Layers<Rules<1, 1, 3>, Kept<ASK>, Kept<LIMIT>, 2>,
                    Layers<Rules<1, 1, 3>, Rules<1, 1, 3>, Kept<LIMIT>, 1>,
                    Layers<Rules<1, 1, 5>, Rules<2, 13, 5>, Rules<3, 13, 5>, 12>;
                    Layers<Kept<LIMIT>, Kept<LIMIT_AND_DENY>, Kept<ASK>, 3>, 37
                }
                another_layer_permits_nothing {
                    Layers<Rules<1, 1, 3>, Kept<ASK>, Kept<LIMIT>, 2>,
                    Layers<Rules<1, 1, 3>, Rules<1, 1, 3>, Kept<LIMIT>, 1>,
                    Layers<Rules<1, 1, 5>, Rules<2, 13, 5>, Rules<3, 13, 5>, 12>;
                    Layers<Kept<LIMIT>, Kept<LIMIT_AND_DENY>, Kept<ASK>, 3>, 37
                }
            }
        }
    };
}
