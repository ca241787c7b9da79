//! The bytes of a program or a static library -> its symbols, its sections and who refers to whom.

use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget, SymbolKind};

/// What is known of an object file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) symbols: Vec<Symbol>,
    pub(super) sections: Vec<Section>,
    pub(super) references: Vec<Reference>,
}

/// A name, and where it stands. Its place is zero where it is not defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) is_defined: bool,
    pub(super) is_function: bool,
    pub(super) address: u64,
    pub(super) bytes: u64,
}

/// A section and its length.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) bytes: u64,
}

/// A place that refers to another.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) at: u64,
    /// The symbol it names, as far as it names one that is not a whole section.
    pub(super) name: String,
    /// Where it leads, by the address of what it names.
    pub(super) to: u64,
}

impl Image {
    /// The functions that refer to a symbol.
    pub(super) fn callers<'a>(&'a self, callee: &'a Symbol) -> impl Iterator<Item = &'a Symbol> {
        // A call of x86 is relative to the place after its four bytes, and says so by an addend of minus four.
        let is_to = |reference: &&Reference| {
            reference.name == callee.name
                || callee.is_defined
                    && (reference.to == callee.address || reference.to.wrapping_add(4) == callee.address)
        };
        let references = self.references.iter().filter(is_to);
        references.filter_map(|reference| self.symbols.iter().find(|symbol| symbol.holds(reference.at)))
    }
}

impl Symbol {
    fn holds(&self, address: u64) -> bool {
        self.is_function && address.checked_sub(self.address).is_some_and(|offset| offset < self.bytes)
    }
}

/// A linked program.
pub(super) fn program(bytes: &[u8]) -> Result<Image, object::Error> {
    let file = object::File::parse(bytes)?;
    let mut image = Image::default();
    for symbol in file.symbols() {
        let name = plain(symbol.name().unwrap_or_default());
        let (is_defined, is_function) = (!symbol.is_undefined(), symbol.kind() == SymbolKind::Text);
        if !name.is_empty() {
            let (address, bytes) = (symbol.address(), symbol.size());
            image.symbols.push(Symbol { name: name.to_owned(), is_defined, is_function, address, bytes });
        }
    }
    for section in file.sections() {
        image.sections.push(Section { name: section.name()?.to_owned(), bytes: section.size() });
        for (at, relocation) in section.relocations() {
            let RelocationTarget::Symbol(index) = relocation.target() else {
                continue;
            };
            let target = file.symbol_by_index(index)?;
            let to = target.address().wrapping_add_signed(relocation.addend());
            image.references.push(Reference { at, name: plain(target.name().unwrap_or_default()).to_owned(), to });
        }
    }
    Ok(image)
}

/// The library's own objects. Those of the compiler's support library stand beside them in case they are
/// needed, and may be in a form that only the compiler reads.
pub(super) fn library(bytes: &[u8]) -> Result<Vec<Image>, object::Error> {
    let mut images = Vec::new();
    for member in ArchiveFile::parse(bytes)?.members() {
        let member = member?;
        if member.name().starts_with(OWN) {
            images.push(program(member.data(bytes)?)?);
        }
    }
    Ok(images)
}

/// Without the version that a linker writes behind what is imported: `malloc@GLIBC_2.2.5`.
fn plain(name: &str) -> &str {
    name.split_once('@').map_or(name, |(name, _)| name)
}

/// What the names of the library's own objects start with.
const OWN: &[u8] = b"nostd-";

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, address: u64, bytes: u64) -> Symbol {
        Symbol { name: name.to_owned(), is_defined: true, is_function: true, address, bytes }
    }

    #[test]
    fn a_caller_is_the_function_that_holds_the_reference() {
        let (callee, imported) =
            (function("callee", 100, 8), Symbol { is_defined: false, ..function("imported", 0, 0) });
        let reference = |at: u64, name: &str, to: u64| Reference { at, name: name.to_owned(), to };
        let image = Image {
            symbols: vec![function("one", 10, 10), function("two", 20, 10), callee.clone(), imported.clone()],
            sections: vec![],
            references: vec![
                reference(19, "", 96),
                reference(20, "", 100),
                reference(29, "imported", 0),
                reference(30, "", 100),
                reference(15, "", 99),
            ],
        };
        let callers = |symbol| image.callers(symbol).map(|symbol| symbol.name.as_str()).collect::<Vec<_>>();
        assert_eq!(callers(&callee), ["one", "two"]);
        assert_eq!(callers(&imported), ["two"]);
    }

    #[test]
    fn a_version_is_no_part_of_a_name() {
        assert_eq!(plain("malloc@GLIBC_2.2.5"), "malloc");
        assert_eq!(plain("main"), "main");
    }

    #[test]
    fn bytes_that_are_no_program_are_refused() {
        assert!(program(b"text").is_err());
        assert!(library(b"text").is_err());
    }
}
