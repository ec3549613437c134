/*!
Haptic rendering: a hand holds the part of a simulation and feels its contacts, at 1 kHz, passively.

```text
hand ⇄ device ⇄ HapticLoop (1 kHz: local proxy on held planes, tank) ⇄ RenderedScene (100 Hz: the certified step)
```

[`HapticLoop`] is a value without clock or threads. [`rehearse`] runs it in simulated time, [`run`] in real time. A device
is what implements [`Device`]: a [`VirtualHuman`], a [`UdpDevice`], a [`WebSocketDevice`], a
[`SpaceMouse`], or a [`SetPointDevice`] for the set-points of a page.

```
use tightfit_haptics::{HumanOptions, RenderedScene, RunOptions, VirtualHuman, rehearse};
use tightfit_simulation::{Scene, Simulation};

let simulation = Simulation::new(Scene::find("bolting-engaged").expect("built in"), 1);
let mut scene = RenderedScene::new(simulation).expect("one free part");
let mut human = VirtualHuman::new(HumanOptions::default());
let options = RunOptions { seconds: 0.5, ..RunOptions::default() };
let measures = rehearse(&mut scene, &mut human, &options, &mut |_| {});
assert!(measures.lowest_port_energy >= -1e-6);
```
*/

#![forbid(unsafe_code)]

mod contact_planes;
mod device;
mod four_channel;
mod haptic_loop;
mod local_proxy;
mod measures;
mod passivity_tank;
mod rehearsal;
mod rendered_scene;
mod runner;
mod set_position;
mod stiffness_clamp;
mod watchdog;
mod z_width;

pub use contact_planes::{ContactPlane, HeldPlanes, MOST_PLANES};
pub use device::{
    Device, DeviceDescription, DeviceSample, DeviceWrench, FrameError, HumanOptions, HumanPlan, INPUT_BYTES,
    INPUT_BYTES_WITH_HAND, OUTPUT_BYTES, SampleFrame, SetPointDevice, SpaceMouse, SpaceMouseReport,
    UdpDevice, VirtualHuman, WebSocketDevice, WrenchFrame, new_token,
};
pub use four_channel::{ForceChannels, MOST_FEED_FORWARD};
pub use haptic_loop::{HapticLoop, LoopOptions, RenderedPart, StepOrder, StepResult};
pub use local_proxy::{LocalProxy, ProxyCoupling, ProxyTarget};
pub use measures::{Measures, Moment, Percentiles, ThreadMeasures};
pub use passivity_tank::{PassivityTank, TankOptions};
pub use rehearsal::{RunOptions, rehearse};
pub use rendered_scene::{RenderError, RenderedScene};
pub use runner::run;
pub use set_position::{Stiffness, allowed_share};
pub use stiffness_clamp::{ClampedCoupling, Sampling, largest_stiffness};
pub use watchdog::Watchdog;
pub use z_width::{Handle, ZWidth, z_width};
