//! How long reading and resolving a policy takes as it grows: the time for each rule should not.

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use policy_model::{CheckOptions, Memory, check_in};
use policy_syntax::{Source, Sources, format, parse};

fn growth(c: &mut Criterion) {
    let mut group = c.benchmark_group("check");
    group.sample_size(10);
    for rules in [1_000, 10_000, 100_000] {
        let files = xtask::generate::policy(rules, SEED);
        let memory = files.iter().fold(Memory::default(), |all, (name, text)| all.with(name, text.as_bytes()));
        group.throughput(Throughput::Elements(rules as u64));
        group.bench_with_input(BenchmarkId::new("parse", rules), &files, |bencher, files| {
            bencher.iter(|| {
                let mut sources = Sources::default();
                let statements = files.iter().map(|(name, text)| {
                    let file = sources.add(Source::new(name, text.as_str()));
                    parse(file, text).ast.statements.len()
                });
                black_box(statements.sum::<usize>())
            });
        });
        group.bench_with_input(BenchmarkId::new("parse+model", rules), &memory, |bencher, memory| {
            bencher.iter(|| {
                black_box(check_in(memory, Path::new("main.policy"), CheckOptions::default()).model.is_some())
            });
        });
    }
    group.finish();
}

fn example(c: &mut Criterion) {
    let text = include_str!("../../../policies/examples/coding-agent.policy");
    let memory = Memory::default().with("coding-agent.policy", text);
    let mut group = c.benchmark_group("coding-agent");
    group.bench_function("check", |bencher| {
        bencher.iter(|| check_in(&memory, Path::new("coding-agent.policy"), CheckOptions::default()).model.is_some());
    });
    group.bench_function("format", |bencher| {
        let file = Sources::default().add(Source::new("coding-agent.policy", text));
        bencher.iter(|| format(file, text).map(|text| text.len()).unwrap_or_default());
    });
    group.finish();
}

const SEED: u64 = 1;

criterion_group!(benches, growth, example);
criterion_main!(benches);
