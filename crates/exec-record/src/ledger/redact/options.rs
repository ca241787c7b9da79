//! The words of a command -> which of them is a secret that no name says is one: `mysql -pSECRET`, `vault login SECRET`.
//!
//! Programs are known by their names. The same letter means something else to others: `mkdir -p`, `ssh -p 22`.

use super::find::{is_word, run};
use super::marks::Name;

/// The program of a command, as far as its words were read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Program {
    name: Option<&'static str>,
    /// Whether the words so far can be about another program that follows.
    is_wrapped: bool,
    has_started: bool,
    /// What it is to do, where an option means something else behind it.
    task: Option<&'static str>,
    /// Words so far that are no options.
    operands: usize,
    batch: Batch,
}

/// What was said to a program that takes a secret as its last operand: `htpasswd -b FILE USER SECRET`.
#[derive(Debug, Clone, Copy, Default)]
struct Batch {
    is_on: bool,
    has_no_file: bool,
}

/// Where the secret of a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the word itself, from here on.
    Here(usize),
    /// All of the next word, if it is no option.
    Next,
    /// All of the next word, if this is in it.
    NextWith(char),
}

impl Program {
    /// Reads a word, and says where there is a secret in it or behind it.
    pub(super) fn read(&mut self, word: &str) -> Option<Place> {
        if EXECUTES.contains(&word) {
            *self = Self::default();
            return None;
        }
        if (!self.has_started || self.is_wrapped) && self.starts(word) {
            return None;
        }
        let name = self.name?;
        if CURL.contains(&name) && is_cluster_with_user(word) {
            return Some(Place::NextWith(':'));
        }
        let operands = self.operands;
        self.operands += usize::from(!word.starts_with(['-', '+']));
        if HTPASSWD.contains(&name) {
            return self.batch.read(word, operands);
        }
        let task = self.task;
        self.task = task.or_else(|| TASKS.iter().find(|task| **task == word).copied());
        let of_program = TAKEN.iter().filter(|taken| taken.programs.contains(&name));
        let mut of_program = of_program.filter(|taken| taken.task.is_none() || taken.task == task);
        let place = of_program.find_map(|taken| taken.place(word));
        if LOGGED_IN.contains(&name) && word == LOGIN && operands == 0 {
            return Some(Place::Next);
        }
        if place.is_some() && SSHPASS.contains(&name) {
            // What follows is another program's: `sshpass -p SECRET ssh -p 22`.
            *self = Self { has_started: true, is_wrapped: true, ..Self::default() };
        }
        place
    }

    /// Whether the word is a program. Variables stand before it, words of the shell, and wrappers with all of theirs.
    fn starts(&mut self, word: &str) -> bool {
        let last = word.rsplit('/').next().unwrap_or_default();
        let found = PROGRAMS.iter().flat_map(|programs| programs.iter()).find(|name| **name == last);
        if let Some(name) = found {
            *self = Self {
                name: Some(name),
                is_wrapped: self.is_wrapped,
                has_started: self.has_started,
                ..Self::default()
            };
        }
        self.is_wrapped |= WRAPPERS.contains(&last);
        let is_variable = word.as_bytes().get(run(word.as_bytes(), 0, is_word)) == Some(&b'=');
        let is_first = !self.has_started;
        self.has_started |= !is_variable && !KEYWORDS.contains(&word);
        is_first || found.is_some()
    }
}

impl Batch {
    /// A word that so many operands stand before. Options may have a value of their own, so that what comes too late is
    /// taken for a secret too.
    fn read(&mut self, word: &str, operands: usize) -> Option<Place> {
        if let Some(letters) = word.strip_prefix('-') {
            self.is_on |= letters.contains('b');
            self.has_no_file |= letters.contains('n');
            return None;
        }
        let before = if self.has_no_file { 1 } else { 2 };
        (self.is_on && operands >= before).then_some(Place::Here(0))
    }
}

/// `-sSu`, behind which a user stands.
fn is_cluster_with_user(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    letters.len() > 1 && letters.ends_with('u') && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether there is a program, or a name, behind which a word may be a secret.
pub(super) fn has_marks(text: &str) -> bool {
    text.split(|character: char| !u8::try_from(character).is_ok_and(is_word)).any(|word| {
        !word.is_empty()
            && (PROGRAMS.iter().any(|programs| programs.contains(&word)) || Name::of(word.as_bytes()) != Name::Plain)
    })
}

/// An option that takes a secret.
struct Taken {
    programs: &'static [&'static str],
    /// Only behind this word.
    task: Option<&'static str>,
    option: &'static str,
    stands: Stands,
    /// What has to be in the value, between a name and a secret.
    sign: Option<char>,
}

/// Where a value stands: in the word of its option, in the next, or in either.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    Glued,
    Apart,
    Either,
}

impl Taken {
    fn place(&self, word: &str) -> Option<Place> {
        let value = word.strip_prefix(self.option)?;
        match (value, self.sign) {
            ("", _) if self.stands == Stands::Glued => None,
            ("", Some(sign)) => Some(Place::NextWith(sign)),
            ("", None) => Some(Place::Next),
            _ if self.stands == Stands::Apart => None,
            (value, Some(sign)) if !value.contains(sign) => None,
            _ => Some(Place::Here(self.option.len())),
        }
    }
}

