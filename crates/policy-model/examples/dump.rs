//! dump
fn main() {
    let name = std::env::args().nth(1).unwrap();
    let t = std::time::Instant::now();
    let c = policy_model::check(std::path::Path::new(&name), policy_model::CheckOptions::default());
    eprintln!("{:?} {}", t.elapsed(), c.model.is_some());
    for d in &c.diagnostics {
        let s = c.sources.get(d.primary.at.file).unwrap();
        let p = s.position(d.primary.at.span.start);
        println!("{}:{}:{} {} {} | {:?}", s.name(), p.line, p.column, d.code.id, d.message, d.help);
    }
}
