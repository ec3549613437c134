//! The server behind `tightfit view`: the page, and a WebSocket with frames and commands.
//!
//! ```text
//! thread of the simulation: Session ──► watch: latest scene, frame, heat ──► one task per client
//!                              ▲                                                │
//!                              └──────────── channel of orders ◄────────────────┘
//! ```
//!
//! A client gets the latest frame, never a queue: one that reads slowly skips frames, one that never reads is closed.
//! Commands need the token of this start; a request with another Host or Origin is refused.

mod access;
mod client;
mod connection;
mod simulation_thread;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::sync::watch;

use crate::{Recording, Session, page};
pub use access::new_token;
use connection::LimitedListener;
use simulation_thread::{Order, Shown};

/// Connections beside those of clients: pages that load.
const SPARE_CONNECTIONS: usize = 64;

/// Address, limits and token of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// Token that a WebSocket must give.
    pub token: String,
    /// Frames of state per second, at most.
    pub frame_rate: f64,
    /// Most clients at a time.
    pub most_clients: usize,
    /// Longest message of a client [bytes].
    pub longest_message: usize,
    /// Messages of a client per second; more are delayed.
    pub message_rate: f64,
    /// A connection on which nothing arrives for longer is closed.
    pub silence: Duration,
}

impl Default for ServerOptions {
    /// A free port of the loopback address, 60 frames/s, 128 clients, 64 KiB and 500 messages/s.
    fn default() -> Self {
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], 0)),
            token: new_token(),
            frame_rate: 60.0,
            most_clients: 128,
            longest_message: 64 * 1024,
            message_rate: 500.0,
            silence: Duration::from_secs(30),
        }
    }
}

/// What a server shows.
pub enum Content {
    /// A simulation that runs and takes commands.
    Live(Box<Session>),
    /// Recorded runs.
    Recordings(Vec<Recording>),
}

/// A server that listens but does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    options: ServerOptions,
    content: Content,
}

/// What every request sees.
#[derive(Clone)]
struct Shared {
    options: Arc<ServerOptions>,
    address: SocketAddr,
    shown: watch::Receiver<Arc<Shown>>,
    frame: watch::Receiver<Arc<Vec<u8>>>,
    heat: watch::Receiver<Arc<Vec<u8>>>,
    orders: Option<mpsc::SyncSender<Order>>,
    clients: Arc<AtomicUsize>,
    next_client: Arc<AtomicU64>,
}

impl Server {
    /// Takes the port.
    ///
    /// # Errors
    /// When the address is in use or not one of this machine.
    pub fn bind(content: Content, options: ServerOptions) -> io::Result<Self> {
        let listener = TcpListener::bind(options.address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address, options, content })
    }

    /// Address of the page, with the token.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/?token={}", self.address, self.options.token)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// When threads or sockets are refused by the system.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> io::Result<()> {
        let (shown, frame, heat, orders) = simulation_thread::start(self.content, self.options.frame_rate)?;
        let (most, silence) = (self.options.most_clients + SPARE_CONNECTIONS, self.options.silence);
        let shared = Shared {
            options: Arc::new(self.options),
            address: self.address,
            shown,
            frame,
            heat,
            orders,
            clients: Arc::default(),
            next_client: Arc::default(),
        };
        let router = Router::new()
            .route(
                "/",
                get(|state, headers| {
                    file(state, headers, "text/html; charset=utf-8", page::LIVE_HTML.into())
                }),
            )
            .route(
                "/view.js",
                get(|state, headers| file(state, headers, "text/javascript", page::SCRIPT.into())),
            )
            .route("/view.css", get(|state, headers| file(state, headers, "text/css", page::STYLE.into())))
            .route("/log.csv", get(log))
            .route("/socket", get(socket))
            .with_state(shared);
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        axum::serve(LimitedListener::new(listener, most, silence), router).await
    }
}

/// Headers that keep the page to itself.
const HEADERS: [(header::HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
         img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

async fn file(
    State(shared): State<Shared>,
    headers: HeaderMap,
    kind: &'static str,
    text: String,
) -> Response {
    if !access::is_our_host(&headers, shared.address) {
        return refused();
    }
    let mut response = text.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[derive(Deserialize)]
struct Credentials {
    #[serde(default)]
    token: String,
}

fn is_allowed(shared: &Shared, headers: &HeaderMap, credentials: &Credentials) -> bool {
    access::is_our_host(headers, shared.address)
        && access::is_our_origin(headers)
        && access::is_equal(&credentials.token, &shared.options.token)
}

fn refused() -> Response {
    (StatusCode::FORBIDDEN, "refused: open the address that `tightfit view` printed\n").into_response()
}

async fn log(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Query(credentials): Query<Credentials>,
) -> Response {
    if !is_allowed(&shared, &headers, &credentials) {
        return refused();
    }
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sent = shared.orders.is_some_and(|orders| orders.try_send(Order::Log(sender)).is_ok());
    let text = match tokio::time::timeout(Duration::from_secs(20), receiver).await {
        Ok(Ok(Ok(text))) if sent => text,
        Ok(Ok(Err(reason))) => return (StatusCode::INTERNAL_SERVER_ERROR, reason).into_response(),
        _ => return (StatusCode::NOT_FOUND, "there is no live run\n").into_response(),
    };
    let headers = [
        (header::CONTENT_TYPE, "text/csv"),
        (header::CONTENT_DISPOSITION, "attachment; filename=tightfit-run.csv"),
    ];
    (headers, text).into_response()
}

async fn socket(
    State(shared): State<Shared>,
    headers: HeaderMap,
    Query(credentials): Query<Credentials>,
    upgrade: WebSocketUpgrade,
) -> Response {
    if !is_allowed(&shared, &headers, &credentials) {
        return refused();
    }
    if shared.clients.fetch_add(1, Ordering::Relaxed) >= shared.options.most_clients {
        shared.clients.fetch_sub(1, Ordering::Relaxed);
        let text = format!("{} clients are connected; close one\n", shared.options.most_clients);
        return (StatusCode::SERVICE_UNAVAILABLE, text).into_response();
    }
    let longest = shared.options.longest_message;
    upgrade.max_message_size(longest).max_frame_size(longest).max_write_buffer_size(64 << 20).on_upgrade(
        move |socket| async move {
            let clients = shared.clients.clone();
            client::serve(socket, shared).await;
            clients.fetch_sub(1, Ordering::Relaxed);
        },
    )
}
