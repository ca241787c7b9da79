//! Text -> pieces, so that a policy of the repository can be taken apart like a generated one.

use policy_syntax as syntax;
use policy_syntax::{ClauseKind, ConditionKind, Name, Severity, Source, Sources, StatementKind, Use, Value};

use super::{
    Assert, Bound, Budget, Condition, Item, Operation, Parameter, Policy, Quantity, Rule, Statement, ToolBody,
};

impl Policy {
    /// The pieces of a policy; none when the text is no policy, or when it imports a file.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let parsed = syntax::parse(Sources::default().add(Source::new("", "")), text);
        if parsed.diagnostics.iter().any(|finding| finding.code.severity == Severity::Error) {
            return None;
        }
        let mut statements = Vec::new();
        for written in &parsed.ast.statements {
            match &written.kind {
                StatementKind::Header(_) | StatementKind::Test(_) => {}
                StatementKind::Use(Use::File(_)) => return None,
                other => statements.extend(statement(other)),
            }
        }
        Some(Self { statements })
    }
}

fn statement(written: &StatementKind) -> Option<Statement> {
    Some(match written {
        StatementKind::Header(_) | StatementKind::Test(_) | StatementKind::Use(Use::File(_)) => return None,
        StatementKind::Use(Use::Pack(pack)) => Statement::Use(pack.text.clone()),
        StatementKind::Without(_) => Statement::WithoutProtection,
        StatementKind::Role(role) => Statement::Role { name: role.name.text.clone(), includes: words(&role.includes) },
        StatementKind::Set(set) => {
            Statement::Set { kind: set.kind, name: set.name.text.clone(), items: set.items.iter().map(item).collect() }
        }
        StatementKind::Tool(tool) => {
            let body = match &tool.body {
                syntax::ToolBody::Operations(operations) => {
                    ToolBody::Operations(operations.iter().map(operation).collect())
                }
                syntax::ToolBody::Whole(all) => ToolBody::Whole(parameters(all)),
            };
            Statement::Tool { name: tool.name.text.clone(), body }
        }
        StatementKind::Rule(written) => Statement::Rule(rule(written)),
        StatementKind::Budget(budget) => Statement::Budget(Budget {
            name: budget.name.text.clone(),
            subjects: subjects(&budget.subjects),
            operations: words(&budget.operations),
            bound: bound(&budget.bound),
            period: budget.period.text.clone(),
        }),
        StatementKind::Assert(assert) => Statement::Assert(Assert {
            name: assert.name.text.clone(),
            subjects: subjects(&assert.subjects),
            operations: words(&assert.operations),
            condition: assert.condition.as_ref().map(condition),
        }),
    })
}

fn rule(written: &syntax::Rule) -> Rule {
    let mut rule = Rule {
        name: written.name.text.clone(),
        effect: written.effect,
        subjects: subjects(&written.subjects),
        operations: words(&written.operations),
        condition: None,
        limits: Vec::new(),
        requirements: Vec::new(),
        code: None,
        because: None,
    };
    for clause in &written.clauses {
        match &clause.kind {
            ClauseKind::Where(written) => rule.condition = Some(condition(written)),
            ClauseKind::Limit(bounds) => rule.limits = bounds.iter().map(bound).collect(),
            ClauseKind::Require(names) => rule.requirements = words(names),
            ClauseKind::Code(code) => rule.code = Some(code.text.clone()),
            ClauseKind::Because(reason) => rule.because = Some(reason.value.clone()),
        }
    }
    rule
}

fn condition(written: &syntax::Condition) -> Condition {
    match &written.kind {
        ConditionKind::All(parts) => Condition::All(parts.iter().map(condition).collect()),
        ConditionKind::Any(parts) => Condition::Any(parts.iter().map(condition).collect()),
        ConditionKind::Not(part) => Condition::Not(Box::new(condition(part))),
        ConditionKind::Group(part) => condition(part),
        ConditionKind::Flag(name) => Condition::Flag(name.text.clone()),
        ConditionKind::In(name, items) => Condition::In(name.text.clone(), items.iter().map(item).collect()),
        ConditionKind::Matches(name, regex) => Condition::Matches(name.text.clone(), regex.value.clone()),
        ConditionKind::Compare(name, operator, Value::Text(text)) => {
            Condition::Text(name.text.clone(), *operator, text.value.clone())
        }
        ConditionKind::Compare(name, operator, Value::Quantity(most)) => {
            Condition::Number(name.text.clone(), *operator, quantity(most))
        }
    }
}

fn item(written: &syntax::Item) -> Item {
    match written {
        syntax::Item::Text(text) => Item::Text(text.value.clone()),
        syntax::Item::Quantity(number) => Item::Quantity(quantity(number)),
        syntax::Item::Set(name) => Item::Set(name.text.clone()),
    }
}

fn operation(written: &syntax::Operation) -> Operation {
    Operation { name: written.name.text.clone(), parameters: parameters(&written.parameters) }
}

fn parameters(written: &[syntax::Parameter]) -> Vec<Parameter> {
    let one = |parameter: &syntax::Parameter| Parameter {
        name: parameter.name.text.clone(),
        type_name: parameter.type_name.text.clone(),
    };
    written.iter().map(one).collect()
}

fn bound(written: &syntax::Bound) -> Bound {
    Bound { attribute: written.attribute.text.clone(), most: quantity(&written.most) }
}

fn quantity(written: &syntax::Quantity) -> Quantity {
    Quantity { digits: written.digits.clone(), unit: written.unit.as_ref().map(|unit| unit.text.clone()) }
}

fn subjects(written: &syntax::Subjects) -> Vec<String> {
    match written {
        syntax::Subjects::Anyone(_) => Vec::new(),
        syntax::Subjects::Roles(names) => words(names),
    }
}

fn words(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| name.text.clone()).collect()
}
