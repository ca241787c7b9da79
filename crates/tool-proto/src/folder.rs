//! A folder <-> the glob of `fs_list` that stands for what is in it.
//!
//! The message has room for a glob and for nothing else, so a folder is said as one: its path with what a pattern would
//! read escaped, and a slash at the end. The judge reads the same text. It judges the folder itself, or, where something is
//! escaped, the one above that: whoever lists a folder judges it once more as what it is.

/// The glob for what is in a folder; no path is the working directory.
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

/// The folder that a glob stands for; nothing when it is any other glob.
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
    // Before the slash of the system's root stands nothing.
    Some(if folder.is_empty() { "/".to_owned() } else { folder })
}

/// What the judge takes for the beginning of something to match.
fn is_read(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | '{' | ESCAPE)
}

const ESCAPE: char = '\\';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoke_list_of_a_folder_is_a_glob_that_stands_for_it_again() {
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
    fn other_globs_stand_for_no_folder() {
        for glob in ["", "src", "src/*", "*/", "a?/", "[a]/", "{a,b}/", "a\\/", "src/**/"] {
            assert_eq!(folder_of(glob), None, "{glob}");
        }
    }
}
