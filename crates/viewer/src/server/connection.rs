//! Connections with a limit of their number and of their silence, so that sockets that are opened and left cost
//! nothing for long. A WebSocket answers a ping every two seconds, so only dead ones are silent.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// A listener that waits when too many connections are open.
pub(super) struct LimitedListener {
    listener: TcpListener,
    places: Arc<Semaphore>,
    silence: Duration,
}

impl LimitedListener {
    pub(super) fn new(listener: TcpListener, most: usize, silence: Duration) -> Self {
        Self { listener, places: Arc::new(Semaphore::new(most)), silence }
    }
}

impl Listener for LimitedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let place = self.places.clone().acquire_owned().await.ok();
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // small frames must not wait for one another
        let _ = stream.set_nodelay(true);
        let connection = Connection {
            stream,
            silence: self.silence,
            closing: Box::pin(sleep(self.silence)),
            _place: place,
        };
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends when its client is silent for too long.
pub(super) struct Connection {
    stream: TcpStream,
    silence: Duration,
    closing: Pin<Box<Sleep>>,
    _place: Option<OwnedSemaphorePermit>,
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => {
                self.closing.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
            }
            ready => {
                let until = Instant::now() + self.silence;
                self.closing.as_mut().reset(until);
                ready
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
