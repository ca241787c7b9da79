//! A program in order, then with each thing that may not be in it.

use super::*;
use image::{Reference, Symbol};

fn function(name: &str, address: u64) -> Symbol {
    Symbol { name: name.to_owned(), is_defined: true, is_function: true, address, bytes: 10 }
}

fn image(names: &[&str]) -> Image {
    let names = ["enforce_core::decide::decide", "table_format::open::open"].iter().chain(names);
    Image {
        symbols: (0..).map(|number| number * 10).zip(names).map(|(at, name)| function(name, at)).collect(),
        ..Image::default()
    }
}

fn section(name: &str, bytes: u64) -> Section {
    Section { name: name.to_owned(), bytes }
}

#[test]
fn a_program_in_order_has_nothing_left_over() {
    assert_eq!(left_over(&image(&["main", "memcmp"])), []);
}

#[test]
fn each_thing_that_may_not_be_there_is_found() {
    for (symbol, kind) in [
        ("malloc", Kind::Allocator),
        ("alloc::vec::Vec<T>::push", Kind::Alloc),
        ("std::rt::lang_start", Kind::Std),
        ("core::panicking::panic_bounds_check", Kind::Panic),
    ] {
        let expected = NoStdError::Left { kind, symbol: symbol.to_owned(), from: vec![] };
        assert_eq!(left_over(&image(&["main", symbol])), [expected], "{symbol}");
    }
}

#[test]
fn a_panic_is_shown_with_those_who_reach_it() {
    let mut image = image(&["core::panicking::panic_fmt", "core::option::unwrap_failed"]);
    let reference = |at: u64, to: u64| Reference { at, name: String::new(), to };
    // Twice from the first function, once from the last, which is a panic itself.
    image.references = vec![reference(1, 20), reference(5, 16), reference(35, 20), reference(12, 30)];
    let shown: Vec<String> = left_over(&image).iter().map(NoStdError::to_string).collect();
    let expected = [
        "panic: `core::panicking::panic_fmt`, from `enforce_core::decide::decide`",
        "panic: `core::option::unwrap_failed`, from `table_format::open::open`",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_public_function_that_is_not_called_is_found() {
    let text = "pub fn open<'a>(x: u8) {\n    pub const fn first() {}\n    pub(crate) fn own() {}\nfn inner() {}\n";
    let functions: BTreeSet<String> = functions_of(text).map(String::from).collect();
    assert_eq!(not_reached(&functions, "first(open(1))"), []);
    let expected = NoStdError::NotReached { function: "open".into() };
    assert_eq!(not_reached(&functions, "first(opened(1))"), [expected]);
}

#[test]
fn a_program_without_names_is_not_taken_for_one_in_order() {
    let stripped = Image { symbols: vec![function("main", 0)], ..Image::default() };
    let expected = FOR_EMBEDDERS.iter().map(|crate_name| NoStdError::NoNames { crate_name });
    assert_eq!(left_over(&stripped), expected.collect::<Vec<_>>());
}

#[test]
fn code_and_constants_are_counted_and_nothing_else() {
    let sections = [
        section(".text", 1),
        section(".text.decide", 2),
        section(".rodata", 4),
        section(".rodata.cst16", 8),
        section(".data.rel.ro..anon", 16),
        section(".textual", 32),
        section(".data", 64),
        section(".eh_frame", 128),
        section(".debug_info", 256),
    ];
    let object = Image { sections: sections.into(), ..Image::default() };
    let objects = [object];
    assert_eq!(bytes_of(CODE, &objects, &image(&[])), 3);
    assert_eq!(bytes_of(CONSTANTS, &objects, &image(&[])), 28);
}

#[test]
fn what_is_needed_of_the_compilers_support_is_counted_by_its_size_in_the_program() {
    let undefined = |name: &str| Symbol { is_defined: false, bytes: 0, ..function(name, 0) };
    let object = Image {
        symbols: vec![undefined("__lshrti3"), undefined("memcmp"), function("main", 0)],
        sections: vec![section(".text", 5)],
        references: vec![],
    };
    let mut program = image(&["__lshrti3", "main"]);
    program.symbols.push(undefined("memcmp"));
    let objects = [object];
    assert_eq!(bytes_of(CODE, &objects, &program), 15);
    assert_eq!(bytes_of(CONSTANTS, &objects, &program), 0);
}

#[test]
fn code_stays_below_its_limit() {
    assert_eq!(too_large(CODE_BYTES_MAX - 1), None);
    assert_eq!(too_large(CODE_BYTES_MAX), Some(NoStdError::TooLarge { bytes: CODE_BYTES_MAX }));
}

#[test]
fn artifacts_are_read_as_cargo_writes_them() {
    let printed = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"core"},"filenames":["x/libcore.rlib"]}
{"reason":"compiler-artifact","target":{"kind":["bin"],"name":"nostd"},"filenames":["x/nostd"],"executable":"x/nostd"}
{"reason":"build-finished","success":true}"#;
    assert_eq!(artifact(printed, "bin"), Some(PathBuf::from("x/nostd")));
    assert_eq!(artifact(printed, "staticlib"), None);
}
