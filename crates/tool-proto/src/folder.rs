//! A directory <-> the glob of `fs_list` for its entries.
//!
//! The message has a field for a glob only, so a directory becomes one: its path with wildcards escaped, and a slash at the
//! end. The judge reads the same text. It judges the directory itself, or its parent where something is escaped: the executor
//! judges the directory again before it lists it.

/// Returns the glob for the entries of a directory; an empty path is the working directory.
#[must_use]
pub fn folder_glob(path: &str) -> String {
    let path = if path.is_empty() { "." } else { path.strip_suffix('/').unwrap_or(path) };
    let mut glob = String::with_capacity(path.len() + 1);
    for character in path.chars() {
        if is_read(character) {
            glob.push(ESCAPE);
        }
        glob.push(character);
    }
    glob.push('/');
    glob
}

/// Returns the directory whose entries a glob is for; `None` for any other glob.
#[must_use]
pub fn folder_of(glob: &str) -> Option<String> {
    let path = glob.strip_suffix('/')?;
    let mut folder = String::with_capacity(path.len());
    let mut characters = path.chars();
    while let Some(character) = characters.next() {
        match character {
            ESCAPE => folder.push(characters.next()?),
            character if is_read(character) => return None,
            character => folder.push(character),
        }
    }
    // The root of the file system has nothing before its slash.
    Some(if folder.is_empty() { "/".to_owned() } else { folder })
}

/// True for characters that begin a wildcard.
fn is_read(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | '{' | ESCAPE)
}

const ESCAPE: char = '\\';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoke_list_of_a_directory_is_a_glob_that_leads_back_to_it() {
        for (path, glob) in [
            ("", "./"),
            (".", "./"),
            ("/", "/"),
            ("src", "src/"),
            ("src/", "src/"),
            ("a/../b", "a/../b/"),
            ("br[1]", "br\\[1]/"),
            ("a*/b?", "a\\*/b\\?/"),
            ("{x}\\n", "\\{x}\\\\n/"),
            ("!a", "!a/"),
        ] {
            assert_eq!(folder_glob(path), glob);
            let folder = match path {
                "" => ".",
                "/" => "/",
                path => path.trim_end_matches('/'),
            };
            assert_eq!(folder_of(glob).as_deref(), Some(folder));
        }
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..1_000 {
            let length = rng.usize(1..8);
            let path: String = (0..length)
                .map(|_| *rng.choice(&['a', '*', '?', '[', ']', '{', '}', '\\', '/', '.']).unwrap())
                .collect();
            let folder = folder_of(&folder_glob(&path)).unwrap();
            assert_eq!(folder, if path == "/" { "/" } else { path.strip_suffix('/').unwrap_or(&path) });
        }
    }

    #[test]
    fn other_globs_are_not_for_a_directory() {
        for glob in ["", "src", "src/*", "*/", "a?/", "[a]/", "{a,b}/", "a\\/", "src/**/"] {
            assert_eq!(folder_of(glob), None, "{glob}");
        }
    }
}
