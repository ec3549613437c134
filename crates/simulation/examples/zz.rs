//! debug
#![allow(clippy::print_stdout, clippy::unwrap_used)]
use tightfit_simulation::{Run, Scene};
fn main() {
    let sets: Vec<String> = ["friction=0.15","drive.stiffness_n_m=[100000,100000,0]","drive.turning_stiffness_nm_rad=[200,200,200]","drive.waypoints=[{time_s=0.0,position_mm=[0,0,17.5],turns=0.5},{time_s=3.0,position_mm=[0,0,17.5],turns=3.5}]"].iter().map(|s| s.to_string()).collect();
    let mut run = Run::new(Scene::find_with("bolting-engaged", &sets).unwrap(), 1);
    for k in 0..120 {
        let r = run.advance();
        if r.torque.z.abs() > 0.2 && k > 5 {
            println!(
                "k {k} z {:.4} T {:.3} F {:.2} tilt {:.4} xy {:.4} {:.4} turns {:.4} W {:.1e} pen {:.3}",
                r.pose.translation.z * 1e3,
                r.torque.z,
                r.force.z,
                (r.pose.rotation * nalgebra::Vector3::z()).z.acos().to_degrees(),
                r.pose.translation.x * 1e3,
                r.pose.translation.y * 1e3,
                r.angle / 6.2831853,
                r.certificate.contact_work,
                r.certificate.penetration * 1e6
            );
            for c in run.contact_points() {
                if c.force.norm() > 0.5 {
                    let p = c.position;
                    let n = c.normal;
                    let rr = p.x.hypot(p.y);
                    println!(
                        "    r {:.3} th {:.1} z {:.3} (nut z {:.3}) n r {:.2} z {:.2} t {:.2} f {:.2}",
                        rr * 1e3,
                        p.y.atan2(p.x).to_degrees(),
                        p.z * 1e3,
                        (p.z - r.pose.translation.z) * 1e3,
                        (n.x * p.x + n.y * p.y) / rr,
                        n.z,
                        (n.y * p.x - n.x * p.y) / rr,
                        c.force.norm()
                    );
                }
            }
            if k > 20 {
                break;
            }
        }
    }
}
