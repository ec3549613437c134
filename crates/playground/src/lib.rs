/*!
The viewer's session for a browser: `web/playground/worker.js` calls these functions and posts the same messages as the
server of `tightfit view`.

Bytes go in one by one and come out through a buffer in the module's memory, so no function reads a pointer. Nothing here
reads a clock or starts a thread.
*/

#![allow(
    unsafe_code,
    reason = "exported names of a WebAssembly module need `no_mangle`, which counts as unsafe"
)]

use std::cell::RefCell;

use tightfit_viewer::{Command, Session};

/// Longest input [bytes].
const LONGEST: usize = 1 << 20;

#[derive(Default)]
struct Playground {
    session: Option<Session>,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static PLAYGROUND: RefCell<Playground> = RefCell::default();
}

fn with<R>(work: impl FnOnce(&mut Playground) -> R) -> R {
    PLAYGROUND.with_borrow_mut(work)
}

impl Playground {
    /// Takes the input as text.
    fn text(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.input)).into_owned()
    }

    /// Puts an error into the output; 0 says that there is one.
    fn refuse(&mut self, error: &dyn std::fmt::Display) -> u32 {
        self.output = error.to_string().into_bytes();
        0
    }

    fn put(&mut self, bytes: Vec<u8>) -> u32 {
        self.output = bytes;
        self.output.len() as u32
    }
}

/// Appends a byte to the input.
#[unsafe(no_mangle)]
pub extern "C" fn input(byte: u32) {
    with(|own| {
        if own.input.len() < LONGEST {
            own.input.push(byte as u8);
        }
    });
}

/// Address of the output in the module's memory.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> usize {
    with(|own| own.output.as_ptr() as usize)
}

/// Length of the output [bytes].
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    with(|own| own.output.len())
}

/// Opens the built-in scene whose name is the input; returns 1, or 0 with the error in the output.
#[unsafe(no_mangle)]
pub extern "C" fn open() -> u32 {
    with(|own| {
        let name = own.text();
        match Session::open(&name) {
            Ok(session) => {
                own.session = Some(session);
                1
            }
            Err(error) => own.refuse(&error),
        }
    })
}

/// Carries out the command in the input; returns 1, or 0 with the error in the output.
#[unsafe(no_mangle)]
pub extern "C" fn command() -> u32 {
    with(|own| {
        let text = own.text();
        let command = match Command::parse(&text) {
            Ok(command) => command,
            Err(error) => return own.refuse(&error),
        };
        let result = match &mut own.session {
            Some(session) => session.apply(command),
            None => return own.refuse(&"no scene is open"),
        };
        match result {
            Ok(()) => 1,
            Err(error) => own.refuse(&error),
        }
    })
}

/// Steps for `seconds` of real time, `most` steps at most; returns the number of steps.
#[unsafe(no_mangle)]
pub extern "C" fn advance(seconds: f64, most: u32) -> u32 {
    with(|own| {
        let mut left = most;
        let mut may_go_on = || {
            left = left.saturating_sub(1);
            left > 0
        };
        own.session.as_mut().map_or(0, |session| session.advance(seconds, &mut may_go_on) as u32)
    })
}

/// Lets go of the part.
#[unsafe(no_mangle)]
pub extern "C" fn release() {
    with(|own| {
        if let Some(session) = &mut own.session {
            session.release();
        }
    });
}

/// Number of the scene description.
#[unsafe(no_mangle)]
pub extern "C" fn generation() -> u32 {
    with(|own| own.session.as_ref().map_or(0, Session::generation))
}

/// Puts the scene description into the output; returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn description() -> u32 {
    with(|own| {
        let text = own.session.as_ref().map(Session::description).unwrap_or_default();
        own.put(text.into_bytes())
    })
}

/// Puts mesh message `index` into the output; returns its length, 0 after the last.
#[unsafe(no_mangle)]
pub extern "C" fn mesh(index: u32) -> u32 {
    with(|own| {
        let meshes = own.session.as_ref().map(Session::mesh_messages).unwrap_or_default();
        own.put(meshes.into_iter().nth(index as usize).unwrap_or_default())
    })
}

/// Puts the state frame into the output; returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn frame() -> u32 {
    with(|own| {
        let mut bytes = std::mem::take(&mut own.output);
        match &mut own.session {
            Some(session) => session.write_frame(&mut bytes),
            None => bytes.clear(),
        }
        own.put(bytes)
    })
}

/// Puts the heat map into the output; returns its length, 0 where none was ordered.
#[unsafe(no_mangle)]
pub extern "C" fn heat() -> u32 {
    with(|own| {
        let bytes = own.session.as_ref().and_then(Session::heat_message).unwrap_or_default();
        own.put(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(text: &str) {
        text.bytes().for_each(|byte| input(byte.into()));
    }

    #[test]
    fn a_scene_is_opened_and_stepped_through_the_exported_functions() {
        write("attic");
        assert_eq!(open(), 0);
        assert!(output_length() > 0, "the error is in the output");
        write("peg-in-hole");
        assert_eq!(open(), 1);
        assert!(description() > 1000 && mesh(1) > 1000 && mesh(2) == 0);
        write("{\"do\":\"step\",\"count\":4}");
        assert_eq!(command(), 1);
        assert!(frame() > 40);
        write("{\"do\":\"fly\"}");
        assert_eq!(command(), 0);
        write("{\"do\":\"play\"}");
        assert_eq!((command(), advance(0.03, 100)), (1, 3));
    }
}
