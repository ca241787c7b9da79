//! Every property with its sentence and the cases that each engine asks it about: drivers and proofs are made of it.

/// Hands every property to a macro: its module, name and sentence, and the cases of each engine. A kind of cases is a
/// type, whose parameters are the bounds; it stands in the module of the property.
#[macro_export]
macro_rules! for_each_property {
    ($with:ident) => {
        $with! {
            alphabet::every_byte_of_a_path_is_like_one_of_the_alphabet
                "to containment, each of the 256 bytes is like one of the six that paths are counted with"
                { counted: InPath<4>, full: InPath<6>, random: InPath<12>, proof: InPath<2>, unwind: 5 }
            alphabet::every_byte_of_a_line_is_like_one_of_the_alphabet
                "to the reader of command lines, each of the 256 bytes is like one of those that lines are counted with, unless it spells a word of the shell's own"
                { counted: InLine<2>, full: InLine<3>, random: InLine<12>, proof: InLine<1>, unwind: 3 }
            alphabet::every_byte_of_a_url_is_like_one_of_the_alphabet
                "to the reader of URLs, each of the 256 bytes is like one of those that URLs are counted with, beside percent signs"
                { counted: InUrl<3>, full: InUrl<4>, random: InUrl<12>, proof: InUrl<1>, unwind: 7 }
            alphabet::every_byte_of_a_text_is_like_one_of_the_alphabet
                "to the reader of requests, each of the 256 bytes in a text is like one of those that texts are counted with, where both make it UTF-8 or neither does"
                { counted: InText<0, 3, 9>, full: InText<0, 4, 9>, random: InText<0, 12, 9>, proof: InText<1, 1, 1>, unwind: 5 }
            alphabet::every_character_of_a_path_is_checked_like_one
                "to who checks requests, each of the first 256 characters in a path is like one of those that paths are counted with"
                { counted: InCheckedPath<0, 3, 5>, full: InCheckedPath<0, 5, 5>, random: InCheckedPath<0, 12, 5>, proof: InCheckedPath<0, 0, 1>, unwind: 6 }
            alphabet::every_character_of_an_entry_is_checked_like_one
                "to who checks requests, each of the first 256 characters in an entry of a list is like one of those that entries are counted with"
                { counted: InEntry<0, 3, 3>, full: InEntry<0, 5, 3>, random: InEntry<0, 12, 3>, proof: InEntry<0, 0, 1>, unwind: 6 }
            alphabet::every_byte_of_a_string_is_decided_like_one
                "to a table of these rules, each of the 256 bytes in a string is like one of the four that strings are counted with"
                { counted: InString<Rules<1, 1, 1>, 1>, full: InString<Rules<1, 1, 1>, 2>, random: InString<Rules<3, 13, 1>, 12>,
                  proof: InString<Kept<LIMIT_AND_DENY>, 1>, unwind: 37 }
            alphabet::every_character_of_a_path_is_judged_like_one
                "to the judge, each of the first 256 characters in a path is like one of those that calls are counted with"
                { counted: InJudged<0, 2, ANY>, full: InJudged<0, 3, ANY>, random: InJudged<0, 12, ANY>, proof: InJudged<0, 0, UNKNOWN>, unwind: 42 }
            path::contained_paths_are_names
                "a path that is contained has no `..`, no `.`, no NUL and no empty component"
                { counted: Inside<7, 12, 20>, full: Inside<9, 12, 20>, random: Inside<48, 12, 64>,
                  proof: Inside<4, 1, 8>, unwind: 6 }
            path::containment_is_as_specified
                "containment is what a specification says that puts texts together and compares them with the root's"
                { counted: Inside<7, 12, 20>, full: Inside<9, 12, 20>, random: Inside<48, 12, 64>,
                  proof: Inside<4, 1, 8>, unwind: 6 }
            path::a_contained_path_is_written_as_its_components
                "a contained path is written as its components, with one slash between them"
                { counted: Inside<7, 12, 20>, full: Inside<9, 12, 20>, random: Inside<48, 12, 64>,
                  proof: Inside<3, 1, 7>, unwind: 5 }
            path::containment_is_idempotent
                "a contained path, as it is written, is contained and has the same components again"
                { counted: Inside<7, 12, 20>, full: Inside<9, 12, 20>, random: Inside<48, 12, 64>,
                  proof: Inside<3, 1, 7>, unwind: 5 }
            path::the_name_is_the_last_component
                "the name of a contained path is the last of its components, and the root alone has none"
                { counted: Inside<7, 12, 20>, full: Inside<9, 12, 20>, random: Inside<48, 12, 64>,
                  proof: Inside<3, 1, 7>, unwind: 5 }
            path::a_plain_path_is_its_components
                "a contained path that can be used where it stands is its components with one slash between them"
                { counted: Inside<7, 12, 20>, full: Inside<9, 12, 20>, random: Inside<48, 12, 64>,
                  proof: Inside<4, 1, 8>, unwind: 6 }
            path::equal_components_are_equal_paths
                "two contained paths are equal exactly when their components are equal"
                { counted: Two<4>, full: Two<5>, random: Two<3>, proof: Two<2>, unwind: 4 }
            path::equal_components_are_written_alike
                "two contained paths are written alike exactly when their components are equal"
                { counted: Two<4>, full: Two<5>, random: Two<3>, proof: Two<2>, unwind: 4 }
            shell::reading_a_line_is_total
                "every line has a value: commands, or a reason with a place in the line"
                { counted: Typed<4>, full: Typed<5>, random: Typed<48>, proof: Typed<4>, unwind: 5 }
            shell::commands_account_for_every_byte
                "what is accepted is commands with known operators between them: a scan that knows quotes and operators alone finds the same, and comes by nothing that a shell would compute"
                { counted: Typed<4>, full: Typed<5>, random: Typed<48>, proof: Typed<3>, unwind: 4 }
            shell::commands_are_read_again_as_they_are_written
                "a command that is written is read again as one command with the same words, and written the same again"
                { counted: Rewritten<4, 4, 18>, full: Rewritten<5, 5, 22>, random: Rewritten<48, 48, 194>,
                  proof: Rewritten<1, 1, 6>, unwind: 4 }
            shell::quotes_never_open_an_operator
                "putting quotes around any part of a complex line, without cutting a run of operators or parting a backslash from what it quotes, never makes an operator of what made it complex"
                { counted: Quoted<0, 3, 5>, full: Quoted<0, 4, 6>, random: Quoted<0, 24, 26>, proof: Quoted<0, 1, 3>, unwind: 4 }
            net::ipv4_is_private_as_listed
                "an IPv4 address is private exactly when it lies in a range of the list"
                { counted: Four<27>, full: Four<65536>, random: Four<65536>, proof: Four<65536>, unwind: 16 }
            net::ipv6_is_private_as_listed
                "an IPv6 address that carries an IPv4 address is what that is; any other is private exactly when it lies in a range of the list"
                { counted: Six<27, 2, 7>, full: Six<65536, 1, 1>, random: Six<65536, 6, 7>, proof: Six<65536, 6, 7>, unwind: 16 }
            net::a_url_is_what_was_read_of_it
                "scheme, host, port and path of a URL stand in it in this order, with nothing between them that was not read"
                { counted: Link<4, 7, 18>, full: Link<5, 7, 19>, random: Link<40, 7, 54>, proof: Link<2, 1, 6>, unwind: 7 }
            net::escapes_stand_for_what_needs_them
                "a percent sign in a path is followed by two digits that stand for a byte which could not be written without it"
                { counted: Escape, full: Escape, random: Escape, proof: Escape, unwind: 10 }
            net::a_host_of_numbers_is_a_plain_address
                "a host that a client could take for a number is an address of four plain decimals"
                { counted: Named<5, 5, 16>, full: Named<6, 5, 16>, random: Named<16, 5, 32>, proof: Named<2, 1, 8>, unwind: 7 }
            wire::reading_an_envelope_is_total
                "any bytes are a request or are refused at a place that they have"
                { counted: Envelope<0, 5, 4>, full: Envelope<0, 6, 4>, random: Envelope<0, 24, 4>, proof: Envelope<4, 4, 1>, unwind: 5 }
            wire::reading_a_message_is_total
                "any bytes where a message of a request stands are one or are refused at a place that they have"
                { counted: Inside<0, 5, 6>, full: Inside<0, 6, 6>, random: Inside<0, 24, 6>, proof: Inside<3, 3, 1>, unwind: 4 }
            wire::what_is_written_is_read
                "a request that a plain encoder has written is read with equal fields, unless it has text that is none"
                { counted: Sent<0, 2, 256, 6>, full: Sent<0, 4, 256, 6>, random: Sent<0, 12, 256, 6>, proof: Sent<4, 4, 20, 1>, unwind: 5 }
            wire::what_is_cut_off_is_refused_or_ends_at_a_field
                "the start of a request is refused for its end, or ends behind a field and says what is there"
                { counted: Cut<0, 1, 256, 6>, full: Cut<0, 2, 256, 6>, random: Cut<0, 12, 256, 6>, proof: Cut<1, 1, 16, 1>, unwind: 5 }
            wire::tags_out_of_place_are_refused
                "a zero, a group, an unknown field, a wrong wire type, a field that was there and a second tool are refused by their names"
                { counted: Tagged<1, 512, 9>, full: Tagged<3, 512, 9>, random: Tagged<6, 600, 9>, proof: Tagged<0, 16, 2>, unwind: 5 }
            wire::what_comes_again_is_refused
                "a text, a number or a tool that comes a second time is refused, whatever it says and whichever comes first"
                { counted: Again<4, 12>, full: Again<8, 12>, random: Again<16, 12>, proof: Again<2, 3>, unwind: 5 }
            wire::numbers_have_one_form
                "a number, a length or a tag is read exactly when it is in its shortest form and has 64 bits at most, and as it is written"
                { counted: Spelled<0, 10, 3>, full: Spelled<0, 12, 3>, random: Spelled<0, 12, 3>, proof: Spelled<2, 2, 1>, unwind: 4 }
            validate::names_break_rules_as_specified
                "INV-0001 to INV-0004 are reported exactly when they are broken"
                { counted: Names<AT_LIMITS>, full: Names<AT_LIMITS>, random: Names<LETTERS>, proof: Names<ONE_BY_ONE>, unwind: 258 }
            validate::file_read_breaks_rules_as_specified
                "INV-0005 to INV-0008 are reported exactly when they are broken, with those of the request's names"
                { counted: Reads<3, 16400>, full: Reads<4, 16400>, random: Reads<12, 16400>, proof: Reads<4, 4>, unwind: 9 }
            validate::file_write_breaks_rules_as_specified
                "INV-0009 to INV-0012 are reported exactly when they are broken, with those of the request's names"
                { counted: Writes<2, 16400>, full: Writes<3, 16400>, random: Writes<12, 16400>, proof: Writes<3, 3>, unwind: 13 }
            validate::file_edit_breaks_rules_as_specified
                "INV-0013 to INV-0015 are reported exactly when they are broken, with those of the request's names"
                { counted: Edits<2, 16400>, full: Edits<3, 16400>, random: Edits<12, 16400>, proof: Edits<3, 3>, unwind: 9 }
            validate::shell_exec_breaks_rules_as_specified
                "INV-0016 to INV-0020 are reported exactly when they are broken, each as often as entries break it"
                { counted: Runs<2, 16400, 3, 1, 1001>, full: Runs<3, 16400, 4, 1, 1001>, random: Runs<6, 16400, 6, 3, 1001>, proof: Runs<3, 3, 3, 1, 1>, unwind: 11 }
            validate::git_operation_breaks_rules_as_specified
                "INV-0021 to INV-0024 are reported exactly when they are broken, each as often as entries break it"
                { counted: Versions<2, 16400, 1, 1001>, full: Versions<3, 16400, 1, 1001>, random: Versions<6, 16400, 3, 1001>, proof: Versions<0, 0, 1, 1>, unwind: 19 }
            validate::inference_breaks_rules_as_specified
                "INV-0025 to INV-0029 are reported exactly when they are broken, with those of the request's names"
                { counted: Calls<true>, full: Calls<true>, random: Calls<true>, proof: Calls<false>, unwind: 9 }
            validate::artifact_publish_breaks_rules_as_specified
                "INV-0030 to INV-0034 are reported exactly when they are broken, each as often as entries break it"
                { counted: Publishes<2, 1, 1001>, full: Publishes<2, 2, 1001>, random: Publishes<6, 3, 1001>, proof: Publishes<3, 1, 1>, unwind: 9 }
            judge::nothing_invalid_is_permitted
                "bytes that are no request and requests that break a rule are refused for that, before a session is looked for"
                { counted: Judges<2, ANY>, full: Judges<3, ANY>, random: Judges<4, ANY>, proof: Judges<0, FLAWED>, unwind: 42 }
            judge::what_is_permitted_was_allowed
                "a permit has a known session, a lease that covers it, policies that have all decided, no denial, and approval for what is asked"
                { counted: Judges<2, ANY>, full: Judges<3, ANY>, random: Judges<4, ANY>, proof: Judges<0, KNOWN>, unwind: 42 }
            judge::refusals_name_a_rule_or_the_default
                "a refusal of a policy names the rule that was the strictest, and any other refusal the default"
                { counted: Judges<2, ANY>, full: Judges<3, ANY>, random: Judges<4, ANY>, proof: Judges<0, KNOWN>, unwind: 42 }
            judge::what_a_policy_does_not_know_is_refused
                "what one of the policies does not know is refused, and so is everything without a policy"
                { counted: Judges<2, ANY>, full: Judges<3, ANY>, random: Judges<4, ANY>, proof: Judges<1, UNKNOWN>, unwind: 42 }
            judge::judging_again_is_judging_alike
                "the same bytes in the same session come to the same decisions, code and rule"
                { counted: Judges<2, ANY>, full: Judges<3, ANY>, random: Judges<4, ANY>, proof: Judges<0, KNOWN_ALONE>, unwind: 42 }
            table::any_file_is_a_table_or_an_error
                "a file that somebody changed and signed again opens or is refused by name, and is never read beyond"
                {
                    counted: File<WIDE, 15, 0, 0, 1>, full: File<LIMIT_AND_DENY, 7, 0, 0, 2>,
                    random: File<WIDE, 15, 0, 0, 6>, proof: File<PLAIN, 5, 280, 284, 1>, unwind: 37
                }
            table::noise_is_a_table_or_an_error
                "rows that say anything, after a header that counts them, are a table or refused by name"
                {
                    counted: Noise<8, 1, 0>, full: Noise<8, 2, 0>, random: Noise<8, 40, 0>,
                    proof: Noise<3, 8, CELLS>, unwind: 37
                }
            table::what_opens_is_safe_to_ask
                "whatever opens can be asked anything: each decision ends, and what is permitted is so by a rule"
                {
                    counted: Questioned<File<WIDE, 15, 144, 0, 1>, 0>, full: Questioned<File<WIDE, 15, 144, 0, 1>, 2>,
                    random: Questioned<File<WIDE, 15, 144, 0, 2>, 12>, proof: Questioned<File<LIMIT_AND_DENY, 7, 0, 0, 0>, 3>,
                    unwind: 37
                }
            table::what_opens_is_safe_to_look_at
                "whatever opens, its decisions can be looked at, and a denial binds to nothing"
                {
                    counted: Questioned<File<WIDE, 15, 144, 0, 1>, 0>, full: Questioned<File<WIDE, 15, 144, 0, 1>, 2>,
                    random: Questioned<File<WIDE, 15, 144, 0, 2>, 12>, proof: Questioned<File<PLAIN, 5, 0, 0, 0>, 3>,
                    unwind: 37
                }
            table::tables_are_read_as_written
                "every row of an opened table is the row that was written"
                {
                    counted: Rows<ALL_SECTIONS>, full: Rows<ALL_SECTIONS>, random: Rows<ALL_SECTIONS>,
                    proof: Rows<WORDS>, unwind: 37
                }
            table::one_other_byte_is_refused
                "a file with one other byte is refused, pinned or not"
                {
                    counted: Changed<WIDE, 15, 0, 0>, full: Changed<WIDE, 15, 0, 0>, random: Changed<WIDE, 15, 0, 0>,
                    proof: Changed<PLAIN, 5, 44, 52>, unwind: 37
                }
            table::a_table_opens_only_by_its_digest
                "for every hash function and pin, a table opens when its hash is what it carries and what was pinned"
                { counted: Vouched<4>, full: Vouched<6>, random: Vouched<32>, proof: Vouched<32>, unwind: 37 }
            decide::decisions_are_what_the_rules_say
                "verdict and rule of a decision are those of the language reference's six steps"
                {
                    counted: Judged<Rules<2, 1, 3>, 2>, full: Judged<Rules<2, 3, 3>, 3>,
                    random: Judged<Rules<3, 13, 5>, 12>,
                    proof: Judged<Kept<LIMIT_AND_DENY>, 3>, unwind: 37
                }
            decide::limits_are_named_or_held
                "a denial for a limit names it, and a limit on what the request leaves open is an obligation"
                {
                    counted: Judged<Rules<2, 1, 3>, 1>, full: Judged<Rules<2, 3, 3>, 3>,
                    random: Judged<Rules<3, 13, 5>, 12>, proof: Judged<Kept<LIMIT>, 0>, unwind: 37
                }
            decide::codes_say_why
                "the code of a decision is the one that the language reference lists for its reason"
                {
                    counted: Judged<Rules<2, 1, 3>, 1>, full: Judged<Rules<2, 3, 3>, 3>,
                    random: Judged<Rules<3, 13, 5>, 12>, proof: Judged<Kept<SILENCE>, 0>, unwind: 37
                }
            decide::a_deny_that_applies_wins
                "a rule to deny that applies has the word, whatever else there is"
                {
                    counted: Judged<Rules<2, 1, 3>, 1>, full: Judged<Rules<2, 3, 3>, 3>,
                    random: Judged<Rules<3, 13, 5>, 12>,
                    proof: Judged<Kept<LIMIT_AND_DENY>, 3>, unwind: 37
                }
            decide::silence_forbids
                "what no rule speaks of is denied, and so are operations and roles that the table does not know"
                {
                    counted: Foreign<Rules<1, 1, 3>, 2>, full: Foreign<Rules<2, 1, 5>, 2>,
                    random: Foreign<Rules<3, 13, 5>, 12>,
                    proof: Foreign<Kept<ASK>, 3>, unwind: 37
                }
            decide::adding_a_deny_permits_nothing
                "one more rule to deny, wherever it stands, makes no verdict weaker and denies only what it is about"
                {
                    counted: Added<Inserted<0, 1, 1, 3>, 1>, full: Added<Inserted<0, 1, 4, 5>, 3>,
                    random: Added<Inserted<0, 3, 13, 5>, 12>,
                    proof: Added<Grown<LIMIT, LIMIT_AND_DENY>, 3>, unwind: 37
                }
            decide::adding_an_allow_forbids_nothing
                "one more rule to allow, wherever it stands, makes no verdict stronger and overrules no other effect"
                {
                    counted: Added<Inserted<2, 1, 1, 3>, 1>, full: Added<Inserted<2, 1, 4, 5>, 3>,
                    random: Added<Inserted<2, 3, 13, 5>, 12>,
                    proof: Added<Grown<ASK, ASK_AND_ALLOW>, 3>, unwind: 37
                }
            decide::the_order_of_layers_means_nothing
                "several tables come to the strictest of their verdicts, in whatever order they are asked"
                {
                    counted: Layers<Rules<1, 1, 3>, Kept<ASK>, Kept<LIMIT>, 2>,
                    full: Layers<Rules<1, 1, 3>, Rules<1, 1, 3>, Kept<LIMIT>, 1>,
                    random: Layers<Rules<1, 1, 5>, Rules<2, 13, 5>, Rules<3, 13, 5>, 12>,
                    proof: Layers<Kept<LIMIT>, Kept<LIMIT_AND_DENY>, Kept<ASK>, 3>, unwind: 37
                }
            decide::another_layer_permits_nothing
                "one more table never makes the verdict weaker, and no table at all is no verdict"
                {
                    counted: Layers<Rules<1, 1, 3>, Kept<ASK>, Kept<LIMIT>, 2>,
                    full: Layers<Rules<1, 1, 3>, Rules<1, 1, 3>, Kept<LIMIT>, 1>,
                    random: Layers<Rules<1, 1, 5>, Rules<2, 13, 5>, Rules<3, 13, 5>, 12>,
                    proof: Layers<Kept<LIMIT>, Kept<LIMIT_AND_DENY>, Kept<ASK>, 3>, unwind: 37
                }
        }
    };
}

