//! Report -> styled text for people: each finding with the lines it is about and marks under them.
//!
//! Only lines with marks are rendered, and a long line is cut after its mark, so the cost of a finding
//! does not depend on the size of the file.

use std::borrow::Cow;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use policy_syntax::{Label, Severity, Source, Span};

use super::counted;
use super::visible::{visible, visible_lines, visible_source};
use crate::report::{Finding, Report};

/// Renders all findings, where to read more, and the summary on the last line.
pub(crate) fn render(report: &Report<'_>) -> String {
    let mut text = findings(&report.findings);
    text.push_str(&summary(report));
    text.push('\n');
    text
}

/// Renders findings and where to read more; empty if there are none.
pub(crate) fn findings(findings: &[Finding<'_>]) -> String {
    let renderer = Renderer::styled();
    let mut text = String::new();
    for finding in findings {
        text.push_str(&renderer.render(&[group(finding)]));
        text.push_str("\n\n");
    }
    if let Some(first) = findings.first() {
        text.push_str(&format!("for more about a finding: policyc explain-code {}\n", first.diagnostic.code.id));
    }
    text
}

fn summary(report: &Report<'_>) -> String {
    let files = report.by_file();
    if report.findings.is_empty() {
        return match report.policies.as_slice() {
            [only] => format!("{}: no findings", visible(only)),
            several => format!("{}: no findings", counted(several.len(), "file")),
        };
    }
    let counts: Vec<_> = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Note, "note")]
        .into_iter()
        .map(|(severity, thing)| (report.count(severity), thing))
        .filter(|(count, _)| *count > 0)
        .map(|(count, thing)| counted(count, thing))
        .collect();
    let with_findings = files.iter().filter(|(_, findings)| !findings.is_empty()).count();
    format!("{} in {}", counts.join(", "), counted(with_findings, "file"))
}

fn group<'a>(finding: &Finding<'a>) -> Group<'a> {
    let diagnostic = finding.diagnostic;
    let level = match finding.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.id).elements(views(finding));
    if let Some(more) = diagnostic.secondary.len().checked_sub(SECONDARY_MAX).filter(|more| *more > 0) {
        group = group.element(Level::NOTE.message(format!("and {} not shown", counted(more, "more place"))));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible_lines(help)));
    }
    group
}

/// Groups the places of a finding, the one to change first; places close together share a snippet.
fn views<'a>(finding: &Finding<'a>) -> Vec<Element<'a>> {
    let mut views: Vec<View<'a>> = Vec::new();
    let primary = (AnnotationKind::Primary, &finding.diagnostic.primary);
    let secondary =
        finding.diagnostic.secondary.iter().take(SECONDARY_MAX).map(|label| (AnnotationKind::Context, label));
    for (kind, label) in std::iter::once(primary).chain(secondary) {
        let Some(source) = finding.source(label.at) else {
            continue;
        };
        let view = View::of(source, kind, label);
        match views.iter_mut().find(|other| other.can_hold(&view)) {
            Some(other) => other.join(view),
            None => views.push(view),
        }
    }
    views.iter().map(View::element).collect()
}

/// Some lines of a source and the marks in them.
pub(super) struct View<'a> {
    source: &'a Source,
    lines: (usize, usize),
    marks: Vec<Mark<'a>>,
    /// Lines without a mark are left out.
    folds: bool,
}

struct Mark<'a> {
    kind: AnnotationKind,
    span: Span,
    text: &'a str,
}

impl<'a> View<'a> {
    pub(super) fn of(source: &'a Source, kind: AnnotationKind, label: &'a Label) -> Self {
        let mut span = label.at.span;
        let first = source.line_of(span.start);
        let mut last = source.line_of(span.end.saturating_sub(1).max(span.start));
        if last.saturating_sub(first) >= MARK_LINES_MAX || is_any_long(source, (first, last)) {
            // Its beginning says which place it is.
            last = first;
            span.end = span.end.min(source.line_span(first).end).max(span.start);
        }
        Self { source, lines: (first, last), marks: vec![Mark { kind, span, text: &label.text }], folds: true }
    }

    /// Shows every line of a stretch around its marks, unless it is long.
    pub(super) fn unfolded(mut self, stretch: Span) -> Self {
        let first = self.source.line_of(stretch.start).min(self.lines.0);
        let last = self.source.line_of(stretch.end.saturating_sub(1)).max(self.lines.1);
        if last.saturating_sub(first) < UNFOLDED_LINES_MAX && !is_any_long(self.source, (first, last)) {
            self.lines = (first, last);
            self.folds = false;
        }
        self
    }

    fn can_hold(&self, other: &Self) -> bool {
        let joined = (self.lines.0.min(other.lines.0), self.lines.1.max(other.lines.1));
        let gap = other.lines.0.max(self.lines.0).saturating_sub(other.lines.1.min(self.lines.1));
        std::ptr::eq(self.source, other.source) && gap <= GAP_LINES_MAX && !is_any_long(self.source, joined)
    }

    pub(super) fn join(&mut self, other: Self) {
        self.lines = (self.lines.0.min(other.lines.0), self.lines.1.max(other.lines.1));
        self.marks.extend(other.marks);
    }

