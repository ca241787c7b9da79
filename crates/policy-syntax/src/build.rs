//! Parsed pairs -> Ast nodes. The grammar has already decided what stands where; a pair that is
//! not where the grammar puts it yields `None`, and the statement counts as unreadable.

use pest::iterators::{Pair, Pairs};

use crate::ast::{
    Assert, Bound, Budget, Clause, ClauseKind, Condition, ConditionKind, Effect, Fact, Header, Item, Name, Operation,
    Operator, Parameter, Quantity, Role, Rule as RuleNode, Set, SetKind, Statement, StatementKind, Subjects, Test,
    Text, Tool, ToolBody, Use, Value,
};
use crate::codes;
use crate::diagnostic::{Diagnostic, quote};
use crate::limits::FINDINGS_MAX;
use crate::source::{FileId, Location, Span};
use crate::words::Word;

#[derive(pest_derive::Parser)]
#[grammar = "../../grammar/policy.pest"]
pub(crate) struct Grammar;

/// Builds the nodes of one stretch of text that starts at byte `base` of its file.
pub(crate) struct Builder<'a> {
    pub(crate) file: FileId,
    pub(crate) base: usize,
    pub(crate) words: &'a [Word],
    pub(crate) found: &'a mut Vec<Diagnostic>,
}

