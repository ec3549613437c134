//! probe
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use tightfit_learning::virtual_experiment::*;
use tightfit_learning::wrench::*;
use tightfit_simulation::*;
use std::time::Instant;
fn main() {
    let scene = thread_scene(48.0, 5.0).unwrap();
    let options = VirtualOptions::default();
    let clock = Instant::now();
    let trials = generate(&scene, &options, 4, || ()).unwrap();
    println!("generated {:.1} s", clock.elapsed().as_secs_f64());
    let t = &trials[0].samples;
    for k in (0..t.len()).step_by(50) { let s=&t[k]; println!("{:.2} z {:.3} mm v {:.4} w {:.2} f {:6.2} {:6.2} {:6.2} t {:7.4} {:7.4} {:7.4}", s.time, 1e3*s.world_from_part.translation.z, s.twist.linear_in_world.norm(), s.twist.angular_in_body.z, s.force.x,s.force.y,s.force.z,s.torque.x,s.torque.y,s.torque.z); }
    let recorded = RecordedScene::new(&scene, 0.01).unwrap();
    let args: Vec<f64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let mut spring = HoldingSpring::default();
    if args.len()==4 { spring = HoldingSpring{stiffness:args[0],damping:args[1],turning_stiffness:args[2],turning_damping:args[3]}; }
    let refs: Vec<_> = trials.iter().take(2).collect();
    for model in LoadModel::ALL {
        for identify in [false, true] {
        let spring = if identify { let c=Instant::now(); let (s,e)=identify_spring(&recorded, model, &refs, spring, 10, 1, |_,_| ()).unwrap(); println!("{model:?} identified {s:?} cost {:.4} in {:.1} s", e.cost(), c.elapsed().as_secs_f64()); s } else { spring };
        let moments: Vec<_> = trials.iter().skip(2).map(|t| model.moments(&recorded, &spring, t).unwrap()).collect();
        for preset in Preset::ALL {
            let clock = Instant::now();
            let mut p = WrenchPredictor::new(&recorded, preset.into(), spring);
            let mut pairs = vec![];
            for m in &moments { for (a,b) in m.moments.iter().zip(&m.measured) { pairs.push((p.predict(a), *b)); } }
            let e = WrenchErrors::of(pairs.iter().map(|(a,b)|(a,b)));
            println!("{model:?} {:9} force {:.3} of {:.3} N torque {:.4} of {:.4} axes {:.3?} cost {:.4} {:.3} ms", preset.name(), e.force, e.measured[0], e.torque, e.measured[1], e.per_axis, e.cost(), 1e3*clock.elapsed().as_secs_f64()/e.count as f64);
        }}
    }
    for preset in Preset::ALL {
        let (w, far) = closed_loop(&recorded, preset.into(), &spring, &trials[2]);
        let m: Vec<[f64;6]> = trials[2].samples.iter().map(|s| [s.force.x,s.force.y,s.force.z,s.torque.x,s.torque.y,s.torque.z]).collect();
        let e = WrenchErrors::of(w.iter().zip(&m));
        println!("closed loop {} force {:.3} of {:.3} torque {:.4} far {:.3} mm", preset.name(), e.force, e.measured[0], e.torque, 1e3*far);
    }
}
