//! Every row of a table in vectors of its own, to be written, broken and read back.

use table_format::{
    Ask, Attribute, Budget, Cell, Digest, Group, Lane, Limit, Node, Operation, Parts, Role, Rule, RuleId, Run, Section,
    Span, State, Table, Terms, TextRef, WriteError, encoded_len, write,
};

/// What [`Parts`] borrows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) sources: Digest,
    pub(crate) name: TextRef,
    pub(crate) roles: Vec<Role>,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) terms: Vec<Terms>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) budgets: Vec<Budget>,
    pub(crate) lanes: Vec<Lane>,
    pub(crate) groups: Vec<Group>,
    pub(crate) states: Vec<State>,
    pub(crate) runs: Vec<Run>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) words: Vec<u32>,
    pub(crate) texts: Vec<u8>,
}

/// What a writer made of a draft.
pub(crate) struct Written {
    /// Whether it is a table.
    pub(crate) outcome: Result<Digest, WriteError>,
    /// All of it, with the right digest, also when it is none.
    pub(crate) bytes: Vec<u8>,
}

impl Draft {
    pub(crate) fn parts(&self) -> Parts<'_> {
        Parts {
            sources: self.sources,
            name: self.name,
            roles: &self.roles,
            attributes: &self.attributes,
            operations: &self.operations,
            rules: &self.rules,
            terms: &self.terms,
            limits: &self.limits,
            budgets: &self.budgets,
            lanes: &self.lanes,
            groups: &self.groups,
            states: &self.states,
            runs: &self.runs,
            cells: &self.cells,
            nodes: &self.nodes,
            words: &self.words,
            texts: &self.texts,
        }
    }

    /// Says where operations ask groups what the rows of the groups say.
    pub(crate) fn repeat_groups(&mut self) {
        for operation in &self.operations {
            for place in 0..usize::from(operation.groups) {
                let ask = len(operation.group_list) + place * Ask::WORDS;
                let group = self.words[ask];
                if let Some(row) = self.groups.get(len(group)) {
                    self.words[ask..ask + Ask::WORDS].copy_from_slice(&Ask { group, row: *row }.words());
                }
            }
        }
    }

    pub(crate) fn write(&self, hash: impl Fn(&[&[u8]]) -> Digest) -> Written {
        let mut bytes = vec![0; encoded_len(&self.parts()).unwrap_or_default()];
        let outcome = write(&self.parts(), &mut bytes, hash);
        Written { outcome, bytes }
    }

    /// Everything that a table says. Terms are read through the rules that come to them, and texts
    /// through the rows that name them.
    pub(crate) fn read(table: &Table<'_>) -> Self {
        let counts = |section: Section| {
            let counts = Section::ALL.into_iter().zip(table.header().counts);
            counts.into_iter().find(|(other, _)| *other == section).map_or(0, |(_, count)| count)
        };
        let rules: Vec<Rule> = rows(counts(Section::Rules), |row| table.rule(RuleId(row)));
        let mut terms: Vec<Option<Terms>> = vec![None; len(counts(Section::Terms))];
        for (number, rule) in (0..).zip(&rules) {
            terms[len(rule.terms)] = table.terms(RuleId(number));
        }
        let mut draft = Self {
            sources: table.header().sources,
            name: table.header().name,
            roles: table.roles().filter_map(|role| table.role(role)).collect(),
            attributes: rows(counts(Section::Attributes), |row| table.attribute(row)),
            operations: table.operations().filter_map(|operation| table.operation(operation)).collect(),
            rules,
            terms: terms.into_iter().flatten().collect(),
            limits: table.limits(Span { first: 0, count: counts(Section::Limits) }).collect(),
            budgets: rows(counts(Section::Budgets), |row| table.budget(row)),
            lanes: rows(counts(Section::Lanes), |row| table.lane(row)),
            groups: rows(counts(Section::Groups), |row| table.group(row)),
            states: rows(counts(Section::States), |row| table.state(row)),
            runs: rows(counts(Section::Runs), |row| table.run(row)),
            cells: rows(counts(Section::Cells), |row| table.cell(row)),
            nodes: rows(counts(Section::Nodes), |row| table.node(row)),
            words: rows(counts(Section::Words), |row| table.word(row)),
            texts: vec![0; len(counts(Section::Texts))],
        };
        for text in draft.text_refs() {
            let bytes = table.text(text).as_bytes();
            let place = len(text.0);
            draft.texts[place..place + 2].copy_from_slice(&u16::try_from(bytes.len()).unwrap().to_le_bytes());
            draft.texts[place + 2..place + 2 + bytes.len()].copy_from_slice(bytes);
        }
        draft
    }

    /// Every place in `texts` that a row names.
    fn text_refs(&self) -> Vec<TextRef> {
        let mut refs = vec![self.name];
        refs.extend(self.roles.iter().map(|role| role.name));
        refs.extend(self.attributes.iter().map(|attribute| attribute.name));
        refs.extend(self.operations.iter().flat_map(|operation| [operation.name, operation.denial_code]));
        refs.extend(self.rules.iter().map(|rule| rule.name));
        for terms in &self.terms {
            refs.extend(terms.code.into_iter().chain(terms.because));
            let first = len(terms.requirements.first);
            refs.extend(self.words[first..first + len(terms.requirements.count)].iter().copied().map(TextRef));
        }
        refs.extend(self.budgets.iter().map(|budget| budget.name));
        refs
    }

    /// In which sections, and in which of their rows, two drafts differ. What stands in the header counts as
    /// one row without a section.
    pub(crate) fn differences(&self, other: &Self) -> Vec<(Option<Section>, usize)> {
        let mut found = Vec::new();
        if (self.sources, self.name) != (other.sources, other.name) {
            found.push((None, 0));
        }
        let mut rows = |section, unequal: Vec<usize>| found.extend(unequal.into_iter().map(|row| (Some(section), row)));
        rows(Section::Roles, unequal(&self.roles, &other.roles));
        rows(Section::Attributes, unequal(&self.attributes, &other.attributes));
        rows(Section::Operations, unequal(&self.operations, &other.operations));
        rows(Section::Rules, unequal(&self.rules, &other.rules));
        rows(Section::Terms, unequal(&self.terms, &other.terms));
        rows(Section::Limits, unequal(&self.limits, &other.limits));
        rows(Section::Budgets, unequal(&self.budgets, &other.budgets));
        rows(Section::Lanes, unequal(&self.lanes, &other.lanes));
        rows(Section::Groups, unequal(&self.groups, &other.groups));
        rows(Section::States, unequal(&self.states, &other.states));
        rows(Section::Runs, unequal(&self.runs, &other.runs));
        rows(Section::Cells, unequal(&self.cells, &other.cells));
        rows(Section::Nodes, unequal(&self.nodes, &other.nodes));
        rows(Section::Words, unequal(&self.words, &other.words));
        rows(Section::Texts, unequal(&self.texts, &other.texts));
        found
    }
}

fn rows<T>(count: u32, row: impl Fn(u32) -> Option<T>) -> Vec<T> {
    (0..count).map(|number| row(number).unwrap()).collect()
}

fn unequal<T: PartialEq>(left: &[T], right: &[T]) -> Vec<usize> {
    let places = 0..left.len().max(right.len());
    places.filter(|place| left.get(*place) != right.get(*place)).collect()
}

fn len(number: u32) -> usize {
    usize::try_from(number).unwrap()
}
