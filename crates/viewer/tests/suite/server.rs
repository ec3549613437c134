//! The server under good and bad clients. The WebSocket client is written out here, so that it can break the rules.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use tightfit_spatial::SplitMix;
use tightfit_viewer::server::{Content, Server, ServerOptions};
use tightfit_viewer::{Command, Session};

const TOKEN: &str = "0123456789abcdef";

/// A server in a thread of this process; it ends with the process.
fn serve(session: Session, options: ServerOptions) -> SocketAddr {
    let options = ServerOptions { token: TOKEN.into(), ..options };
    let server = Server::bind(Content::Live(Box::new(session)), options).unwrap();
    let address = server.address();
    std::thread::spawn(move || server.run().unwrap());
    address
}

fn paused(name: &str) -> Session {
    let mut session = Session::open(name).unwrap();
    session.apply(Command::Pause {}).unwrap();
    session
}

/// First lines of the answer to a request.
fn request(address: SocketAddr, path: &str, headers: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut answer = Vec::new();
    let mut byte = [0];
    while !answer.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        answer.push(byte[0]);
    }
    (stream, String::from_utf8_lossy(&answer).into_owned())
}

fn upgrade(address: SocketAddr, token: &str, host: &str, origin: &str) -> (TcpStream, String) {
    let headers = format!(
        "Host: {host}\r\nOrigin: {origin}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    );
    request(address, &format!("/socket?token={token}"), &headers)
}

fn connect(address: SocketAddr) -> TcpStream {
    let (stream, answer) = upgrade(address, TOKEN, &address.to_string(), &format!("http://{address}"));
    assert!(answer.starts_with("HTTP/1.1 101"), "{answer}");
    stream
}

/// A client's frame: final, masked with zeros.
fn framed(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match payload.len() {
        length @ 0..126 => bytes.push(0x80 | length as u8),
        length @ 126..65536 => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
        length => {
            bytes.push(0x80 | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// Next message of the server: opcode and payload.
fn receive(stream: &mut TcpStream) -> Option<(u8, Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    let length = match head[1] & 127 {
        126 => {
            let mut bytes = [0; 2];
            stream.read_exact(&mut bytes).ok()?;
            usize::from(u16::from_be_bytes(bytes))
        }
        127 => {
            let mut bytes = [0; 8];
            stream.read_exact(&mut bytes).ok()?;
            u64::from_be_bytes(bytes) as usize
        }
        length => usize::from(length),
    };
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).ok()?;
    Some((head[0] & 15, payload))
}

/// Next message that is accepted.
fn receive_until(stream: &mut TcpStream, accept: impl Fn(u8, &[u8]) -> bool) -> Vec<u8> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let (opcode, payload) = receive(stream).expect("the server closed the connection");
        if accept(opcode, &payload) {
            return payload;
        }
    }
    panic!("no such message came");
}

fn is_state(opcode: u8, payload: &[u8]) -> bool {
    opcode == 2 && payload[0] == 1
}

fn step_and_hash(frame: &[u8]) -> (u32, u64) {
    let step = u32::from_le_bytes(frame[16..20].try_into().unwrap());
    (step, u64::from_le_bytes(frame[20..28].try_into().unwrap()))
}

#[test]
fn only_the_own_page_with_the_token_gets_in() {
    let address = serve(paused("peg-in-hole"), ServerOptions::default());
    let (own, origin) = (address.to_string(), format!("http://{address}"));
    for (token, host, origin) in [
        ("", own.as_str(), origin.as_str()),
        ("0123456789abcdee", &own, &origin),
        (TOKEN, "evil.example", &origin),
        (TOKEN, &own, "http://evil.example"),
        (TOKEN, &own, "null"),
    ] {
        let (_, answer) = upgrade(address, token, host, origin);
        assert!(answer.starts_with("HTTP/1.1 403"), "{token} {host} {origin}: {answer}");
    }
    let (_, page) = request(address, "/", &format!("Host: {own}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy"), "{page}");
    let (_, page) = request(address, "/", "Host: evil.example\r\n");
    assert!(page.starts_with("HTTP/1.1 403"), "{page}");
    let (_, log) = request(address, "/log.csv?token=wrong", &format!("Host: {own}\r\n"));
    assert!(log.starts_with("HTTP/1.1 403"), "{log}");
    let mut stream = connect(address);
    let scene = receive_until(&mut stream, |opcode, _| opcode == 1);
    assert!(String::from_utf8(scene).unwrap().starts_with('{'));
}

#[test]
fn commands_reach_the_simulation_and_errors_come_back() {
    let address = serve(paused("peg-in-hole"), ServerOptions::default());
    let mut stream = connect(address);
    receive_until(&mut stream, is_state);
    stream.write_all(&framed(1, br#"{"do":"step","count":7}"#)).unwrap();
    receive_until(&mut stream, |opcode, payload| is_state(opcode, payload) && step_and_hash(payload).0 == 7);
    stream.write_all(&framed(1, br#"{"do":"scene","name":"attic"}"#)).unwrap();
    let error =
        receive_until(&mut stream, |opcode, payload| opcode == 1 && payload.starts_with(b"{\"message"));
    assert!(String::from_utf8(error).unwrap().contains("peg-in-hole"), "the error lists the scenes");
    let (mut log, head) =
        request(address, &format!("/log.csv?token={TOKEN}"), &format!("Host: {address}\r\n"));
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let mut start = [0; 20];
    log.read_exact(&mut start).unwrap();
    assert!(start.starts_with(b"# tightfit.format"));
}

/// A hand whose client disappears lets go; a client that does not read harms nobody.
#[test]
fn a_lost_client_lets_go_of_the_part() {
    let address = serve(Session::open("bolting-engaged").unwrap(), ServerOptions::default());
    let mut good = connect(address);
    let _never_reads = connect(address);
    let mut bad = connect(address);
    bad.write_all(&framed(1, br#"{"do":"move","part":"nut","linear":[0,0,0],"angular":[0,0,-3]}"#)).unwrap();
    receive_until(&mut good, |opcode, payload| is_state(opcode, payload) && payload[4] & 2 != 0);
    drop(bad);
    let hand_torque = |frame: &[u8]| {
        let channel = tightfit_viewer::CHANNELS.iter().position(|one| one.name == "hand_torque_z").unwrap();
        let at = tightfit_viewer::HEADER_BYTES + 4 * channel;
        f32::from_le_bytes(frame[at..at + 4].try_into().unwrap())
    };
    receive_until(&mut good, |opcode, payload| {
        is_state(opcode, payload) && hand_torque(payload).abs() < 0.02
    });
}

#[test]
fn a_hundred_clients_see_the_same_run_and_one_too_many_is_refused() {
    let options = ServerOptions { most_clients: 100, ..ServerOptions::default() };
    let address = serve(paused("block-on-table"), options);
    let mut clients: Vec<TcpStream> = (0..100).map(|_| connect(address)).collect();
    let (_, answer) = upgrade(address, TOKEN, &address.to_string(), &format!("http://{address}"));
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    clients[0].write_all(&framed(1, br#"{"do":"step","count":3}"#)).unwrap();
    let is_third = |opcode: u8, payload: &[u8]| is_state(opcode, payload) && step_and_hash(payload).0 == 3;
    let hashes: Vec<u64> =
        clients.iter_mut().map(|client| step_and_hash(&receive_until(client, is_third)).1).collect();
    assert!(hashes.iter().all(|hash| *hash == hashes[0]));
}

/// Sockets that are opened and left, or stop in the middle of a request, are closed; the page is served all the while.
#[test]
fn silent_connections_are_closed() {
    let options = ServerOptions { silence: Duration::from_millis(300), ..ServerOptions::default() };
    let address = serve(paused("block-on-table"), options);
    let mut silent: Vec<TcpStream> = (0..150).map(|_| TcpStream::connect(address).unwrap()).collect();
    for stream in &mut silent[..50] {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    }
    let (_, page) = request(address, "/", &format!("Host: {address}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    for stream in &mut silent {
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut rest = Vec::new();
        assert!(stream.read_to_end(&mut rest).is_ok(), "the server closes it");
    }
}

/// 100,000 malformed frames: text that is no command, wrong opcodes, unmasked and huge frames, half-closed sockets.
#[test]
fn malformed_frames_leave_the_simulation_undisturbed() {
    let mut alone = Session::open("bolting").unwrap();
    (0..300).for_each(|_| alone.step());
    let expected = alone.simulation().state.hash();

    let options = ServerOptions { message_rate: 1e9, ..ServerOptions::default() };
    let address = serve(paused("bolting"), options);
    let mut good = connect(address);
    receive_until(&mut good, is_state);
    let mut random = SplitMix::stream(11);
    let below = |random: &mut SplitMix, count: usize| (random.bits() % count as u64) as usize;
    let commands: [&[u8]; 3] = [
        br#"{"do":"move","part":"nut","linear":[0,0,0],"angular":[0,0,-3.2]}"#,
        br#"{"do":"drag","part":"nut","position":[0,0,0],"rotation":[0,0,0,1]}"#,
        br#"{"do":"set","changes":["friction=0.2"]}"#,
    ];
    let (mut sent, mut connections) = (0, 0);
    while sent < 100_000 {
        let mut stream = connect(address);
        stream.set_nonblocking(true).unwrap();
        connections += 1;
        let mut drain = vec![0; 1 << 16];
        for _ in 0..2_000 {
            sent += 1;
            let mut payload = commands[below(&mut random, 3)].to_vec();
            for _ in 0..1 + below(&mut random, 5) {
                let at = below(&mut random, payload.len());
                payload[at] = random.bits() as u8;
            }
            // a change that leaves a valid command is no malformed frame
            if std::str::from_utf8(&payload).is_ok_and(|text| Command::parse(text).is_ok()) {
                payload.truncate(payload.len() / 2);
            }
            let is_breaking = below(&mut random, 400) == 0;
            let mut bytes = match below(&mut random, 8) {
                0 => framed(2, &payload),
                1 => framed(10, &payload[..payload.len().min(120)]),
                2 => framed(1, b""),
                _ => framed(1, String::from_utf8_lossy(&payload).as_bytes()),
            };
            if is_breaking {
                bytes = match below(&mut random, 5) {
                    0 => framed(1, &vec![b' '; 70_000]),
                    1 => vec![0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0],
                    2 => vec![0x83, 0x80, 0, 0, 0, 0],
                    3 => vec![0x81, 5, b'h', b'e', b'l', b'l', b'o'],
                    _ => (0..64).map(|_| random.bits() as u8).collect(),
                };
            }
            let mut at = 0;
            let is_open = loop {
                match stream.write(&bytes[at..]) {
                    Ok(count) => at += count,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                    Err(_) => break false,
                }
                match stream.read(&mut drain) {
                    Ok(0) => break false,
                    Err(error) if error.kind() != ErrorKind::WouldBlock => break false,
                    _ => {}
                }
                if at >= bytes.len() {
                    break true;
                }
            };
            if !is_open || is_breaking {
                break;
            }
        }
        if connections % 3 == 0 {
            let _ = stream.shutdown(Shutdown::Write);
        }
    }
    println!("{sent} malformed frames over {connections} connections");
    for count in [150, 150] {
        good.write_all(&framed(1, format!(r#"{{"do":"step","count":{count}}}"#).as_bytes())).unwrap();
    }
    let frame = receive_until(&mut good, |opcode, payload| {
        is_state(opcode, payload) && step_and_hash(payload).0 == 300
    });
    assert_eq!(step_and_hash(&frame).1, expected, "the run is the same as without the frames");
}
