//! Ast -> where lines may or must break. Knows the shape of statements, not how to print them.

use crate::ast::{
    Ast, Clause, ClauseKind, Condition, ConditionKind, Item, Name, Parameter, Statement, StatementKind, Subjects,
    ToolBody,
};
use crate::source::Span;
use crate::words::Word;

/// The line break before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Break {
    None,
    Always {
        indent: usize,
    },
    /// A new line if the group does not fit on one line.
    WithGroup {
        group: usize,
        indent: usize,
    },
}

/// Words that break together or not at all, by index; `end` is exclusive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

/// The possible line breaks of a file.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    words: &'a [Word],
    pub(crate) breaks: Vec<Break>,
    pub(crate) groups: Vec<Group>,
    /// Words that follow the previous one without a blank, although their sign would have one.
    pub(crate) glued: Vec<bool>,
    /// For each word, the statement that starts there.
    pub(crate) statements: Vec<Option<Opening>>,
}

/// The separation of a statement from its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Blank lines around it, whatever its neighbours are.
    Block,
    /// No blank line between neighbours with the same number.
    Line(u8),
}

pub(crate) fn lay_out<'a>(ast: &Ast, words: &'a [Word]) -> Layout<'a> {
    let mut layout = Layout {
        words,
        breaks: vec![Break::None; words.len()],
        groups: Vec::new(),
        glued: vec![false; words.len()],
        statements: vec![None; words.len()],
    };
    for statement in &ast.statements {
        layout.statement(statement);
    }
    layout
}

