// The tests, written once. The file that includes this one says whose `sync`, `thread` and `Cell` they mean.
// Arc is the standard one, which neither tool sees: it is not part of the test, and modelling it costs executions.

use std::sync::Arc;
use sync::atomic::{AtomicUsize, Ordering};
use sync::Mutex;

fn in_parallel(count: usize, body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let threads: Vec<_> = (0..count)
        .map(|i| {
            let body = body.clone();
            thread::spawn(move || body(i))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// Thread i stores to its own cell and loads its neighbour's.
fn store_buffers(threads: usize) {
    let cells: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
    in_parallel(threads, move |i| {
        cells[i].store(1, Ordering::Release);
        cells[(i + 1) % threads].load(Ordering::Acquire);
    });
}

/// Every thread counts `rounds` times under one lock.
fn counter_with_lock(threads: usize, rounds: usize) {
    let counter = Arc::new(Mutex::new(0));
    let counted = counter.clone();
    in_parallel(threads, move |_| {
        for _ in 0..rounds {
            *counted.lock().unwrap() += 1;
        }
    });
    let counter = Arc::try_unwrap(counter).expect("every thread has ended");
    assert_eq!(counter.into_inner().unwrap(), threads * rounds);
}

/// One thread publishes plain data behind a flag; two look at the flag, and at the data if it is up.
fn published_to_two_readers() {
    let data = Cell::new(0);
    let flag = AtomicUsize::new(0);
    in_parallel(3, move |i| {
        if i == 0 {
            data.set(1);
            flag.store(1, Ordering::Release);
        } else if flag.load(Ordering::Acquire) == 1 {
            assert_eq!(data.get(), 1);
        }
    });
}

fn body_of(test: &str) -> fn() {
    match test {
        "sb2" => || store_buffers(2),
        "sb3" => || store_buffers(3),
        "mutex3x1" => || counter_with_lock(3, 1),
        "mutex3x2" => || counter_with_lock(3, 2),
        "mp3" => published_to_two_readers,
        _ => panic!("no test {test}"),
    }
}
