//! Where commands stand, what names and options are called: every form that is said to be known.

use super::*;

/// A short secret, which nothing but its form shows.
#[test]
fn trust_audit_secrets_are_found_wherever_a_command_stands() {
    for form in [
        "if mysql -p@; then x; fi",
        "while ! mysql -p@; do redis-cli -a @; done",
        "if x; then mysql -p@; elif mysql -p@; then x; else mysql -p@; fi",
        "! mysql -p@",
        "{ mysql -p@; }",
        "echo `mysql -p@`",
        "echo `mysql -p@` b",
        "echo \"`mysql -p@`\"",
        "echo \"$(mysql -p@ db)\" b",
        "su -c 'mysql -p@'",
        "su - bob -c 'PGPASSWORD=@ psql'",
        "ssh h 'mysql -p@'",
        "ssh h \"sudo redis-cli -a @\"",
        "ssh h 'sh -c \"vault login @\"'",
        "watch 'mysql -p@'",
        "watch -n 1 mysql -p@",
        "parallel 'mysql -p@'",
        "nsenter -t 1 mysql -p@",
        "find . -exec mysql -p@ ;",
        "find . -name x -execdir redis-cli -a @ {} +",
        "xargs -I% sh -c 'mysql -p@ %'",
        "ssh-keygen -P @ -N @ -f k",
    ] {
        is_taken_out(form);
    }
}

#[test]
fn trust_audit_a_name_may_say_which_of_several_secrets_it_is() {
    for form in [
        "x PASSWORD2=@",
        "x password1=@",
        "x secret2=@",
        "x db_password_prod=@",
        "x PASSWORD_PROD=@",
        "x DB-PASSWORD-STAGING-2=@",
        "x SECRET_KEY_1=@",
        "x TOKEN_A=@",
        "x --password2 @",
        "x --api-key-old=@",
        "x 'passwords: @'",
        "x '{\"passwords\":[\"@\"]}'",
        "x '{\"password_prod\": \"@\"}'",
    ] {
        is_taken_out(form);
    }
    // What else is said about a secret may be anything, so that only what looks generated is one.
    for form in ["x password_of_bob=@", "x API_KEY_ID=@", "x --secret-for-ci @"] {
        let kept = stored(&form.replace('@', GENERATED));
        assert_eq!(kept, form.replace('@', REDACTED));
    }
}

#[test]
fn trust_audit_secrets_are_known_by_the_options_that_take_them() {
    for form in [
        "keytool -list -storepass @ -keypass @",
        "jarsigner -storepass @ a.jar",
        "keytool -importkeystore -srcstorepass @ -deststorepass @",
        "twine upload -p @ d",
        "twine upload -p@ d",
        "cargo login @",
        "cargo +nightly login @",
        "htpasswd -b f u @",
        "htpasswd -bB -C 10 f u @",
        "htpasswd -nb u @",
        "htpasswd -n -b u @",
        "useradd -p @ u",
        "usermod -p @ u",
        "openssl enc -aes-256-cbc -k @",
        "openssl enc -aes-256-cbc -K @ -iv 0",
        "gh secret set X --body @",
        "gh secret set X --body=@",
        "gh secret set X -b@",
        "gh secret set X -b @",
        "net rpc -U u%@",
    ] {
        is_taken_out(form);
    }
}

fn is_taken_out(form: &str) {
    for secret in ["hunter2", "9xQz2LEAK4mV7bK0tR5wN8yHcJ3fD6gS1aPuE"] {
        let line = form.replace('@', secret);
        let kept = stored(&line);
        assert!(!kept.contains(secret) && kept.contains(REDACTED), "{line}: {kept}");
        assert_eq!(stored(&kept), kept, "twice");
    }
}