/// Hands every second harness to a macro: the module and the name of its property, and the cases.
#[macro_export]
macro_rules! for_each_split {
    ($with:ident) => {
        $with! {
            shell::quotes_never_open_an_operator::split
                { proof: Quoted<3, 3, 5>, unwind: 6 }
            judge::nothing_invalid_is_permitted::split
                { proof: Judges<4, FLAWED>, unwind: 42 }
        }
    };
}

// The loops that a checker has to unwind follow from the case, and from nobody's memory.
macro_rules! unwound {
    ($(
        $module:ident::$name:ident $meaning:literal
        { counted: $counted:ty, full: $full:ty, random: $random:ty, proof: $proof:ty, unwind: $unwind:tt }
    )+) => {
        const _: () = {$({
            use crate::properties::$module::*;
            assert!($unwind == <$proof as crate::cases::Case>::LOOPS + 1, "unwind is one more than the loops of the case");
        })+};

        /// The file and the name of every property.
        pub const PROPERTIES: &[(&str, &str)] = &[$((stringify!($module), stringify!($name))),+];
    };
    ($($module:ident::$name:ident::split { proof: $proof:ty, unwind: $unwind:tt })+) => {
        const _: () = {$({
            use crate::properties::$module::*;
            assert!($unwind == <$proof as crate::cases::Case>::LOOPS + 1, "unwind is one more than the loops of the case");
        })+};
    };
}

for_each_property!(unwound);
for_each_split!(unwound);
