//! What lines say, and what makes them complex or invalid, at which byte.

use std::string::String;
use std::vec;
use std::vec::Vec;

use super::*;

fn words(line: &str) -> Vec<Vec<String>> {
    let line = Line::new(line.as_bytes()).unwrap_or_else(|error| panic!("{line:?}: {error:?}"));
    let word = |word: Word<'_>| String::from_utf8(word.bytes().collect()).unwrap();
    line.commands().map(|command| command.words().map(word).collect()).collect()
}

#[test]
fn words_are_what_shells_make_of_them() {
    for (line, expected) in [
        ("cargo test", vec![vec!["cargo", "test"]]),
        ("  cargo\t test  ", vec![vec!["cargo", "test"]]),
        ("echo 'a b' \"c d\" e\\ f", vec![vec!["echo", "a b", "c d", "e f"]]),
        ("a''b\"\"c \"\" ''", vec![vec!["abc", "", ""]]),
        (r#"echo "\$ \` \" \\ \x \'""#, vec![vec!["echo", r#"$ ` " \ \x \'"#]]),
        ("echo '\\' \\\\ \\' \\$", vec![vec!["echo", "\\", "\\", "'", "$"]]),
        ("rm \\\n-rf x\\\ny", vec![vec!["rm", "-rf", "xy"]]),
        ("echo \"a\\\nb\" 'a\\\nb'", vec![vec!["echo", "ab", "a\\\nb"]]),
        (
            "echo a#b HEAD~1 a!b x=y stash@{0} {} a:b",
            vec![vec!["echo", "a#b", "HEAD~1", "a!b", "x=y", "stash@{0}", "{}", "a:b"]],
        ),
        ("echo \\~ '~' \\# \\* \"*\" \\{a,b\\}", vec![vec!["echo", "~", "~", "#", "*", "*", "{a,b}"]]),
        ("a&&b||c;d|e\nf", vec![vec!["a"], vec!["b"], vec!["c"], vec!["d"], vec!["e"], vec!["f"]]),
        ("\n\na &&\n\n b ;\n\nc\n;", vec![]),
    ] {
        if expected.is_empty() {
            assert!(Line::new(line.as_bytes()).is_err(), "{line:?}");
        } else {
            assert_eq!(words(line), expected, "{line:?}");
        }
    }
}

#[test]
fn commands_are_joined_by_what_stands_between_them() {
    let line = Line::new(b"\na &&\nb || c; d | e\n\nf;").unwrap();
    let joins: Vec<Option<Join>> = line.commands().map(|command| command.joined_by).collect();
    let expected = [Join::And, Join::Or, Join::Then, Join::Pipe, Join::Then];
    assert_eq!(joins, [None].into_iter().chain(expected.map(Some)).collect::<Vec<_>>());
}

#[test]
fn complex_lines_say_why_and_where() {
    use Complex::*;
    for (line, reason, at) in [
        ("echo \u{1}", Control, 5),
        ("echo \r", Control, 5),
        ("echo '\u{7f}'", Control, 6),
        ("echo $HOME", Expansion, 5),
        ("echo \"a$\"", Expansion, 7),
        ("echo a$", Expansion, 6),
        ("echo `id`", Substitution, 5),
        ("echo \"`\"", Substitution, 6),
        ("cat <f", Redirection, 4),
        ("cat 2>f", Redirection, 5),
        ("a &", Background, 2),
        ("a & b", Background, 2),
        ("(a)", Subshell, 0),
        ("a)", Subshell, 1),
        ("f() a", Subshell, 1),
        ("a |& b", PipeOfBoth, 3),
        ("a #b", Comment, 2),
        ("#", Comment, 0),
        ("a \\\n#b", Comment, 4),
        ("ls *.rs", Glob, 3),
        ("ls a?", Glob, 4),
        ("[ -f x ]", Glob, 0),
        ("~/bin/x", Tilde, 0),
        ("echo a=~", Tilde, 7),
        ("echo a:~b", Tilde, 7),
        ("echo \\\n~", Tilde, 7),
        ("echo {a,b}", Braces, 7),
        ("echo {1..3}", Braces, 8),
        ("echo {1.\\\n.3}", Braces, 10),
        ("echo a{b{,c}}", Braces, 9),
        ("FOO=1 a", Assignment, 0),
        ("FOO+=1", Assignment, 0),
        ("a; _x9=", Assignment, 3),
        ("'FOO'=1 a", Assignment, 0),
        ("! a", Reserved, 0),
        ("{ a; }", Reserved, 0),
        ("a; then", Reserved, 3),
        ("i\\\nf a", Reserved, 0),
        ("a | time b", Reserved, 4),
    ] {
        assert_eq!(Line::new(line.as_bytes()), Err(ShellError::Complex { reason, at }), "{line:?}");
    }
}

#[test]
fn invalid_lines_say_why_and_where() {
    use Invalid::*;
    for (line, reason, at) in [
        ("", Empty, 0),
        ("  \t", Empty, 3),
        ("\n\n", Empty, 2),
        ("\\\n", Empty, 2),
        ("echo \0", Nul, 5),
        ("git log\r\0; rm -rf /", Nul, 8),
        ("echo $x\0", Nul, 7),
        ("echo 'a", OpenQuote, 5),
        ("echo \"a\\\"", OpenQuote, 5),
        ("echo \\", LoneBackslash, 5),
        ("&& a", OperatorFirst, 0),
        (";", OperatorFirst, 0),
        ("a ;; b", OperatorFirst, 3),
        ("a && | b", OperatorFirst, 5),
        ("a\n; b", OperatorFirst, 2),
        ("a &&", OperatorLast, 4),
        ("a |\n", OperatorLast, 4),
    ] {
        assert_eq!(Line::new(line.as_bytes()), Err(ShellError::Invalid { reason, at }), "{line:?}");
    }
    let long = vec![b'a'; MAX_COMMAND_LEN + 1];
    assert!(Line::new(&long[1..]).is_ok());
    assert_eq!(Line::new(&long), Err(ShellError::Invalid { reason: TooLong, at: MAX_COMMAND_LEN }));
}

#[test]
fn a_command_is_written_in_one_way() {
    for (line, expected) in [
        ("git   log", "git log"),
        ("'git' \"log\" -n\\1", "git log -n1"),
        ("echo '' 'a b' it\\'s", "echo '' 'a b' 'it'\\''s'"),
        ("echo \\~ HEAD~1 \\#", "echo '~' 'HEAD~1' '#'"),
    ] {
        let line = Line::new(line.as_bytes()).unwrap();
        let command = line.commands().next().unwrap();
        let mut buffer = [0; 64];
        assert_eq!(command.write(&mut buffer), Some(expected.as_bytes()));
        assert_eq!(command.write(&mut buffer[..expected.len() - 1]), None);
    }
}

#[test]
fn a_command_fits_where_it_is_said_to() {
    for line in ["a", "'' ''", "a \"\"", "\\'\\'\\'", "a\\ b 'c d'", "\u{e9} '\u{1f980}'"] {
        let command = Line::new(line.as_bytes()).unwrap().commands().next().unwrap();
        let mut buffer = vec![0; command.written_max()];
        let written = String::from_utf8(command.write(&mut buffer).unwrap().to_vec()).unwrap();
        assert_eq!(words(&written), words(line), "{line}");
    }
}

#[test]
fn an_assignment_starts_with_a_name_and_no_name_with_a_digit() {
    for line in ["7=x", "7a=x", "=x", "+=x", "a-b=x", "a+b=x", "-a=x"] {
        assert_eq!(words(line), [[line]], "{line}");
    }
    for line in ["a7=x", "_=x", "A_7+=x"] {
        let found = ShellError::Complex { reason: Complex::Assignment, at: 0 };
        assert_eq!(Line::new(line.as_bytes()), Err(found), "{line}");
    }
}

#[test]
fn the_subcommand_is_the_first_argument_that_is_no_option() {
    for (line, expected) in
        [("git -v --x log a", Some("log")), ("git", None), ("git -x", None), ("a '-b' ''", Some(""))]
    {
        let line = Line::new(line.as_bytes()).unwrap();
        let found = line.commands().next().unwrap().subcommand();
        assert_eq!(found.map(|word| String::from_utf8(word.bytes().collect()).unwrap()).as_deref(), expected);
    }
}

#[test]
fn every_reserved_word_is_complex_as_a_first_word_and_no_other_word_is() {
    let reserved = "! { } case coproc do done elif else esac fi for function if in select then time until while";
    for word in reserved.split(' ') {
        let found = ShellError::Complex { reason: Complex::Reserved, at: 0 };
        for line in [String::from(word), std::format!("\"{word}\" a"), std::format!("{word};a")] {
            assert_eq!(Line::new(line.as_bytes()), Err(found), "{line}");
        }
        for line in [std::format!("a {word}"), std::format!("{word}x"), std::format!("x{word}")] {
            assert!(Line::new(line.as_bytes()).is_ok(), "{line}");
        }
    }
    for word in ["functions", "functio", "whil", "i", "dodone", "\u{e9}"] {
        assert!(Line::new(word.as_bytes()).is_ok(), "{word}");
    }
}
