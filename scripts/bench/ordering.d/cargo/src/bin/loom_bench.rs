//! The tests under loom, exhaustive: no preemption bound.
use loom::{sync, thread};

/// Plain memory, watched for races.
struct Cell(loom::cell::UnsafeCell<usize>);
// SAFETY: loom checks that no two threads are in it at once.
unsafe impl Sync for Cell {}
impl Cell {
    fn new(value: usize) -> Self {
        Self(loom::cell::UnsafeCell::new(value))
    }
    fn get(&self) -> usize {
        // SAFETY: as above.
        self.0.with(|at| unsafe { *at })
    }
    fn set(&self, value: usize) {
        // SAFETY: as above.
        self.0.with_mut(|at| unsafe { *at = value });
    }
}

include!("../programs.rs");

fn main() {
    overbite_bench_ordering::measure(|test| {
        let body = body_of(test);
        let mut model = loom::model::Builder::new();
        model.preemption_bound = None;
        model.max_branches = 100_000;
        model.check(move || {
            overbite_bench_ordering::execution_started();
            body();
        });
    });
}
