//! Text on the standard output, which the reader may close at any time: `tightfit scenes | head -1`.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// The reader has closed the output: not a failure, but printing stops.
#[derive(Debug)]
pub(crate) struct Closed;

impl std::fmt::Display for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the reader has closed the output")
    }
}

impl std::error::Error for Closed {}

/// Writes to the standard output; [`put!`] and [`say!`] are its short forms.
pub(crate) fn write(text: Arguments<'_>) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Closed.into()),
        other => Ok(other?),
    }
}

/// Like `print!`, but a closed output is an error that ends the program without a message.
macro_rules! put {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*))? };
}

/// Like `println!`, but a closed output is an error that ends the program without a message.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($text)*)))? };
}

pub(crate) use {put, say};
