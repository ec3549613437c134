//! A device behind a WebSocket: the binary frames of the UDP door, for programs and pages that cannot send datagrams.
//!
//! A thread accepts one connection at a time and keeps the newest sample; the loop never waits for it. The address must
//! hold the token, `ws://HOST:PORT/?token=HEX`, so that no page without it gets in.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use super::frame::{INPUT_BYTES_WITH_HAND, SampleFrame, WrenchFrame};
use super::{Device, DeviceDescription, DeviceSample, DeviceWrench};

/// Longest handshake.
const SLOWEST_START: Duration = Duration::from_secs(2);
/// Longest wait for a message before the newest wrench is sent.
const PAUSE: Duration = Duration::from_millis(1);
/// Silence after which a connection is closed, in pauses.
const MOST_PAUSES: u32 = 5000;

#[derive(Debug, Default)]
struct Shared {
    sample: Option<DeviceSample>,
    wrench: Option<DeviceWrench>,
    refused: u64,
}

/// The door for WebSockets.
#[derive(Debug)]
pub struct WebSocketDevice {
    shared: Arc<Mutex<Shared>>,
    address: SocketAddr,
    description: DeviceDescription,
}

impl WebSocketDevice {
    /// Listens on an address; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address or a thread cannot be had.
    pub fn bind(address: impl ToSocketAddrs, token: u64, description: DeviceDescription) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Mutex::new(Shared::default()));
        let own = shared.clone();
        std::thread::Builder::new().name("device socket".into()).spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, token, &own);
            }
        })?;
        Ok(Self { shared, address, description })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Messages that were dropped as malformed.
    #[must_use]
    pub fn refused(&self) -> u64 {
        lock(&self.shared).refused
    }
}

fn lock(shared: &Mutex<Shared>) -> std::sync::MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One connection, until it ends.
#[allow(clippy::result_large_err, reason = "the type of the handshake's answer is given")]
fn serve(stream: TcpStream, token: u64, shared: &Mutex<Shared>) -> Result<(), ()> {
    stream.set_nodelay(true).map_err(drop)?;
    stream.set_read_timeout(Some(SLOWEST_START)).map_err(drop)?;
    stream.set_write_timeout(Some(SLOWEST_START)).map_err(drop)?;
    let wanted = format!("token={token:016x}");
    let check = |request: &Request, response: Response| {
        let query = request.uri().query().unwrap_or("");
        match query.split('&').any(|pair| pair == wanted) {
            true => Ok(response),
            false => {
                let mut refusal = ErrorResponse::new(Some("the token is missing or wrong".into()));
                *refusal.status_mut() = tungstenite::http::StatusCode::FORBIDDEN;
                Err(refusal)
            }
        }
    };
    let longest = Some(4 * INPUT_BYTES_WITH_HAND);
    let limits = WebSocketConfig::default().max_message_size(longest).max_frame_size(longest);
    let mut socket = tungstenite::accept_hdr_with_config(stream, check, Some(limits)).map_err(|_| ())?;
    socket.get_ref().set_read_timeout(Some(PAUSE)).map_err(drop)?;
    exchange(&mut socket, token, shared)
}

fn exchange(socket: &mut WebSocket<TcpStream>, token: u64, shared: &Mutex<Shared>) -> Result<(), ()> {
    let (mut newest, mut pauses) = (None, 0);
    loop {
        match socket.read() {
            Ok(Message::Binary(bytes)) => {
                pauses = 0;
                match SampleFrame::parse(&bytes, token) {
                    Ok(frame) if newest.is_none_or(|sequence| frame.is_after(sequence)) => {
                        newest = Some(frame.sequence);
                        lock(shared).sample = Some(frame.sample);
                    }
                    _ => lock(shared).refused += 1,
                }
            }
            Ok(Message::Close(_)) => return Err(()),
            Ok(Message::Text(_)) => lock(shared).refused += 1,
            Ok(_) => {}
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) =>
            {
                pauses += 1;
                if pauses > MOST_PAUSES {
                    return Err(());
                }
            }
            Err(_) => return Err(()),
        }
        let wrench = lock(shared).wrench.take();
        if let (Some(wrench), Some(sequence)) = (wrench, newest) {
            let frame = WrenchFrame { sequence, wrench };
            socket.send(Message::Binary(frame.bytes().to_vec().into())).map_err(|_| ())?;
        }
    }
}

impl Device for WebSocketDevice {
    fn description(&self) -> DeviceDescription {
        self.description
    }

    fn read(&mut self, _elapsed: f64) -> Option<DeviceSample> {
        lock(&self.shared).sample.take()
    }

    fn write(&mut self, wrench: &DeviceWrench) {
        lock(&self.shared).wrench = Some(*wrench);
    }
}
