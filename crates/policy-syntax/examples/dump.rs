//! dump
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(&name).unwrap();
    let mut sources = policy_syntax::Sources::default();
    let id = sources.add(policy_syntax::Source::new(name, text.clone()));
    let t = std::time::Instant::now();
    let parsed = policy_syntax::parse(id, &text);
    eprintln!("{:?} {} statements, broken {:?}", t.elapsed(), parsed.ast.statements.len(), parsed.ast.broken);
    if let Ok(f) = policy_syntax::format(id, &text) {
        println!("{f}");
        assert_eq!(policy_syntax::format(id, &f).unwrap(), f);
    }
    let s = sources.get(id).unwrap();
    for d in &parsed.diagnostics {
        let p = s.position(d.primary.at.span.start);
        println!("{}:{} {} {} | {:?}", p.line, p.column, d.code.id, d.message, d.help);
    }
}