impl Builder<'_> {
    pub(crate) fn statement(&mut self, pair: Pair<'_, Rule>) -> Option<Statement> {
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let mut inner = pair.into_inner();
        let kind = match rule {
            Rule::header => self.header(&mut inner).map(StatementKind::Header),
            Rule::import => self.import(inner).map(StatementKind::Use),
            Rule::without => find(&mut inner, Rule::pack).map(|pair| StatementKind::Without(self.name(&pair))),
            Rule::role => self.role(&mut inner).map(StatementKind::Role),
            Rule::set => self.set(&mut inner).map(StatementKind::Set),
            Rule::tool => self.tool(&mut inner).map(StatementKind::Tool),
            Rule::rule_ => self.rule(&mut inner).map(StatementKind::Rule),
            Rule::budget => self.budget(&mut inner).map(StatementKind::Budget),
            Rule::assertion => self.assertion(&mut inner).map(StatementKind::Assert),
            Rule::test => self.test(&mut inner).map(StatementKind::Test),
            _ => None,
        }?;
        Some(Statement { kind, span })
    }

    fn header(&self, inner: &mut Pairs<'_, Rule>) -> Option<Header> {
        let name = self.name(&find(inner, Rule::name)?);
        let number = find(inner, Rule::number)?;
        let language = Quantity { digits: digits(&number), unit: None, span: self.span(&number) };
        Some(Header { name, language })
    }

    fn import(&mut self, inner: Pairs<'_, Rule>) -> Option<Use> {
        let target = inner.last()?;
        match target.as_rule() {
            Rule::string => Some(Use::File(self.text(&target))),
            Rule::pack => Some(Use::Pack(self.name(&target))),
            _ => None,
        }
    }

    fn role(&self, inner: &mut Pairs<'_, Rule>) -> Option<Role> {
        let name = self.name(&find(inner, Rule::name)?);
        let includes = find(inner, Rule::names).map_or_else(Vec::new, |pair| self.names(pair));
        Some(Role { name, includes })
    }

    fn set(&mut self, inner: &mut Pairs<'_, Rule>) -> Option<Set> {
        let kind = SetKind::of_keyword(find(inner, Rule::kw_set)?.as_str())?;
        let name = self.name(&find(inner, Rule::name)?);
        let items = self.items(find(inner, Rule::items)?)?;
        Some(Set { kind, name, items })
    }

    fn tool(&self, inner: &mut Pairs<'_, Rule>) -> Option<Tool> {
        let name = self.name(&find(inner, Rule::name)?);
        let body = match inner.next() {
            None => ToolBody::Whole(Vec::new()),
            Some(pair) if pair.as_rule() == Rule::parameters => ToolBody::Whole(self.parameters(pair)?),
            Some(pair) => {
                let operations = all(pair, Rule::operation).map(|pair| self.operation(pair));
                ToolBody::Operations(operations.collect::<Option<_>>()?)
            }
        };
        Some(Tool { name, body })
    }

    fn operation(&self, pair: Pair<'_, Rule>) -> Option<Operation> {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let name = self.name(&find(&mut inner, Rule::any_word)?);
        let parameters = match inner.next() {
            Some(pair) => self.parameters(pair)?,
            None => Vec::new(),
        };
        Some(Operation { name, parameters, span })
    }

    fn parameters(&self, pair: Pair<'_, Rule>) -> Option<Vec<Parameter>> {
        all(pair, Rule::parameter)
            .map(|pair| {
                let mut inner = pair.into_inner();
                let name = self.name(&find(&mut inner, Rule::attribute)?);
                let type_name = self.name(&find(&mut inner, Rule::any_word)?);
                Some(Parameter { name, type_name })
            })
            .collect()
    }

    fn rule(&mut self, inner: &mut Pairs<'_, Rule>) -> Option<RuleNode> {
        let name = self.name(&find(inner, Rule::name)?);
        let (effect, effect_span) = self.effect(&find(inner, Rule::effect)?)?;
        let subjects = self.subjects(find(inner, Rule::subjects)?)?;
        let operations = self.operations(find(inner, Rule::operations)?);
        let clauses: Vec<Clause> = inner.map(|pair| self.clause(pair)).collect::<Option<_>>()?;
        self.report_repeated(&clauses);
        Some(RuleNode { name, effect, effect_span, subjects, operations, clauses })
    }

    pub(crate) fn clause(&mut self, pair: Pair<'_, Rule>) -> Option<Clause> {
        let pair = pair.into_inner().next()?;
        let span = self.span(&pair);
        let rule = pair.as_rule();
        let kind = match rule {
            Rule::where_ => ClauseKind::Where(self.condition(find(&mut pair.into_inner(), Rule::condition)?)?),
            Rule::limit => {
                let bounds = all(pair, Rule::bound).map(|pair| self.bound(&mut pair.into_inner()));
                ClauseKind::Limit(bounds.collect::<Option<_>>()?)
            }
            Rule::require => ClauseKind::Require(all(pair, Rule::obligation).map(|pair| self.name(&pair)).collect()),
            Rule::code => ClauseKind::Code(self.name(&find(&mut pair.into_inner(), Rule::reason_code)?)),
            Rule::because => ClauseKind::Because(self.text(&find(&mut pair.into_inner(), Rule::string)?)),
            _ => return None,
        };
        Some(Clause { kind, span })
    }

    fn report_repeated(&mut self, clauses: &[Clause]) {
        for (index, clause) in clauses.iter().enumerate() {
            let keyword = clause.kind.keyword();
            let earlier = clauses.iter().take(index).find(|c| c.kind.keyword() == keyword);
            if let Some(earlier) = earlier {
                let help = match clause.kind {
                    ClauseKind::Where(_) => "join the conditions with `and` or `or`",
                    ClauseKind::Limit(_) | ClauseKind::Require(_) => "join the two lists with a comma",
                    ClauseKind::Code(_) | ClauseKind::Because(_) => "keep one of them",
                };
                let message = format!("the rule has two `{keyword}` clauses");
                self.report(
                    Diagnostic::new(codes::REPEATED_CLAUSE, self.at(clause.span), message)
                        .also(self.at(earlier.span), "the first one is here")
                        .help(help),
                );
            }
        }
    }

    fn budget(&self, inner: &mut Pairs<'_, Rule>) -> Option<Budget> {
        Some(Budget {
            name: self.name(&find(inner, Rule::name)?),
            subjects: self.subjects(find(inner, Rule::subjects)?)?,
            operations: self.operations(find(inner, Rule::operations)?),
            bound: self.bound(inner)?,
            period: self.name(&find(inner, Rule::period)?),
        })
    }

    fn assertion(&mut self, inner: &mut Pairs<'_, Rule>) -> Option<Assert> {
        let name = self.name(&find(inner, Rule::name)?);
        let subjects = self.subjects(find(inner, Rule::subjects)?)?;
        let operations = self.operations(find(inner, Rule::operations)?);
        let condition = match find(inner, Rule::where_) {
            Some(pair) => Some(self.condition(find(&mut pair.into_inner(), Rule::condition)?)?),
            None => None,
        };
        Some(Assert { name, subjects, operations, condition })
    }

    fn test(&mut self, inner: &mut Pairs<'_, Rule>) -> Option<Test> {
        let name = self.name(&find(inner, Rule::name)?);
        let roles = self.subjects(find(inner, Rule::subjects)?)?;
        let operation = self.name(&find(inner, Rule::operation_name)?);
        let mut facts = Vec::new();
        let mut expected = None;
        let mut by = None;
        for pair in inner {
            match pair.as_rule() {
                Rule::given => facts.push(self.fact(pair)?),
                Rule::effect => expected = self.effect(&pair),
                Rule::expected_rule => by = Some(self.name(&find(&mut pair.into_inner(), Rule::name)?)),
                _ => {}
            }
        }
        let (expected, expected_span) = expected?;
        Some(Test { name, roles, operation, facts, expected, expected_span, by })
    }

    fn fact(&mut self, pair: Pair<'_, Rule>) -> Option<Fact> {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let attribute = self.name(&inner.next()?);
        let value = match inner.next() {
            None => None,
            Some(pair) => Some(self.value(pair)?),
        };
        Some(Fact { attribute, value, span })
    }

    fn condition(&mut self, pair: Pair<'_, Rule>) -> Option<Condition> {
        let span = self.span(&pair);
        let parts: Vec<_> = all(pair, Rule::conjunction).map(|pair| self.conjunction(pair)).collect::<Option<_>>()?;
        joined(parts, span, ConditionKind::Any)
    }

    fn conjunction(&mut self, pair: Pair<'_, Rule>) -> Option<Condition> {
        let span = self.span(&pair);
        let parts: Vec<_> = all(pair, Rule::negation).map(|pair| self.negation(pair)).collect::<Option<_>>()?;
        joined(parts, span, ConditionKind::All)
    }

    fn negation(&mut self, pair: Pair<'_, Rule>) -> Option<Condition> {
        let end = self.span(&pair).end;
        let mut nots = Vec::new();
        let mut operand = None;
        for inner in pair.into_inner() {
            match inner.as_rule() {
                Rule::kw_not => nots.push(self.span(&inner).start),
                Rule::group => operand = self.group(inner),
                _ => operand = self.comparison(inner),
            }
        }
        let mut condition = operand?;
        for start in nots.into_iter().rev() {
            condition = Condition { kind: ConditionKind::Not(Box::new(condition)), span: Span { start, end } };
        }
        Some(condition)
    }

    fn group(&mut self, pair: Pair<'_, Rule>) -> Option<Condition> {
        let span = self.span(&pair);
        let inside = self.condition(find(&mut pair.into_inner(), Rule::condition)?)?;
        Some(Condition { kind: ConditionKind::Group(Box::new(inside)), span })
    }

    fn comparison(&mut self, pair: Pair<'_, Rule>) -> Option<Condition> {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let attribute = self.name(&inner.next()?);
        let kind = match inner.next() {
            None => ConditionKind::Flag(attribute),
            Some(pair) => match pair.as_rule() {
                Rule::membership => {
                    let items = self.items(find(&mut pair.into_inner(), Rule::items)?)?;
                    ConditionKind::In(attribute, items)
                }
                Rule::matching => {
                    let pattern = self.regex(&find(&mut pair.into_inner(), Rule::string)?);
                    ConditionKind::Matches(attribute, pattern)
                }
                _ => {
                    let mut inner = pair.into_inner();
                    let operator = operator(inner.next()?.as_str())?;
                    ConditionKind::Compare(attribute, operator, self.value(inner.next()?)?)
                }
            },
        };
        Some(Condition { kind, span })
    }

    fn items(&mut self, pair: Pair<'_, Rule>) -> Option<Vec<Item>> {
        all(pair, Rule::item)
            .map(|pair| {
                let pair = pair.into_inner().next()?;
                match pair.as_rule() {
                    Rule::string => Some(Item::Text(self.text(&pair))),
                    Rule::quantity => self.quantity(pair).map(Item::Quantity),
                    Rule::name => Some(Item::Set(self.name(&pair))),
                    _ => None,
                }
            })
            .collect()
    }

    fn value(&mut self, pair: Pair<'_, Rule>) -> Option<Value> {
        match pair.as_rule() {
            Rule::string => Some(Value::Text(self.text(&pair))),
            _ => self.quantity(pair).map(Value::Quantity),
        }
    }

    fn bound(&self, inner: &mut Pairs<'_, Rule>) -> Option<Bound> {
        let attribute = self.name(&find(inner, Rule::attribute)?);
        let most = self.quantity(find(inner, Rule::quantity)?)?;
        Some(Bound { attribute, most })
    }

    fn quantity(&self, pair: Pair<'_, Rule>) -> Option<Quantity> {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        let digits = digits(&inner.next()?);
        let unit = inner.next().map(|pair| self.name(&pair));
        Some(Quantity { digits, unit, span })
    }

    fn subjects(&self, pair: Pair<'_, Rule>) -> Option<Subjects> {
        let pair = pair.into_inner().next()?;
        match pair.as_rule() {
            Rule::anyone => Some(Subjects::Anyone(self.span(&pair))),
            _ => Some(Subjects::Roles(self.names(pair))),
        }
    }

    fn effect(&self, pair: &Pair<'_, Rule>) -> Option<(Effect, Span)> {
        let span = self.span(pair);
        let effects = [Effect::Allow, Effect::Ask, Effect::Deny];
        let effect = effects.into_iter().find(|effect| effect.as_str() == pair.as_str())?;
        Some((effect, span))
    }

    fn names(&self, pair: Pair<'_, Rule>) -> Vec<Name> {
        all(pair, Rule::name).map(|pair| self.name(&pair)).collect()
    }

    fn operations(&self, pair: Pair<'_, Rule>) -> Vec<Name> {
        all(pair, Rule::operation_name).map(|pair| self.name(&pair)).collect()
    }

    fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Name { text: pair.as_str().to_owned(), span: self.span(pair) }
    }

    /// Reads a string, whose only escapes are `\"` and `\\`.
    fn text(&mut self, pair: &Pair<'_, Rule>) -> Text {
        let span = self.span(pair);
        let mut value = String::new();
        let mut chars = unquoted(pair.as_str()).char_indices();
        while let Some((at, c)) = chars.next() {
            if c != '\\' {
                value.push(c);
                continue;
            }
            let escaped = chars.next().map_or('\\', |(_, c)| c);
            value.push(escaped);
            if !matches!(escaped, '"' | '\\') {
                let start = span.start as usize + '"'.len_utf8() + at;
                let place = Span::new(start, start + '\\'.len_utf8() + escaped.len_utf8());
                let written = quote(&format!("\\{escaped}"));
                self.report(
                    Diagnostic::new(codes::UNKNOWN_ESCAPE, self.at(place), format!("unknown escape {written}"))
                        .help("write `\\\\` for a backslash; paths use `/`"),
                );
            }
        }
        Text { value, span }
    }

    /// Reads a regex: only `\"` and `\\` are unescaped; other escapes belong to the regex.
    fn regex(&self, pair: &Pair<'_, Rule>) -> Text {
        let mut value = String::new();
        let mut chars = unquoted(pair.as_str()).chars();
        while let Some(c) = chars.next() {
            match (c, if c == '\\' { chars.next() } else { None }) {
                ('\\', Some(escaped @ ('"' | '\\'))) => value.push(escaped),
                ('\\', Some(other)) => value.extend(['\\', other]),
                (c, _) => value.push(c),
            }
        }
        Text { value, span: self.span(pair) }
    }

    /// Returns the span of a pair. A pair whose last part is absent also covers the blanks and comments before that
    /// part, so the span is cut back to its last word.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let within = pair.as_span();
        let covered = Span::new(self.base + within.start(), self.base + within.end());
        let words_before_end = self.words.partition_point(|word| word.span.start < covered.end);
        let last = words_before_end.checked_sub(1).and_then(|index| self.words.get(index));
        let end = last.map_or(covered.start, |word| word.span.end.min(covered.end));
        Span { start: covered.start, end: end.max(covered.start) }
    }

    /// Keeps a finding up to the limit; beyond it the text is reported as having too many anyway.
    fn report(&mut self, finding: Diagnostic) {
        if self.found.len() <= FINDINGS_MAX {
            self.found.push(finding);
        }
    }

    fn at(&self, span: Span) -> Location {
        Location { file: self.file, span }
    }
}

fn joined(
    mut parts: Vec<Condition>,
    span: Span,
    join: impl FnOnce(Vec<Condition>) -> ConditionKind,
) -> Option<Condition> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(Condition { kind: join(parts), span }),
    }
}

fn operator(written: &str) -> Option<Operator> {
    Operator::ALL.into_iter().find(|operator| operator.as_str() == written)
}

fn digits(pair: &Pair<'_, Rule>) -> String {
    pair.as_str().replace('_', "")
}

fn unquoted(written: &str) -> &str {
    written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(written)
}

fn find<'i>(inner: &mut Pairs<'i, Rule>, rule: Rule) -> Option<Pair<'i, Rule>> {
    inner.find(|pair| pair.as_rule() == rule)
}

fn all<'i>(pair: Pair<'i, Rule>, rule: Rule) -> impl Iterator<Item = Pair<'i, Rule>> {
    pair.into_inner().filter(move |pair| pair.as_rule() == rule)
}
