// SPDX-License-Identifier: BSD-2-Clause
// work.rs - fills trees in two threads for as long as it is let: completeness.sh's Rust.
use std::collections::BTreeMap;

fn work() {
    for n in 0..100000000u64 {
        let mut m = BTreeMap::new();
        for i in 0..5000u64 {
            m.insert(format!("{}", (i * 7919 + n) % 5000), i);
        }
        assert!(!m.is_empty());
    }
}

fn main() {
    let other = std::thread::spawn(work);
    work();
    other.join().unwrap();
}
