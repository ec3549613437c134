//! A device on the network, by datagrams: the frame with the newest sequence counts, nothing waits.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use super::frame::{INPUT_BYTES_WITH_HAND, SampleFrame, WrenchFrame};
use super::{Device, DeviceDescription, DeviceSample, DeviceWrench};

/// Datagrams that are read per tick, at most: a flood delays no tick.
const MOST_PER_TICK: usize = 64;
/// Ticks of silence after which another sender may take over.
const TICKS_OF_SILENCE: u32 = 1000;

/// The door for datagrams.
#[derive(Debug)]
pub struct UdpDevice {
    socket: UdpSocket,
    token: u64,
    description: DeviceDescription,
    sender: Option<SocketAddr>,
    sequence: u32,
    silence: u32,
    refused: u64,
}

impl UdpDevice {
    /// Listens on an address; port 0 takes a free one. Frames need the token.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn bind(address: impl ToSocketAddrs, token: u64, description: DeviceDescription) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        Ok(Self { socket, token, description, sender: None, sequence: 0, silence: 0, refused: 0 })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Datagrams that were dropped: malformed, out of order, or of another sender.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused
    }

    fn accepts(&self, frame: &SampleFrame, sender: SocketAddr) -> bool {
        match self.sender {
            Some(known) if known == sender => frame.is_after(self.sequence),
            Some(_) => self.silence > TICKS_OF_SILENCE,
            None => true,
        }
    }
}

impl Device for UdpDevice {
    fn description(&self) -> DeviceDescription {
        self.description
    }

    fn read(&mut self, _elapsed: f64) -> Option<DeviceSample> {
        let mut newest = None;
        // one byte more, so that a longer datagram does not pass for a frame
        let mut bytes = [0; INPUT_BYTES_WITH_HAND + 1];
        for _ in 0..MOST_PER_TICK {
            let Ok((length, sender)) = self.socket.recv_from(&mut bytes) else { break };
            match SampleFrame::parse(&bytes[..length], self.token) {
                Ok(frame) if self.accepts(&frame, sender) => {
                    (self.sender, self.sequence) = (Some(sender), frame.sequence);
                    newest = Some(frame.sample);
                }
                _ => self.refused += 1,
            }
        }
        self.silence = if newest.is_some() { 0 } else { self.silence.saturating_add(1) };
        newest
    }

    fn write(&mut self, wrench: &DeviceWrench) {
        if let Some(sender) = self.sender {
            let frame = WrenchFrame { sequence: self.sequence, wrench: *wrench };
            // a lost wrench is replaced by the next one
            let _ = self.socket.send_to(&frame.bytes(), sender);
        }
    }
}
