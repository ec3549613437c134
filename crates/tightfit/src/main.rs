//! The program `tightfit`.

fn main() {}
