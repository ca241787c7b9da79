//! How long one decision takes, for each engine and number of rules, with criterion.

use std::hint::black_box;

use benches::{Name, REQUESTS, SIZES, Workload};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use xtask::generate::Mix;

fn decide(c: &mut Criterion) {
    let mut group = c.benchmark_group("decide");
    group.sample_size(20);
    for rules in SIZES {
        let workload = Workload::new(Mix::Default, rules, REQUESTS);
        let asks = &workload.mixed.asks;
        for name in Name::BUILT {
            let mut engine = name.engine(&workload, asks);
            let mut place = 0;
            group.bench_function(BenchmarkId::new(name.as_str(), rules), |bencher| {
                bencher.iter(|| {
                    place = if place + 1 == asks.len() { 0 } else { place + 1 };
                    black_box(engine.judge(place))
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, decide);
criterion_main!(benches);
