    #[test]
    fn judges_agree_of_what_was_found() {
        let bytes = b"\x00\x00\x00\x00\x00\x00\x00\x00";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::agreement::judges_agree(bytes);
    }

    #[test]
    fn every_line_has_one_answer_of_what_was_found() {
        let bytes = b"{\"id\":\"9\",\"op\":\"file.read\",\"path\":\"../etc/passwd\"}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::eval::every_line_has_one_answer(bytes);
    }

    #[test]
    fn answers_do_not_depend_on_neighbours_of_what_was_found() {
        let bytes = b"{\"id\":\"1\",\"op\":\"file.read\",\"path\":\"src/main.rs\",\"bytes\":4096}\n{\"id\":2,\"op\":\"file.write\",\"path\":[\"a\",\"./b//c\"],\"append\":true,\"bytes\":0}\n{\"id\":\"3\",\"op\":\"shell.exec\",\"line\":\"git log --oneline | ta \'x y\' && f\"}\n{\"op\":\"shell.exec\",\"line\":\"rm -rf $HOME\",\"timeout\":1000}\n{\"id\":\"5\",\"op\":\"http.request\",\"method\":\"GET\",\"url\":\"https://doc.rust-lang.org:443/std/?q\"}\n{\"id\":\"6\",\"op\":\"http.request\",\"method\":\"GET\",\"host\":\"127.0.0.1\",\"port\":80,\"scheme\":\"http\"}\n{\"id\":\"7\",\"op\":\"git.push\",\"ref\":\"refs/heads/feature/x\",\"force\":true,\"remote\":\"origin\"}\n{\"id\":\"8\",\"op\":\"jira.search\",\"project\":\"CORE\",\"max\":50}\n{\"id\":\"9\",\"op\":\"file.read\",\"path\":\"../etc/passwd\"}\n{\"id\":\"10\",\"roles\":[],\"op\":\"inference.call\",\"provider\":\"p\",\"model\":\"m\",\"tokens\":18446744073709551615}\n{\"id\":\"11\",\"op\":\"no.such\"}\n{\"id\":\"12\",\"op\":\"dice\",\"min\":1,\"min\":2}\n[]\n\n{";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::eval::answers_do_not_depend_on_neighbours(bytes);
    }

    #[test]
    fn any_file_is_a_policy_or_findings_of_what_was_found() {
        let bytes = b"\x02{\"\\u0070ermissions\":{\"ask\":[\"Bash(\\ud83d\\ude00)\"]}}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::import::any_file_is_a_policy_or_findings(bytes);
    }

    #[test]
    fn a_policy_answers_as_the_file_says_of_what_was_found() {
        let bytes = b"\x80\xb1=\x86\xb0\xc9z\xf5*1\xc8\x8bGVa\xcd\x04\x96E\'Dix!\xfd\xf6\xda]\xb7\xb7\xbd\xa4|";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::import::a_policy_answers_as_the_file_says(bytes);
    }

    #[test]
    fn values_are_read_again_of_what_was_found() {
        let bytes = b"{\"tool\":\"nobody\",\"action\":\"knows\",\"args\":{}}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::json::values_are_read_again(bytes);
    }

    #[test]
    fn envelopes_are_read_again_of_what_was_found() {
        let bytes = b"{\"type\":\"Heartbeat\",\"session_id\":\"s\",\"timestamp\":1}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::json::envelopes_are_read_again(bytes);
    }

    #[test]
    fn results_are_read_again_of_what_was_found() {
        let bytes = b"{\"timestamp_utc\":\"2024-11-05T16:00:00.000Z\",\"ok\":false,\"tool\":\"t\",\"action\":\"a\",\"policy\":{\"allowed\":false,\"rule\":\"r\",\"code\":\"C\"},\"output\":{\"stdout\":\"\",\"truncated\":false},\"error\":{\"type\":\"PolicyDenied\",\"message\":\"m\"}}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::json::results_are_read_again(bytes);
    }

    #[test]
    fn requests_go_there_and_back_of_what_was_found() {
        let bytes = b"{\"type\":\"ToolRequest\",\"tool\":\"sess-123\",\"args\":{},\"request_id\":\"a\",\"session_id\":\"a\",\"timestamp\":1730822400}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::json::requests_go_there_and_back(bytes);
    }

    #[test]
    fn invocations_are_messages_or_refused_of_what_was_found() {
        let bytes = b"{\"tool\":\"nobody\",\"action\":\"knows\",\"args\":{}}";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::json::invocations_are_messages_or_refused(bytes);
    }

    #[test]
    fn any_file_is_a_model_or_findings_of_what_was_found() {
        let bytes = b"policy unused-role language 1\n\nrole reader\n";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::policy::any_file_is_a_model_or_findings(bytes);
    }

    #[test]
    fn words_are_understood_or_reported_of_what_was_found() {
        let bytes = b"policy unused-role language 1\n\nrole reader\n";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::policy::words_are_understood_or_reported(bytes);
    }

    #[test]
    fn layout_changes_no_word_of_what_was_found() {
        let bytes = b"policy unused-role language 1\n\nrole reader\n";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::policy::layout_changes_no_word(bytes);
    }

    #[test]
    fn layout_of_a_layout_is_itself_of_what_was_found() {
        let bytes = b"policy unused-role language 1\n\nrole reader\n";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::policy::layout_of_a_layout_is_itself(bytes);
    }

    #[test]
    fn dash_runs_what_was_read_of_what_was_found() {
        let bytes = b"ta";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::shell::dash_runs_what_was_read(bytes);
    }

    #[test]
    fn whatever_opens_decides_of_what_was_found() {
        let bytes = b"\x00INTRDCT\x00\x01\x00\x00\x00\x01\x00\x00\x00\xa0._j\xbc>\xb4 G,\'y\x0f\xbad\x0fG:\x95\x87\x95\x82\xc4i\xb7s\x10R\x9c\x963\xc3\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x05\x00empty";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::table::whatever_opens_decides(bytes);
    }

    #[test]
    fn what_is_accepted_is_read_alike_of_what_was_found() {
        let bytes = b"ws://trusted.com/";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::url::what_is_accepted_is_read_alike(bytes);
    }

    #[test]
    fn what_is_read_prost_reads_alike_of_what_was_found() {
        let bytes = b"\n\x01a\x12\x01a\xb2\x01\x04\n\x02-r";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::wire::what_is_read_prost_reads_alike(bytes);
    }

    #[test]
    fn owned_messages_break_the_same_rules_of_what_was_found() {
        let bytes = b"\n\x01a\x12\x01a\xb2\x01\x04\n\x02-r";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::wire::owned_messages_break_the_same_rules(bytes);
    }

    #[test]
    fn whatever_is_permitted_is_valid_and_allowed_of_what_was_found() {
        let bytes = b"\n\x01a\x12\x01a\xb2\x01\x04\n\x02-r";
        // It panics while it does not hold; that it says nothing of them is as good.
        let _ = fuzz::properties::wire::whatever_is_permitted_is_valid_and_allowed(bytes);
    }