impl Layout<'_> {
    fn statement(&mut self, statement: &Statement) {
        let first = self.index(statement.span.start);
        self.always(first, 0);
        if let Some(opening) = self.statements.get_mut(first) {
            *opening = Some(opening_of(&statement.kind));
        }
        match &statement.kind {
            StatementKind::Header(_) | StatementKind::Use(_) | StatementKind::Without(_) => {}
            StatementKind::Role(role) => self.list(role.includes.iter().map(|name| name.span), 1),
            StatementKind::Set(set) => self.list(set.items.iter().map(Item::span), 1),
            StatementKind::Tool(tool) => match &tool.body {
                ToolBody::Whole(parameters) => self.parameters(parameters, 1),
                ToolBody::Operations(operations) => {
                    for operation in operations {
                        self.always(self.index(operation.span.start), 1);
                        self.parameters(&operation.parameters, 2);
                    }
                    let close = self.last(statement.span);
                    match operations.is_empty() {
                        true => self.glue(close),
                        false => self.always(close, 0),
                    }
                }
            },
            StatementKind::Rule(rule) => {
                self.always(self.index(rule.effect_span.start), 1);
                if let Subjects::Roles(names) = &rule.subjects {
                    self.names(names, 2);
                }
                self.names(&rule.operations, 2);
                for clause in &rule.clauses {
                    self.clause(clause);
                }
            }
            StatementKind::Budget(budget) => {
                let group = self.group(statement.span);
                for start in [subjects_start(&budget.subjects), budget.bound.attribute.span.start] {
                    self.with_group(self.index(start), group, 1);
                }
            }
            StatementKind::Assert(assert) => {
                let never = self.index(subjects_start(&assert.subjects)).saturating_sub(1);
                let condition = assert.condition.as_ref().map(|c| self.index(c.span.start).saturating_sub(1));
                let group = self.group(statement.span);
                for word in [Some(never), condition].into_iter().flatten() {
                    self.with_group(word, group, 1);
                }
                if let Some(condition) = &assert.condition {
                    self.condition(condition, 2);
                }
            }
            StatementKind::Test(test) => {
                let roles = subjects_start(&test.roles);
                let arrow = self.index(test.expected_span.start).saturating_sub(1);
                let group = self.group(statement.span);
                self.with_group(self.index(roles), group, 1);
                self.with_group(arrow, group, 1);
            }
        }
    }

    fn clause(&mut self, clause: &Clause) {
        self.always(self.index(clause.span.start), 1);
        match &clause.kind {
            ClauseKind::Where(condition) => self.condition(condition, 2),
            ClauseKind::Limit(bounds) => {
                self.list(bounds.iter().map(|bound| bound.attribute.span.to(bound.most.span)), 2);
            }
            ClauseKind::Require(names) => self.names(names, 2),
            ClauseKind::Code(_) | ClauseKind::Because(_) => {}
        }
    }

    /// Breaks before each `and` or `or`. The parts break only if they do not fit themselves.
    fn condition(&mut self, condition: &Condition, indent: usize) {
        match &condition.kind {
            ConditionKind::All(parts) | ConditionKind::Any(parts) => {
                let group = self.group(condition.span);
                for part in parts.iter().skip(1) {
                    self.with_group(self.index(part.span.start).saturating_sub(1), group, indent);
                }
                for part in parts {
                    self.condition(part, indent.saturating_add(1));
                }
            }
            ConditionKind::Not(inner) | ConditionKind::Group(inner) => self.condition(inner, indent),
            ConditionKind::In(_, items) => self.list(items.iter().map(Item::span), indent),
            ConditionKind::Flag(_) | ConditionKind::Matches(..) | ConditionKind::Compare(..) => {}
        }
    }

    fn names(&mut self, names: &[Name], indent: usize) {
        self.list(names.iter().map(|name| name.span), indent);
    }

    fn parameters(&mut self, parameters: &[Parameter], indent: usize) {
        let Some(first) = parameters.first() else {
            return;
        };
        self.glue(self.index(first.name.span.start).saturating_sub(1));
        self.list(parameters.iter().map(|p| p.name.span.to(p.type_name.span)), indent);
    }

    /// Places list members side by side, or one on each line.
    fn list(&mut self, members: impl Iterator<Item = Span>, indent: usize) {
        let members: Vec<Span> = members.collect();
        let Some(all) = members.iter().copied().reduce(Span::to) else {
            return;
        };
        let group = self.group(all);
        for member in members {
            self.with_group(self.index(member.start), group, indent);
        }
    }

    fn group(&mut self, span: Span) -> usize {
        let first = self.index(span.start);
        let end = self.words.partition_point(|word| word.span.start < span.end);
        self.groups.push(Group { first, end });
        self.groups.len().saturating_sub(1)
    }

    fn always(&mut self, word: usize, indent: usize) {
        self.set(word, Break::Always { indent });
    }

    fn with_group(&mut self, word: usize, group: usize, indent: usize) {
        self.set(word, Break::WithGroup { group, indent });
    }

    /// Sets a break unless the word already has one.
    fn set(&mut self, word: usize, wanted: Break) {
        if let Some(place) = self.breaks.get_mut(word)
            && *place == Break::None
        {
            *place = wanted;
        }
    }

    fn glue(&mut self, word: usize) {
        if let Some(glued) = self.glued.get_mut(word) {
            *glued = true;
        }
    }

    fn index(&self, offset: u32) -> usize {
        self.words.partition_point(|word| word.span.start < offset)
    }

    fn last(&self, span: Span) -> usize {
        self.words.partition_point(|word| word.span.start < span.end).saturating_sub(1)
    }
}

fn subjects_start(subjects: &Subjects) -> u32 {
    match subjects {
        Subjects::Anyone(span) => span.start,
        Subjects::Roles(names) => names.first().map_or(0, |name| name.span.start),
    }
}

fn opening_of(kind: &StatementKind) -> Opening {
    match kind {
        StatementKind::Tool(_) | StatementKind::Rule(_) => Opening::Block,
        StatementKind::Header(_) => Opening::Line(0),
        StatementKind::Use(_) | StatementKind::Without(_) => Opening::Line(1),
        StatementKind::Role(_) => Opening::Line(2),
        StatementKind::Set(_) => Opening::Line(3),
        StatementKind::Budget(_) => Opening::Line(4),
        StatementKind::Assert(_) => Opening::Line(5),
        StatementKind::Test(_) => Opening::Line(6),
    }
}
