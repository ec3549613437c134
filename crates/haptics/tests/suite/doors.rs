//! UDP and WebSocket doors under good and malformed frames.

use std::net::{TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use tightfit_haptics::{
    Device, DeviceDescription, DeviceSample, DeviceWrench, HumanOptions, INPUT_BYTES, RenderedScene,
    RunOptions, SampleFrame, UdpDevice, VirtualHuman, WebSocketDevice, WrenchFrame, new_token, rehearse,
};
use tightfit_simulation::{Scene, Simulation};
use tightfit_spatial::{Pose, SplitMix, Vector3};
use tungstenite::Message;

fn frame(sequence: u32, x: f64) -> SampleFrame {
    let pose = Pose::from_translation(Vector3::new(x, 0.0, 0.0));
    SampleFrame { sequence, sample: DeviceSample::at(pose) }
}

/// Repeats until something is there; fails after ten seconds.
fn until<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = attempt() {
            return value;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "nothing came");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn datagrams_bring_samples_and_take_wrenches() {
    let token = new_token();
    let mut device = UdpDevice::bind("127.0.0.1:0", token, DeviceDescription::default()).unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    client.connect(device.address().unwrap()).unwrap();
    client.send(&frame(1, 0.1).bytes(token)).unwrap();
    assert_eq!(until(|| device.read(1e-3)), frame(1, 0.1).sample);
    let wrench = DeviceWrench { force: Vector3::new(1.0, 2.0, 3.0), torque: Vector3::zeros() };
    device.write(&wrench);
    let mut bytes = [0; 100];
    let length = client.recv(&mut bytes).unwrap();
    assert_eq!(WrenchFrame::parse(&bytes[..length]), Some(WrenchFrame { sequence: 1, wrench }));
    // an older frame, a frame of another sender and one without the token change nothing
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    other.send_to(&frame(9, 0.9).bytes(token), device.address().unwrap()).unwrap();
    client.send(&frame(1, 0.2).bytes(token)).unwrap();
    client.send(&frame(2, 0.2).bytes(token ^ 1)).unwrap();
    until(|| {
        assert_eq!(device.read(1e-3), None);
        (device.refused() == 3).then_some(())
    });
}

#[test]
fn a_web_socket_brings_samples_and_takes_wrenches() {
    let token = new_token();
    let mut device = WebSocketDevice::bind("127.0.0.1:0", token, DeviceDescription::default()).unwrap();
    let address = device.address();
    let connect = |query: &str| {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        tungstenite::client(format!("ws://{address}/{query}"), stream).map_err(|error| error.to_string())
    };
    assert!(connect("").is_err(), "no token");
    assert!(connect(&format!("?token={:016x}", token ^ 1)).is_err(), "another token");
    let (mut socket, _) = connect(&format!("?token={token:016x}")).unwrap();
    socket.send(Message::Text("hello".into())).unwrap();
    socket.send(Message::Binary(vec![1, 2, 3].into())).unwrap();
    socket.send(Message::Binary(frame(1, 0.1).bytes(token).into())).unwrap();
    assert_eq!(until(|| device.read(1e-3)), frame(1, 0.1).sample);
    assert_eq!(device.refused(), 2);
    let wrench = DeviceWrench { force: Vector3::new(1.0, 2.0, 3.0), torque: Vector3::zeros() };
    device.write(&wrench);
    let answer = until(|| match socket.read() {
        Ok(Message::Binary(bytes)) => Some(bytes),
        _ => None,
    });
    assert_eq!(WrenchFrame::parse(&answer), Some(WrenchFrame { sequence: 1, wrench }));
}

/// A virtual human beside a UDP door that is flooded: samples of the human go through, frames of the flood do not.
struct Flooded {
    human: VirtualHuman,
    door: UdpDevice,
    client: UdpSocket,
    random: SplitMix,
    per_tick: usize,
    sent: u64,
    accepted: u64,
}

impl Flooded {
    fn malformed(&mut self) -> Vec<u8> {
        let mut bytes = frame(self.sent as u32, 0.05).bytes(7);
        match self.random.bits() % 4 {
            0 => bytes.truncate((self.random.bits() % INPUT_BYTES as u64) as usize),
            1 => bytes.extend((0..1 + self.random.bits() % 900).map(|byte| byte as u8)),
            2 => bytes = (0..self.random.bits() % 200).map(|byte| byte.wrapping_mul(37) as u8).collect(),
            _ => {
                for _ in 0..1 + self.random.bits() % 6 {
                    let at = (self.random.bits() % bytes.len() as u64) as usize;
                    bytes[at] = self.random.bits() as u8;
                }
            }
        }
        // a change that leaves a valid frame is no malformed one
        if SampleFrame::parse(&bytes, 7).is_ok() {
            bytes.truncate(bytes.len() / 2);
        }
        bytes
    }
}

impl Device for Flooded {
    fn description(&self) -> DeviceDescription {
        self.human.description()
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        for _ in 0..self.per_tick {
            let bytes = self.malformed();
            self.client.send(&bytes).unwrap();
            self.sent += 1;
        }
        self.accepted += u64::from(self.door.read(elapsed).is_some());
        self.human.read(elapsed)
    }

    fn write(&mut self, wrench: &DeviceWrench) {
        self.door.write(wrench);
        self.human.write(wrench);
    }
}

fn flood(frames: usize, seconds: f64) {
    let scene = || RenderedScene::new(Simulation::new(Scene::find("bolting-engaged").unwrap(), 1)).unwrap();
    let human = || VirtualHuman::new(HumanOptions::default());
    let options = RunOptions { seconds, ..RunOptions::default() };
    let alone = rehearse(&mut scene(), &mut human(), &options, &mut |_| {});
    let door = UdpDevice::bind("127.0.0.1:0", 7, DeviceDescription::default()).unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(door.address().unwrap()).unwrap();
    let per_tick = frames / (1e3 * seconds) as usize;
    let random = SplitMix::stream(4);
    let mut flooded = Flooded { human: human(), door, client, random, per_tick, sent: 0, accepted: 0 };
    let measures = rehearse(&mut scene(), &mut flooded, &options, &mut |_| {});
    println!("{} malformed frames, {} refused at the door", flooded.sent, flooded.door.refused());
    assert_eq!(flooded.accepted, 0);
    assert!(flooded.sent == frames as u64 && flooded.door.refused() > flooded.sent * 99 / 100);
    assert_eq!(measures.hash, alone.hash, "the run is the same as without the frames");
}

#[test]
fn five_thousand_malformed_datagrams_leave_the_simulation_undisturbed() {
    flood(5_000, 0.5);
}

#[test]
#[ignore = "100,000 frames: cargo test -p tightfit-haptics -- --ignored"]
fn a_hundred_thousand_malformed_datagrams_leave_the_simulation_undisturbed() {
    flood(100_000, 2.5);
}