const fn taken(programs: &'static [&'static str], option: &'static str, stands: Stands) -> Taken {
    Taken { programs, task: None, option, stands, sign: None }
}

const fn pair(programs: &'static [&'static str], option: &'static str, sign: char) -> Taken {
    Taken { programs, task: None, option, stands: Stands::Either, sign: Some(sign) }
}

/// As their manuals say.
const TAKEN: &[Taken] = &[
    pair(CURL, "-u", ':'),
    pair(CURL, "-U", ':'),
    pair(HTTPIE, "-a", ':'),
    pair(SAMBA, "-U", '%'),
    pair(LFTP, "-u", ','),
    taken(MYSQL, "-p", Stands::Glued),
    taken(SEVEN_ZIP, "-p", Stands::Glued),
    taken(RAR, "-hp", Stands::Glued),
    taken(RAR, "-p", Stands::Glued),
    taken(SSHPASS, "-p", Stands::Either),
    taken(MONGO, "-p", Stands::Apart),
    taken(REDIS, "-a", Stands::Apart),
    taken(ZIP, "-P", Stands::Either),
    taken(LDAP, "-w", Stands::Either),
    taken(SSH_KEYGEN, "-N", Stands::Either),
    taken(SSH_KEYGEN, "-P", Stands::Either),
    taken(UPPER_P, "-P", Stands::Either),
    taken(OPENSSL, "-k", Stands::Apart),
    taken(OPENSSL, "-K", Stands::Apart),
    taken(TWINE, "-p", Stands::Either),
    taken(USERS, "-p", Stands::Either),
    Taken { task: Some(LOGIN), ..taken(REGISTRIES, "-p", Stands::Either) },
    Taken { task: Some(SECRET), ..taken(GH, "--body=", Stands::Glued) },
    Taken { task: Some(SECRET), ..taken(GH, "--body", Stands::Apart) },
    Taken { task: Some(SECRET), ..taken(GH, "-b", Stands::Either) },
];

const CURL: &[&str] = &["curl"];
const HTTPIE: &[&str] = &["http", "https", "xh"];
const SAMBA: &[&str] = &["net", "smbclient", "rpcclient", "smbcacls", "smbget"];
const LFTP: &[&str] = &["lftp"];
const MYSQL: &[&str] = &[
    "mysql",
    "mysqladmin",
    "mysqlcheck",
    "mysqldump",
    "mysqlimport",
    "mysqlshow",
    "mariadb",
    "mariadb-admin",
    "mariadb-dump",
];
const SEVEN_ZIP: &[&str] = &["7z", "7za", "7zr", "7zz"];
const RAR: &[&str] = &["rar", "unrar"];
const SSHPASS: &[&str] = &["sshpass"];
const MONGO: &[&str] = &["mongo", "mongosh", "mongodump", "mongorestore"];
const REDIS: &[&str] = &["redis-cli", "valkey-cli"];
const ZIP: &[&str] = &["unzip", "zip"];
const LDAP: &[&str] =
    &["ldapadd", "ldapcompare", "ldapdelete", "ldapmodify", "ldapmodrdn", "ldappasswd", "ldapsearch", "ldapwhoami"];
const SSH_KEYGEN: &[&str] = &["ssh-keygen"];
const UPPER_P: &[&str] = &["bcp", "ipmitool", "mosquitto_pub", "mosquitto_sub", "sqlcmd"];
const REGISTRIES: &[&str] = &["az", "docker", "helm", "nerdctl", "oras", "podman", "skopeo"];
const OPENSSL: &[&str] = &["openssl"];
const TWINE: &[&str] = &["twine"];
const USERS: &[&str] = &["useradd", "usermod"];
const HTPASSWD: &[&str] = &["htpasswd"];
const GH: &[&str] = &["gh"];
/// Programs that take a secret right behind `login`.
const LOGGED_IN: &[&str] = &["cargo", "vault"];
const LOGIN: &str = "login";
const SECRET: &str = "secret";
const TASKS: &[&str] = &[LOGIN, SECRET];

const PROGRAMS: &[&[&str]] = &[
    CURL, HTTPIE, SAMBA, LFTP, MYSQL, SEVEN_ZIP, RAR, SSHPASS, MONGO, REDIS, ZIP, LDAP, SSH_KEYGEN, UPPER_P,
    REGISTRIES, OPENSSL, TWINE, USERS, HTPASSWD, GH, LOGGED_IN,
];
/// Programs that run the program that follows.
const WRAPPERS: &[&str] = &[
    "chroot", "chrt", "command", "doas", "docker", "env", "exec", "flock", "ionice", "kubectl", "nice", "nohup",
    "nsenter", "parallel", "podman", "runuser", "setsid", "ssh", "stdbuf", "strace", "sudo", "taskset", "time",
    "timeout", "unshare", "watch", "xargs",
];
/// Words of the shell that a command stands behind.
const KEYWORDS: &[&str] = &["!", "do", "elif", "else", "if", "then", "until", "while", "{"];
/// Options, of `find`, that a command stands behind.
const EXECUTES: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];
