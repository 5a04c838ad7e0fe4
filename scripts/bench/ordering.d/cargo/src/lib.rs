//! What both programs share: the count of executions, the limit, and the line they print.
//!
//! usage: <program> TEST LIMIT_S STEADY_S
//! One exploration of TEST from a cold start, given up after LIMIT_S seconds of processor time; then, if it took
//! less than STEADY_S, the same again until STEADY_S have passed. One line of JSON on stdout.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::OnceLock;
use std::time::Instant;

/// Executions started. Not a modelled atomic: the tools do not see it.
static EXECUTIONS: AtomicU64 = AtomicU64::new(0);
static LIMIT_NS: AtomicU64 = AtomicU64::new(u64::MAX);
static START_NS: AtomicU64 = AtomicU64::new(0);
static START: OnceLock<Instant> = OnceLock::new();

/// Processor time of this process.
fn cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

fn print_line(complete: bool, executions: u64, cpu_s: f64, wall_s: f64, rate: f64) {
    println!(
        "{{\"complete\": {complete}, \"executions\": {executions}, \"cut\": 0, \"cpu_s\": {cpu_s:.9}, \
         \"wall_s\": {wall_s:.9}, \"rate_per_s\": {rate:.1}}}"
    );
}

/// The first thing a body does. The clock is looked at seldom, because looking costs a system call.
pub fn execution_started() {
    let executions = EXECUTIONS.fetch_add(1, Ordering::Relaxed) + 1;
    if executions & 63 != 0 {
        return;
    }
    let cpu = cpu_ns() - START_NS.load(Ordering::Relaxed);
    if cpu < LIMIT_NS.load(Ordering::Relaxed) {
        return;
    }
    let cpu_s = seconds(cpu);
    let wall_s = START.get().expect("set before the first").elapsed().as_secs_f64();
    print_line(false, executions, cpu_s, wall_s, executions as f64 / cpu_s);
    // The exploration is left in the middle: nothing of it may be unwound.
    // SAFETY: nothing runs after it.
    unsafe { libc::_exit(0) };
}

/// Measures `explore`, which explores the test of that name completely each time it is called.
pub fn measure(explore: impl Fn(&str)) {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, test, limit, steady] = arguments.as_slice() else {
        eprintln!("usage: {} TEST LIMIT_S STEADY_S", arguments[0]);
        std::process::exit(2);
    };
    let to_ns = |s: &str| (s.parse::<f64>().expect("a number of seconds") * 1e9) as u64;
    let steady_ns = to_ns(steady);

    LIMIT_NS.store(to_ns(limit), Ordering::Relaxed);
    let (wall, cpu) = (*START.get_or_init(Instant::now), cpu_ns());
    START_NS.store(cpu, Ordering::Relaxed);
    explore(test);
    let (wall_s, first_ns) = (wall.elapsed().as_secs_f64(), cpu_ns() - cpu);
    let executions = EXECUTIONS.load(Ordering::Relaxed);

    LIMIT_NS.store(u64::MAX, Ordering::Relaxed);
    let (mut done, mut spent_ns) = (executions, first_ns);
    if first_ns < steady_ns {
        // Looking at the clock is a system call, and some explorations take no longer: not after each.
        let start = cpu_ns();
        let mut batch = 1;
        spent_ns = 0;
        while spent_ns < steady_ns {
            batch *= if spent_ns < steady_ns / 8 { 2 } else { 1 };
            for _ in 0..batch {
                explore(test);
            }
            spent_ns = cpu_ns() - start;
        }
        done = EXECUTIONS.load(Ordering::Relaxed) - executions;
    }
    print_line(
        true,
        executions,
        seconds(first_ns),
        wall_s,
        done as f64 / seconds(spent_ns),
    );
}
