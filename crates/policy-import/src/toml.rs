//! TOML text -> a tree.

use policy_syntax::Span;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tree::{DEPTH_MAX, Entry, Node, ParseError, Value, map_of};

/// Parses a TOML document.
pub(crate) fn read(text: &str) -> Result<Node, ParseError> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or_else(Span::default, |range| Span::new(range.start, range.end));
        ParseError::new(at, error.message().to_owned())
    })?;
    let at = span(&table);
    Ok(Node { at, value: map(table.get_ref(), DEPTH_MAX)? })
}

fn node(value: &Spanned<DeValue<'_>>, depth: usize) -> Result<Node, ParseError> {
    let at = span(value);
    let Some(below) = depth.checked_sub(1) else {
        return Err(ParseError::new(at, format!("lists and tables are nested more than {DEPTH_MAX} deep")));
    };
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).map_or(Value::Other, Value::Whole)
        }
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Float(_) | DeValue::Datetime(_) => Value::Other,
        DeValue::Array(items) => Value::List(items.iter().map(|item| node(item, below)).collect::<Result<_, _>>()?),
        DeValue::Table(table) => map(table, below)?,
    };
    Ok(Node { at, value })
}

fn map(table: &DeTable<'_>, depth: usize) -> Result<Value, ParseError> {
    let entry = |(key, value): (&Spanned<std::borrow::Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
        Ok(Entry { key: key.get_ref().to_string(), key_at: span(key), value: node(value, depth)? })
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect::<Result<_, _>>()?;
    entries.sort_by_key(|entry| entry.key_at);
    map_of(entries)
}

fn span<T>(spanned: &Spanned<T>) -> Span {
    let range = spanned.span();
    Span::new(range.start, range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_list_have_their_places() {
        let text = "[[rules]]\nname = \"a\"\nops = { Only = [\"x\"] }\n[[rules]]\nname = \"b\"\n";
        let node = read(text).unwrap();
        let Value::Map(entries) = &node.value else { panic!("{node:?}") };
        let Value::List(rules) = &entries[0].value.value else { panic!("{node:?}") };
        let Value::Map(second) = &rules[1].value else { panic!("{node:?}") };
        assert_eq!((rules.len(), text.get(second[0].value.at.range()).unwrap()), (2, "\"b\""));
    }

    #[test]
    fn invalid_toml_is_rejected_at_its_place() {
        assert_eq!(read("a = 1\na = 2\n").unwrap_err().at.start, 6);
        assert!(read("a = [1, ").is_err());
        assert!(read("a = 99999999999999999999999").is_ok_and(|node| matches!(node.value, Value::Map(_))));
    }
}
