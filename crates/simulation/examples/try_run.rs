//! Runs a scene and prints what happened.
#![allow(clippy::print_stdout)]
use tightfit_simulation::{Run, Scene};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scene = Scene::find(&args[1]).unwrap_or_else(|e| panic!("{e}"));
    let every: usize = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(10);
    let seconds = scene.drive.as_ref().map_or(1.0, |d| d.duration());
    let mut run = Run::new(scene, 1);
    if args.iter().any(|a| a == "--audit") {
        run.with_audit();
    }
    let n = (seconds / run.scene.step).round() as usize;
    let (mut unconv, mut inj, mut pen, mut aud) = (0, 0.0, 0.0_f64, 0.0_f64);
    let mut times = vec![];
    let mut st = [0.0; 3];
    for k in 0..n {
        let t0 = std::time::Instant::now();
        let r = run.advance();
        times.push(t0.elapsed().as_secs_f64() * 1e6);
        let c = &r.certificate;
        for i in 0..3 {
            st[i] += c.stage_seconds[i];
        }
        unconv += usize::from(!c.converged);
        inj += c.energy_injected;
        pen = pen.max(c.penetration);
        aud = aud.max(r.audited.unwrap_or(0.0));
        if k % every == 0 || !c.limits.is_empty() {
            println!(
                "{:.2} z {:.4} x {:.4} turns {:.3} pen {:.3}um aud {:.3} cand {} act {} lvl {} it {} coul {:.1e} compl {:.1e} W {:.2e} inj {:.1e} proj {:.1e} F {:.2?} {:?}",
                r.time,
                r.pose.translation.z * 1e3,
                r.pose.translation.x * 1e3,
                r.angle / 6.283185307,
                c.penetration * 1e6,
                r.audited.unwrap_or(0.0) * 1e6,
                c.candidates,
                c.active,
                c.level,
                c.iterations,
                c.coulomb,
                c.complementarity,
                c.contact_work,
                c.energy_injected,
                c.projection_work,
                r.force.as_slice(),
                c.limits
            );
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "unconverged {unconv} injected {inj:.2e} pen {:.4} um audit {:.4} um; step median {:.0} us p99 {:.0} max {:.0}; mean stages {:?} us",
        pen * 1e6,
        aud * 1e6,
        times[n / 2],
        times[n * 99 / 100],
        times[n - 1],
        st.map(|s| (s / n as f64 * 1e6) as u64)
    );
}
