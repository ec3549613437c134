//! The thread that owns the simulation: it keeps pace with the clock, carries out orders and publishes frames.

use std::io;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::Content;
use crate::{Command, Session};

/// Orders that may wait.
const WAITING: usize = 1024;
/// Longest pause between two looks at the clock.
const TICK: Duration = Duration::from_millis(2);
/// Longest work of the simulation between two looks at the orders.
const SLICE: Duration = Duration::from_millis(12);
/// A hand whose client is silent for longer lets go.
const HAND_SILENCE: Duration = Duration::from_millis(600);
/// Time between heat maps, at least; they cost a query per vertex.
const HEAT_PAUSE: Duration = Duration::from_millis(150);

/// What is sent once, and again when the scene changes.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) descriptions: Vec<String>,
    pub(super) blocks: Vec<Vec<u8>>,
}

/// What the clients want from the simulation.
pub(super) enum Order {
    Command {
        client: u64,
        command: Command,
        replies: tokio::sync::mpsc::Sender<String>,
    },
    /// A client is there.
    Joined,
    /// A client is gone.
    Lost(u64),
    /// The log of the run so far as CSV text.
    Log(oneshot::Sender<Result<String, String>>),
}

type Channels = (
    watch::Receiver<Arc<Shown>>,
    watch::Receiver<Arc<Vec<u8>>>,
    watch::Receiver<Arc<Vec<u8>>>,
    Option<mpsc::SyncSender<Order>>,
);

/// Starts the thread of a live session; recordings need none.
pub(super) fn start(content: Content, frame_rate: f64) -> io::Result<Channels> {
    match content {
        Content::Recordings(recordings) => {
            let blocks = recordings.iter().flat_map(|one| one.meshes().iter().chain(one.frames()).cloned());
            let shown = Shown {
                descriptions: recordings.iter().map(|one| one.description().to_string()).collect(),
                blocks: blocks.collect(),
            };
            let nothing = || watch::channel(Arc::new(Vec::new())).1;
            Ok((watch::channel(Arc::new(shown)).1, nothing(), nothing(), None))
        }
        Content::Live(session) => {
            let (orders, ordered) = mpsc::sync_channel(WAITING);
            let (shown, shown_to) = watch::channel(Arc::new(shown_of(&session)));
            let (frame, frame_to) = watch::channel(Arc::new(Vec::new()));
            let (heat, heat_to) = watch::channel(Arc::new(Vec::new()));
            let mut worker = Worker {
                session: *session,
                shown,
                frame,
                heat,
                ordered,
                hand: None,
                clients: 0,
                has_begun: false,
                frame_rate,
            };
            std::thread::Builder::new().name("simulation".into()).spawn(move || worker.work())?;
            Ok((shown_to, frame_to, heat_to, Some(orders)))
        }
    }
}

fn shown_of(session: &Session) -> Shown {
    Shown { descriptions: vec![session.description()], blocks: session.mesh_messages() }
}

struct Worker {
    session: Session,
    shown: watch::Sender<Arc<Shown>>,
    frame: watch::Sender<Arc<Vec<u8>>>,
    heat: watch::Sender<Arc<Vec<u8>>>,
    ordered: mpsc::Receiver<Order>,
    /// Client whose hand moves a part, and when it last said so.
    hand: Option<(u64, Instant)>,
    /// Clients that are connected. The first one sees the run from its start.
    clients: usize,
    has_begun: bool,
    frame_rate: f64,
}

impl Worker {
    fn work(&mut self) {
        let mut last = Instant::now();
        let mut last_frame = last;
        let mut last_heat = last;
        let mut generation = self.session.generation();
        let mut is_new = true;
        let pause = Duration::from_secs_f64(1.0 / self.frame_rate.clamp(1.0, 240.0));
        loop {
            match self.ordered.recv_timeout(TICK) {
                Ok(order) => {
                    self.obey(order);
                    // frames go on while orders keep coming
                    while last_frame.elapsed() < pause
                        && let Ok(order) = self.ordered.try_recv()
                    {
                        self.obey(order);
                    }
                    is_new = true;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            if self.hand.is_some_and(|(_, since)| since.elapsed() > HAND_SILENCE) {
                self.session.release();
                self.hand = None;
            }
            let now = Instant::now();
            let passed = now.duration_since(last).as_secs_f64();
            last = now;
            if self.has_begun {
                is_new |= self.session.advance(passed, || now.elapsed() < SLICE) > 0;
            }
            if self.session.generation() != generation {
                generation = self.session.generation();
                self.shown.send_replace(Arc::new(shown_of(&self.session)));
            }
            if is_new && last_frame.elapsed() >= pause {
                let mut bytes = Vec::new();
                self.session.write_frame(&mut bytes);
                self.frame.send_replace(Arc::new(bytes));
                // the next frame is due one pause after this one was, not after it was sent
                let now = Instant::now();
                last_frame = (last_frame + pause).max(now.checked_sub(pause).unwrap_or(now));
                is_new = false;
                if last_heat.elapsed() > HEAT_PAUSE
                    && let Some(heat) = self.session.heat_message()
                {
                    self.heat.send_replace(Arc::new(heat));
                    last_heat = Instant::now();
                }
            }
        }
    }

    fn obey(&mut self, order: Order) {
        match order {
            Order::Joined => {
                self.clients += 1;
                // a page that is opened after the end, with nobody else watching, sees the run again
                if self.clients == 1 && self.session.is_over() {
                    let _ = self.session.apply(Command::Reset {});
                }
                self.has_begun = true;
            }
            Order::Lost(client) => {
                self.clients = self.clients.saturating_sub(1);
                if self.hand.is_some_and(|(holder, _)| holder == client) {
                    self.session.release();
                    self.hand = None;
                }
            }
            Order::Log(sender) => {
                let _ = sender.send(log_text(&self.session));
            }
            Order::Command { client, command, replies } => {
                match &command {
                    Command::Drag { .. } => self.hand = Some((client, Instant::now())),
                    Command::Move { linear, angular, .. } => {
                        let is_still = linear.iter().chain(angular).all(|value| *value == 0.0);
                        self.hand = (!is_still).then(|| (client, Instant::now()));
                    }
                    Command::Release {} => self.hand = None,
                    _ => {}
                }
                if let Err(error) = self.session.apply(command) {
                    let _ = replies.try_send(error.to_string());
                }
            }
        }
    }
}

/// The log as CSV text, through a file that is removed.
fn log_text(session: &Session) -> Result<String, String> {
    let name = format!("tightfit-{}-{}.csv", std::process::id(), super::new_token());
    let path = std::env::temp_dir().join(name);
    let written = session.write_log(&path).map_err(|error| error.to_string());
    let text = written.and_then(|()| std::fs::read_to_string(&path).map_err(|error| error.to_string()));
    let _ = std::fs::remove_file(&path);
    text
}
