//! One client: frames out, commands in, and a watchdog on both.

use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};

use super::Shared;
use super::simulation_thread::Order;
use crate::Command;

/// A client that takes longer to read a message is closed.
const SLOWEST_READ: Duration = Duration::from_secs(5);
/// Time between pings.
const PING: Duration = Duration::from_secs(2);
/// A client that is silent for longer is closed: its lid was shut, or its cable pulled.
const SILENCE: Duration = Duration::from_secs(7);
/// Messages that may come at once before the rate counts.
const BURST: f64 = 200.0;

/// Serves a client until either side closes.
pub(super) async fn serve(mut socket: WebSocket, mut shared: Shared) {
    let client = shared.next_client.fetch_add(1, Ordering::Relaxed);
    if let Some(orders) = &shared.orders {
        let _ = orders.try_send(Order::Joined);
    }
    let _ = exchange(&mut socket, &mut shared, client).await;
    if let Some(orders) = &shared.orders {
        let _ = orders.try_send(Order::Lost(client));
    }
}

/// The connection is over.
struct Over;

async fn send(socket: &mut WebSocket, message: Message) -> Result<(), Over> {
    match timeout(SLOWEST_READ, socket.send(message)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(Over),
    }
}

async fn exchange(socket: &mut WebSocket, shared: &mut Shared, client: u64) -> Result<(), Over> {
    let (replies, mut replied) = tokio::sync::mpsc::channel::<String>(16);
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut heard = Instant::now();
    let mut allowance = (BURST, Instant::now());
    shared.shown.mark_changed();
    shared.frame.mark_changed();
    loop {
        tokio::select! {
            biased;
            message = socket.recv() => {
                let Some(Ok(message)) = message else { return Err(Over) };
                heard = Instant::now();
                if matches!(message, Message::Text(_) | Message::Binary(_)) {
                    wait_for_allowance(&mut allowance, shared.options.message_rate).await;
                }
                match message {
                    Message::Text(text) => order(socket, shared, client, &text, &replies).await?,
                    Message::Binary(_) => send(socket, problem("commands are text, not binary")).await?,
                    Message::Close(_) => return Err(Over),
                    Message::Ping(_) | Message::Pong(_) => {}
                }
            }
            Ok(()) = shared.shown.changed() => {
                let shown = shared.shown.borrow_and_update().clone();
                for text in &shown.descriptions {
                    send(socket, Message::Text(Utf8Bytes::from(text.as_str()))).await?;
                }
                for block in &shown.blocks {
                    send(socket, Message::Binary(block.clone().into())).await?;
                }
            }
            Some(reply) = replied.recv() => send(socket, problem(&reply)).await?,
            Ok(()) = shared.frame.changed() => {
                let frame = shared.frame.borrow_and_update().clone();
                if !frame.is_empty() {
                    send(socket, Message::Binary(frame.as_slice().to_vec().into())).await?;
                }
            }
            Ok(()) = shared.heat.changed() => {
                let heat = shared.heat.borrow_and_update().clone();
                send(socket, Message::Binary(heat.as_slice().to_vec().into())).await?;
            }
            _ = ping.tick() => {
                if heard.elapsed() > SILENCE {
                    return Err(Over);
                }
                send(socket, Message::Ping(Vec::new().into())).await?;
            }
        }
    }
}

/// Delays a client that sends faster than it may; its socket fills and holds it back.
async fn wait_for_allowance((left, since): &mut (f64, Instant), rate: f64) {
    let now = Instant::now();
    *left = (*left + now.duration_since(*since).as_secs_f64() * rate).min(BURST) - 1.0;
    *since = now;
    if *left < 0.0 {
        sleep_until(now + Duration::from_secs_f64(-*left / rate)).await;
    }
}

async fn order(
    socket: &mut WebSocket,
    shared: &Shared,
    client: u64,
    text: &str,
    replies: &tokio::sync::mpsc::Sender<String>,
) -> Result<(), Over> {
    let command = match Command::parse(text) {
        Ok(command) => command,
        Err(error) => return send(socket, problem(&error.to_string())).await,
    };
    let Some(orders) = &shared.orders else {
        return send(socket, problem("this is a recording; it takes no commands")).await;
    };
    let order = Order::Command { client, command, replies: replies.clone() };
    if orders.try_send(order).is_err() {
        return send(socket, problem("too many commands wait; send fewer")).await;
    }
    Ok(())
}

fn problem(text: &str) -> Message {
    let json = serde_json::json!({ "type": "error", "message": text });
    Message::Text(json.to_string().into())
}
