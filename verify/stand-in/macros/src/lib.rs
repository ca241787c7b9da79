//! attributes of harnesses -> tests
//!
//! What Kani takes is taken, and everything else is refused: a number that is one token, a solver that it has.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// A harness is a test that asks it again and again.
#[proc_macro_attribute]
pub fn proof(arguments: TokenStream, harness: TokenStream) -> TokenStream {
    if !arguments.is_empty() {
        return refuse("`kani::proof` takes no arguments");
    }
    let Some(name) = name_of(&harness) else {
        return refuse("`kani::proof` stands before a function without parameters and without a result");
    };
    // The tokens as they are and not as text, so that a mistake in a harness is shown where it is.
    let mut body = harness.clone();
    let unwind = unwind_of(&harness);
    body.extend(parsed(&format!("::kani::stand_in(concat!(module_path!(), \"::{name}\"), {unwind}, {name});")));
    let mut tokens = parsed("#[cfg(not(test))] #[allow(dead_code)]");
    tokens.extend(harness);
    tokens.extend(parsed(&format!("#[cfg(test)] #[test] fn {name}()")));
    tokens.extend([TokenTree::from(Group::new(Delimiter::Brace, body))]);
    tokens
}

/// How far loops are unwound: one number, as it is written.
#[proc_macro_attribute]
pub fn unwind(arguments: TokenStream, harness: TokenStream) -> TokenStream {
    let text = one_token(arguments, |token| matches!(token, TokenTree::Literal(_)));
    match text.and_then(|text| text.parse::<u32>().ok()) {
        Some(1..) => harness,
        Some(0) | None => refuse("`kani::unwind` takes one number, which is not zero"),
    }
}

/// Which solver is used, by its name.
#[proc_macro_attribute]
pub fn solver(arguments: TokenStream, harness: TokenStream) -> TokenStream {
    let name = one_token(arguments, |token| matches!(token, TokenTree::Ident(_)));
    match name.is_some_and(|name| SOLVERS.contains(&name.as_str())) {
        true => harness,
        false => refuse("`kani::solver` takes the name of a solver that comes with Kani"),
    }
}

fn one_token(tokens: TokenStream, is_wanted: impl Fn(&TokenTree) -> bool) -> Option<String> {
    let mut tokens = tokens.into_iter();
    let token = tokens.next().filter(is_wanted)?;
    tokens.next().is_none().then(|| token.to_string())
}

/// The name of a function of this form: attributes, `fn name() { … }`.
fn name_of(function: &TokenStream) -> Option<String> {
    let mut tokens = function.clone().into_iter().skip_while(|token| !is_word(token, "fn")).skip(1);
    let name = tokens.next().filter(|token| matches!(token, TokenTree::Ident(_)))?;
    let is_group = |token: &TokenTree, delimiter, is_empty: fn(&TokenStream) -> bool| matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter && is_empty(&group.stream()));
    tokens.next().filter(|token| is_group(token, Delimiter::Parenthesis, TokenStream::is_empty))?;
    tokens.next().filter(|token| is_group(token, Delimiter::Brace, |_| true))?;
    tokens.next().is_none().then(|| name.to_string())
}

/// What `kani::unwind` says among the attributes of a function; without it Kani goes on for ever.
fn unwind_of(function: &TokenStream) -> u32 {
    let attributes = function.clone().into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some(group.stream().to_string()),
        TokenTree::Group(_) | TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    });
    let dense = attributes.map(|text| text.split_whitespace().collect::<String>());
    let mut bounds = dense.filter_map(|text| text.strip_prefix("kani::unwind(")?.strip_suffix(')')?.parse().ok());
    bounds.next().unwrap_or(u32::MAX)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident.to_string() == word)
}

fn refuse(why: &str) -> TokenStream {
    parsed(&format!("compile_error!({why:?});"))
}

/// Text that is Rust.
fn parsed(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// Those that need nothing beside Kani itself.
const SOLVERS: &[&str] = &["cadical", "kissat", "minisat"];
