//! A decision touches no heap, and judging an encoded request neither: counted by an allocator, in a process in which nothing else runs.

use std::alloc::System;

use benches::{Core, Judging, Workload};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use xtask::generate::Mix;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn decisions_and_judging_allocate_nothing() {
    let requests = 1_000;
    for mix in [Mix::Default, Mix::Harder] {
        let workload = Workload::new(mix, 100, requests);
        for asked in [&workload.mixed, &workload.sixty] {
            let core = Core::new(&workload.table, &asked.asks);
            let region = Region::new(COUNTING);
            let allowed = (0..core.requests()).filter(|place| core.verdict(*place) == enforce_core::Verdict::Allow);
            let allowed = allowed.count();
            assert_eq!(touched(&region), 0, "{mix:?}");
            assert!(allowed > requests / 20, "{allowed} of {requests} are allowed");
        }
    }
    let judging = Judging::new(&Workload::new(Mix::Default, 100, requests));
    let region = Region::new(COUNTING);
    let permitted = (0..judging.requests()).filter(|place| judging.in_place(*place)).count();
    assert_eq!(touched(&region), 0, "judging encoded requests");
    assert!(permitted > requests / 20, "{permitted} of {requests} are permitted");
    // An allocator that counts nothing would make every program look good.
    let region = Region::new(COUNTING);
    drop(std::hint::black_box(Box::new(0)));
    assert_eq!(touched(&region), 2);
}

fn touched(region: &Region<'_, System>) -> usize {
    let change = region.change();
    change.allocations + change.reallocations + change.deallocations
}
