//! A stretch of a policy with marks in it -> styled text: for answers that are not findings.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer};
use policy_syntax::{Effect, Label, Location, Sources};

use super::human::View;
use super::visible::{visible, visible_lines};

/// A part of a policy with remarks on it.
pub(crate) struct Passage<'a> {
    pub(crate) tone: Tone,
    pub(crate) title: String,
    pub(crate) sources: &'a Sources,
    /// Shown in full if it is short, a rule for example.
    pub(crate) stretch: Option<Location>,
    /// All in the file of the stretch.
    pub(crate) marks: Vec<Label>,
    /// Places that explain the marks.
    pub(crate) context: Vec<Label>,
    /// Lines below the source, each with its label.
    pub(crate) notes: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Verdict(Effect),
    Remark(&'static str),
}

impl Passage<'_> {
    pub(crate) fn render(&self) -> String {
        let level = match self.tone {
            Tone::Verdict(Effect::Deny) => Level::ERROR.with_name("deny"),
            Tone::Verdict(Effect::Ask) => Level::WARNING.with_name("ask"),
            Tone::Verdict(Effect::Allow) => Level::HELP.with_name("allow"),
            Tone::Remark(word) => Level::NOTE.with_name(word),
        };
        let mut group = Group::with_title(level.primary_title(visible(&self.title)));
        if let Some(view) = self.view() {
            group = group.element(view.element());
        }
        for (word, note) in &self.notes {
            group = group.element(Level::NOTE.with_name(*word).message(visible_lines(note)));
        }
        let mut text = Renderer::styled().render(&[group]);
        text.push('\n');
        text
    }

    fn view(&self) -> Option<View<'_>> {
        let source = self.sources.get(self.stretch?.file)?;
        let marks = self.marks.iter().map(|label| (AnnotationKind::Primary, label));
        let context = self.context.iter().map(|label| (AnnotationKind::Context, label));
        let mut views = marks.chain(context).map(|(kind, label)| View::of(source, kind, label));
        let mut view = views.next()?;
        views.for_each(|other| view.join(other));
        Some(view.unfolded(self.stretch?.span))
    }
}