    pub(super) fn element(&self) -> Element<'a> {
        let name = visible(self.source.name());
        let Some(shown) = self.shown() else {
            return self.origin(name).into();
        };
        let offset = |at: u32| {
            let upto = Span { start: shown.start, end: at.clamp(shown.start, shown.end) };
            visible_source(self.source.slice(upto)).len()
        };
        let annotations = self.marks.iter().map(|mark| {
            let label = (!mark.text.is_empty()).then(|| visible(mark.text));
            mark.kind.span(offset(mark.span.start)..offset(mark.span.end)).label(label)
        });
        let text = visible_source(self.source.slice(shown));
        Snippet::source(text).path(name).line_start(self.lines.0).fold(self.folds).annotations(annotations).into()
    }

    /// Returns the part of the source given to the renderer, which shows as much of it as fits a screen.
    ///
    /// It starts at the start of a line, because the renderer counts columns from there. A mark too far to the right
    /// is named but not shown.
    fn shown(&self) -> Option<Span> {
        let mark = self.marks.first().filter(|_| !self.source.text().is_empty())?;
        let start = self.source.line_span(self.lines.0).start;
        let mut end = self.source.line_span(self.lines.1).end;
        if is_any_long(self.source, self.lines) {
            let cut = mark.span.start.saturating_add(CUT_BYTES);
            end = end.min(Span::new(self.source.text().floor_char_boundary(cut as usize), 0).start);
        } else if self.source.slice(Span { start, end }).ends_with('\r') {
            end = end.saturating_sub(1);
        }
        (mark.span.start.saturating_sub(start) <= COLUMN_BYTES_MAX).then_some(Span { start, end })
    }

    fn origin(&self, name: Cow<'a, str>) -> Origin<'a> {
        let origin = Origin::path(name);
        match self.marks.first().filter(|_| !self.source.text().is_empty()) {
            Some(mark) => {
                let position = self.source.position(mark.span.start);
                origin.line(position.line).char_column(position.column)
            }
            // The file is empty or could not be read: there is no line to name.
            None => origin,
        }
    }
}

fn is_any_long(source: &Source, lines: (usize, usize)) -> bool {
    let is_long = |line| {
        let span = source.line_span(line);
        span.end.saturating_sub(span.start) > LINE_BYTES_MAX
    };
    (lines.0..=lines.1).any(is_long)
}

/// A mark over more lines is shown by its first line.
const MARK_LINES_MAX: usize = 8;

/// A longer stretch is shown by the lines with marks.
const UNFOLDED_LINES_MAX: usize = 16;

/// Marks further apart get a snippet each.
const GAP_LINES_MAX: usize = 12;

/// More secondary places are counted, not shown.
const SECONDARY_MAX: usize = 10;

/// A longer line is cut after its mark.
const LINE_BYTES_MAX: u32 = 1_000;

/// Bytes kept of a cut line from its mark on; more than any screen shows.
const CUT_BYTES: u32 = 400;

/// A mark further right is named, not shown. No line of a policy may be as long.
const COLUMN_BYTES_MAX: u32 = 16 << 10;

#[cfg(test)]
mod tests {
    use policy_syntax::{Diagnostic, FileId, Location, Sources, codes};

    use super::*;

    #[test]
    fn places_far_apart_get_a_snippet_each() {
        let (sources, file) = source(&"word\n".repeat(30));
        let diagnostic = Diagnostic::new(codes::UNEXPECTED, at(file, 0, 4), "m").also(at(file, 145, 149), "there");
        assert_eq!(
            shown(&diagnostic, &sources),
            "error[E0201]: m
  --> x.policy:1:1
   |
 1 | word
   | ^^^^
   |
  ::: x.policy:30:1
   |
30 | word
   | ---- there
"
        );
    }

    #[test]
    fn a_mark_of_many_lines_is_shown_by_its_first() {
        let (sources, file) = source(&"word\n".repeat(10_000));
        let diagnostic = Diagnostic::new(codes::UNEXPECTED, at(file, 0, 49_999), "m").label("all of it");
        assert_eq!(
            shown(&diagnostic, &sources),
            "error[E0201]: m
 --> x.policy:1:1
  |
1 | word
  | ^^^^ all of it
"
        );
    }

    #[test]
    fn a_mark_too_far_right_is_named_and_not_shown() {
        let (sources, file) = source(&format!("ü{}", "x".repeat(100_000)));
        let diagnostic = Diagnostic::new(codes::UNEXPECTED, at(file, 50_001, 50_002), "m");
        assert_eq!(shown(&diagnostic, &sources), "error[E0201]: m\n--> x.policy:1:50001\n");
    }

    #[test]
    fn a_long_line_with_two_marks_is_cut_for_each() {
        let (sources, file) = source(&"ü".repeat(4_000));
        let diagnostic = Diagnostic::new(codes::UNEXPECTED, at(file, 6_000, 8_000), "m").also(at(file, 0, 2), "there");
        let text = shown(&diagnostic, &sources);
        assert!(text.contains("--> x.policy:1:3001\n") && text.contains("::: x.policy:1:1\n"), "{text}");
        assert!(text.len() < 2_000, "{} bytes", text.len());
    }

    #[test]
    fn further_places_are_counted() {
        let (sources, file) = source("word\n");
        let one = Diagnostic::new(codes::UNEXPECTED, at(file, 0, 4), "m");
        let many = (0..12).fold(one, |diagnostic, _| diagnostic.also(at(file, 0, 4), ""));
        assert!(shown(&many, &sources).ends_with("= note: and 2 more places not shown\n"));
    }

    fn source(text: &str) -> (Sources, FileId) {
        let mut sources = Sources::default();
        let file = sources.add(Source::new("x.policy", text));
        (sources, file)
    }

    fn at(file: FileId, start: usize, end: usize) -> Location {
        Location { file, span: Span::new(start, end) }
    }

    fn shown(diagnostic: &Diagnostic, sources: &Sources) -> String {
        let text = Renderer::plain().render(&[group(&Finding { diagnostic, sources })]);
        text + "\n"
    }
}
