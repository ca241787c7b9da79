//! The kinds of findings that need meaning.

policy_syntax::codes! {
    /// The policy file cannot be read.
    UNREADABLE = "E0101" Error, "file cannot be read",
    explain "The file does not exist, is a directory, or may not be read.",
    wrong "# a path that names no readable file",
    right "policy plain language 1";
}
