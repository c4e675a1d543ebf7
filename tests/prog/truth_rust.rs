// SPDX-License-Identifier: BSD-2-Clause
//! truth_rust - fact: its whole stacks; rustc keeps no frame pointers.
//!
//! usage: truth_rust [SECONDS] MODE
//!
//! SECONDS (default 1) is CPU time. Nearly all of it is spent in spin_truth(), at the end of a chain:
//!	plain	main, outer, middle, spin_truth
//!	deep	main, recurse (100 times), spin_truth
//!	sort	main, sorts, (slices' sort), compare, spin_truth
//!	thread	enters, outer, middle, spin_truth: on a thread of std's
//!	panic	main, panics, (std's frames), passed, (drop), spin_truth: while a panic unwinds
use std::hint::black_box;

#[repr(C)]
struct Timespec {
    sec: i64,
    nsec: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, at: *mut Timespec) -> i32;
}

/// CPU time of the process, in seconds.
fn cpu() -> f64 {
    let mut t = Timespec { sec: 0, nsec: 0 };
    unsafe { clock_gettime(2, &mut t) };
    t.sec as f64 + t.nsec as f64 / 1e9
}

#[no_mangle]
#[inline(never)]
pub extern "C" fn spin_truth() {
    for i in 0..300_000u32 {
        black_box(i);
    }
}

#[no_mangle]
#[inline(never)]
pub fn middle() {
    spin_truth();
    black_box(());
}

#[no_mangle]
#[inline(never)]
pub fn outer(end: f64) {
    while cpu() < end {
        middle();
    }
    black_box(());
}

#[no_mangle]
#[inline(never)]
pub fn enters(end: f64) {
    outer(end);
    black_box(());
}

#[no_mangle]
#[inline(never)]
pub fn recurse(depth: u32, end: f64) -> u32 {
    if depth > 1 {
        return black_box(recurse(depth - 1, end)) + 1;
    }
    while cpu() < end {
        spin_truth();
    }
    black_box(1)
}

#[no_mangle]
#[inline(never)]
pub fn compare(a: &u32, b: &u32) -> std::cmp::Ordering {
    spin_truth();
    black_box(a.cmp(b))
}

#[no_mangle]
#[inline(never)]
pub fn sorts(end: f64) {
    while cpu() < end {
        let mut v = black_box(vec![5u32, 3, 8, 1, 9, 2, 7]);
        v.sort_by(compare);
        black_box(&v);
    }
}

struct Guard;

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        spin_truth();
        black_box(());
    }
}

#[no_mangle]
#[inline(never)]
pub fn passed() {
    let _guard = Guard;
    std::panic::resume_unwind(Box::new(1));
}

#[no_mangle]
#[inline(never)]
pub fn panics(end: f64) {
    while cpu() < end {
        let _ = black_box(std::panic::catch_unwind(passed));
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mode = args.last().unwrap().as_str();
    let seconds = if args.len() > 2 { args[1].parse().unwrap() } else { 1.0 };
    let end = cpu() + seconds;
    match mode {
        "plain" => outer(end),
        "deep" => {
            black_box(recurse(100, end));
        }
        "sort" => sorts(end),
        "panic" => panics(end),
        "thread" => std::thread::spawn(move || enters(end)).join().unwrap(),
        _ => {
            eprintln!("truth_rust: no such mode: {mode}");
            std::process::exit(2);
        }
    }
    black_box(());
}
