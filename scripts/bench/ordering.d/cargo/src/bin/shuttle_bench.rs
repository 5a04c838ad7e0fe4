//! The tests under shuttle's depth-first search, without bounds. shuttle has one order of all operations (sequential
//! consistency) and does not look for races on plain memory.
use shuttle::{sync, thread};

/// Plain memory.
struct Cell(std::cell::UnsafeCell<usize>);
// SAFETY: shuttle's threads share one thread of the system, and an access is not interrupted.
unsafe impl Sync for Cell {}
impl Cell {
    fn new(value: usize) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }
    fn get(&self) -> usize {
        // SAFETY: as above.
        unsafe { *self.0.get() }
    }
    fn set(&self, value: usize) {
        // SAFETY: as above.
        unsafe { *self.0.get() = value };
    }
}

include!("../programs.rs");

fn main() {
    overbite_bench_ordering::measure(|test| {
        let body = body_of(test);
        let mut config = shuttle::Config::new();
        config.failure_persistence = shuttle::FailurePersistence::None;
        config.silence_warnings = true; // that it knows no weaker order: said above
        let search = shuttle::scheduler::DfsScheduler::new(None, false);
        shuttle::Runner::new(search, config).run(move || {
            overbite_bench_ordering::execution_started();
            body();
        });
    });
}
