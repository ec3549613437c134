/*!
Shows a simulation in a browser.

```text
Simulation ─► Session ─► description (JSON), meshes, state frames (binary) ─► page
                 ▲                                                             │
                 └──────────────────── Command (JSON) ◄────────────────────────┘
```

[`Session`] is a simulation with commands. It reads no clock and starts no thread: a server, a WebAssembly worker and a
report use the same code. `docs/protocol.md` describes every message. [`page`] is the page, built from `web/`. The
feature `server` adds the WebSocket server behind `tightfit view`.

```
use tightfit_viewer::{Command, Session};

let mut session = Session::open("peg-in-hole").expect("a built-in scene");
session.apply(Command::parse(r#"{"do":"step","count":5}"#).expect("a command")).expect("accepted");
let mut frame = Vec::new();
session.write_frame(&mut frame);
assert_eq!(frame[0], 1, "a state frame");
```
*/

#![forbid(unsafe_code)]

mod channels;
mod clearance;
mod command;
mod description;
mod frame;
mod glb;
mod hand;
mod heat;
mod log_recording;
mod mcap;
mod mesh;
mod mirror;
pub mod page;
mod recorded_frame;
mod recording;
#[cfg(feature = "server")]
pub mod server;
mod session;
mod story;
mod totals;

pub use channels::{CHANNELS, Channel};
pub use command::{Command, CommandError};
pub use frame::{FrameHeader, HEADER_BYTES, KIND_HEAT, KIND_MESH, KIND_STATE, VERSION};
pub use glb::glb;
pub use mcap::mcap;
pub use mesh::VisualMesh;
pub use mirror::MirrorEnd;
pub use recording::Recording;
pub use session::{Session, SessionError};
pub use story::PHASES;
