//! Pieces -> text, every statement and clause on a line of its own.

use std::fmt;

use policy_syntax::limits::LINE_BYTES_MAX;

use super::{
    Assert, Bound, Budget, Condition, Item, Operation, Parameter, Policy, Quantity, Rule, Statement, ToolBody,
};

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "policy agreement language 1")?;
        self.statements.iter().try_for_each(|statement| writeln!(f, "{statement}"))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Use(pack) => write!(f, "use {pack}"),
            Self::WithoutProtection => write!(f, "without {}", policy_model::PROTECTED_PATHS),
            Self::Role { name, includes } if includes.is_empty() => write!(f, "role {name}"),
            Self::Role { name, includes } => write!(f, "role {name} includes {}", includes.join(", ")),
            Self::Set { kind, name, items } => {
                write!(f, "{} {name} =", kind.keyword())?;
                list(f, items)
            }
            Self::Tool { name, body: ToolBody::Whole(parameters) } => {
                write!(f, "tool {name}")?;
                self::parameters(f, parameters)
            }
            Self::Tool { name, body: ToolBody::Operations(operations) } => {
                writeln!(f, "tool {name} {{")?;
                operations.iter().try_for_each(|operation| writeln!(f, "  {operation}"))?;
                write!(f, "}}")
            }
            Self::Rule(rule) => write!(f, "{rule}"),
            Self::Budget(budget) => write!(f, "{budget}"),
            Self::Assert(assert) => write!(f, "{assert}"),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "op {}", self.name)?;
        parameters(f, &self.parameters)
    }
}

fn parameters(f: &mut fmt::Formatter<'_>, parameters: &[Parameter]) -> fmt::Result {
    if parameters.is_empty() {
        return Ok(());
    }
    let all: Vec<String> = parameters.iter().map(|one| format!("{}: {}", one.name, one.type_name)).collect();
    write!(f, "({})", all.join(", "))
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (effect, who) = (self.effect.as_str(), subjects(&self.subjects));
        write!(f, "rule {}:\n  {effect} {who} to {}", self.name, self.operations.join(", "))?;
        if let Some(condition) = &self.condition {
            write!(f, "\n  where {condition}")?;
        }
        for (place, bound) in self.limits.iter().enumerate() {
            write!(f, "{}{bound}", if place == 0 { "\n  limit " } else { ", " })?;
        }
        if !self.requirements.is_empty() {
            write!(f, "\n  require {}", self.requirements.join(", "))?;
        }
        if let Some(code) = &self.code {
            write!(f, "\n  code {code}")?;
        }
        match &self.because {
            Some(reason) => write!(f, "\n  because {}", quoted(reason)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (who, what) = (subjects(&self.subjects), self.operations.join(", "));
        write!(f, "budget {}: {who} {what} {} per {}", self.name, self.bound, self.period)
    }
}

impl fmt::Display for Assert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (who, what) = (subjects(&self.subjects), self.operations.join(", "));
        write!(f, "assert {}: never {who} to {what}", self.name)?;
        match &self.condition {
            Some(condition) => write!(f, " where {condition}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} <= {}", self.attribute, self.most)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.unit {
            Some(unit) => write!(f, "{} {unit}", self.digits),
            None => f.write_str(&self.digits),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(&quoted(text)),
            Self::Set(name) => f.write_str(name),
            Self::Quantity(quantity) => write!(f, "{quantity}"),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(parts) => joined(f, parts, " and "),
            Self::Any(parts) => joined(f, parts, " or "),
            Self::Not(part) => match **part {
                Self::All(_) | Self::Any(_) => write!(f, "not ({part})"),
                _ => write!(f, "not {part}"),
            },
            Self::Flag(name) => f.write_str(name),
            Self::In(attribute, items) => {
                write!(f, "{attribute} in")?;
                list(f, items)
            }
            Self::Text(attribute, operator, text) => write!(f, "{attribute} {} {}", operator.as_str(), quoted(text)),
            Self::Number(attribute, operator, most) => write!(f, "{attribute} {} {most}", operator.as_str()),
            Self::Matches(attribute, regex) => write!(f, "{attribute} matches {}", quoted_regex(regex)),
        }
    }
}

/// `and` binds tighter than `or`, so an `and` inside an `or` is the one that needs no parentheses.
fn joined(f: &mut fmt::Formatter<'_>, parts: &[Condition], word: &str) -> fmt::Result {
    for (place, part) in parts.iter().enumerate() {
        if place > 0 {
            f.write_str(word)?;
        }
        match part {
            Condition::All(_) if word == " or " => write!(f, "{part}")?,
            Condition::All(_) | Condition::Any(_) => write!(f, "({part})")?,
            _ => write!(f, "{part}")?,
        }
    }
    Ok(())
}

/// On one line as long as one may be.
fn list(f: &mut fmt::Formatter<'_>, items: &[Item]) -> fmt::Result {
    let all: Vec<String> = items.iter().map(ToString::to_string).collect();
    let is_long = all.iter().map(String::len).sum::<usize>() > LINE_BYTES_MAX / 4;
    let comma = if is_long { ",\n    " } else { ", " };
    if all.is_empty() { Ok(()) } else { write!(f, " {}", all.join(comma)) }
}

fn subjects(roles: &[String]) -> String {
    if roles.is_empty() { "anyone".to_owned() } else { roles.join(", ") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Only `\"` and `\\` are escapes here, so `\d` stays as people write it.
fn quoted_regex(regex: &str) -> String {
    let mut text = String::from("\"");
    let mut rest = regex.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => text.push_str("\\\""),
            ('\\', None | Some('\\' | '"')) => text.push_str("\\\\"),
            (other, _) => text.push(other),
        }
    }
    text.push('"');
    text
}
