//! The contacts of one step, seen from above and from the side.
//!
//! Outlines are convex: those of the nodes of every body. Candidates are small rings; contacts that carry a
//! force are dots with their normal, coloured by the force.

use std::collections::BTreeSet;
use std::fmt::Write;

use tightfit_simulation::{BodyId, ContactPoint, Motion, Simulation};
use tightfit_spatial::{Columns3, Vector3};

use super::axis::{Axis, Scale};
use super::number::number;
use super::plot::write_grid;

/// Size of the drawing, and of one view [px].
const SIZE: [f64; 2] = [1140.0, 560.0];
const VIEW: [f64; 2] = [500.0, 430.0];
/// Top of the views, and left edges [px].
const TOP: f64 = 76.0;
const LEFT: [f64; 2] = [60.0, 618.0];
/// Length of a normal in the plane of the view [px].
const ARROW: f64 = 30.0;
/// Rings of candidates are no nearer than this [px].
const RING: f64 = 4.0;
/// Colours from the smallest force to the largest.
const RAMP: [[f64; 3]; 4] =
    [[253.0, 187.0, 99.0], [239.0, 101.0, 72.0], [179.0, 0.0, 0.0], [73.0, 0.0, 20.0]];

/// Contacts and outlines at one step.
#[derive(Clone, Debug)]
pub struct ContactDrawing {
    /// Contact force on the driven part [N].
    pub force: f64,
    step: u64,
    time: f64,
    points: Vec<ContactPoint>,
    bodies: Vec<Outline>,
}

/// Nodes of a body in world axes [m].
#[derive(Clone, Debug)]
struct Outline {
    name: String,
    is_free: bool,
    nodes: Vec<Vector3<f64>>,
}

impl ContactDrawing {
    /// The step that a run has just made; `force` [N] is the contact force on the driven part.
    #[must_use]
    pub fn of(run: &Simulation, force: f64) -> Self {
        let outline = |id: BodyId| {
            let body = &run.scene.bodies[id];
            let mut nodes = Columns3::default();
            run.parameters.bodies[id].part.place(&body.nodes, &mut nodes);
            let pose = run.world_from_part(id);
            let nodes = nodes.iter().map(|node| pose.transform_point(node)).collect();
            Outline { name: body.name.clone(), is_free: body.motion == Motion::Free, nodes }
        };
        Self {
            force,
            step: run.state.step_count,
            time: run.time(),
            points: run.contact_points(),
            bodies: run.scene.body_ids().map(outline).collect(),
        }
    }

    pub(super) fn svg(&self) -> String {
        let [width, height] = SIZE;
        let largest = self.points.iter().map(|point| point.force.norm()).fold(0.0, f64::max);
        let active = self.points.iter().filter(|point| point.force != Vector3::zeros()).count();
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" fill="#3a4450" style="margin-top:28px">
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="60" y="22" font-size="16" font-weight="600" fill="#1c222a">Contacts at {:.3} s (step {})</text>
<text x="60" y="43" font-size="13" fill="#5a6572">{active} of {} candidates carry force; the largest {} N, together {} N on the driven part</text>"##,
            self.time,
            self.step,
            self.points.len(),
            number(largest),
            number(self.force),
        );
        self.write_view(&mut svg, LEFT[0], "from above: x, y [mm]", [0, 1], largest);
        self.write_view(&mut svg, LEFT[1], "from the side: x, z [mm]", [0, 2], largest);
        self.write_legend(&mut svg, largest);
        svg + "</svg>\n"
    }

    fn write_view(&self, svg: &mut String, left: f64, title: &str, axes: [usize; 2], largest: f64) {
        let flat = |point: Vector3<f64>| [point[axes[0]] * 1e3, point[axes[1]] * 1e3];
        let outlines: Vec<_> = self
            .bodies
            .iter()
            .map(|body| (body, hull(body.nodes.iter().map(|node| flat(*node)).collect())))
            .collect();
        let shown: Vec<[f64; 2]> = outlines
            .iter()
            .filter(|(body, _)| body.is_free)
            .flat_map(|(_, hull)| hull.iter().copied())
            .chain(self.points.iter().map(|point| flat(point.position)))
            .collect();
        let pixels = [[left, left + VIEW[0]], [TOP + VIEW[1], TOP]];
        let axis = |at: usize| Axis::over(shown.iter().map(|p| p[at]), Scale::Linear, pixels[at], 0.12);
        let scale = axis(0).pixels_per_unit().min(axis(1).pixels_per_unit());
        let [across, up] = [0, 1].map(|at| axis(at).with_pixels_per_unit(scale));
        write_grid(svg, across, up);
        let clip = format!("view{}-{}", axes[1], self.step);
        let _ = writeln!(
            svg,
            r##"<text x="{left}" y="{}" font-size="13" font-weight="600">{title}</text><clipPath id="{clip}"><rect x="{left}" y="{TOP}" width="{}" height="{}"/></clipPath><g clip-path="url(#{clip})">"##,
            TOP - 9.0,
            VIEW[0],
            VIEW[1],
        );
        for (body, hull) in &outlines {
            let path: Vec<_> =
                hull.iter().map(|[x, y]| format!("{:.1},{:.1}", across.pixel(*x), up.pixel(*y))).collect();
            let style = style(body);
            let _ = writeln!(svg, r##"<polygon points="{}" {style}/>"##, path.join(" "));
        }
        // draw strong contacts last, on top
        let mut points: Vec<_> = self.points.iter().collect();
        points.sort_by(|a, b| a.force.norm().total_cmp(&b.force.norm()));
        // thousands of candidates overlap: one ring per place is enough
        let mut ringed = BTreeSet::new();
        for point in points {
            let [x, y] = flat(point.position);
            let (x, y) = (across.pixel(x), up.pixel(y));
            if point.force == Vector3::zeros() {
                if !ringed.insert([(x / RING) as i64, (y / RING) as i64]) {
                    continue;
                }
                let _ = writeln!(
                    svg,
                    r##"<circle cx="{x:.1}" cy="{y:.1}" r="2" fill="none" stroke="#a9b3be"/>"##
                );
                continue;
            }
            let color = color(point.force.norm() / largest);
            let (dx, dy) = (ARROW * point.normal[axes[0]], -ARROW * point.normal[axes[1]]);
            let _ = writeln!(
                svg,
                r##"<g stroke="{color}" fill="{color}"><circle cx="{x:.1}" cy="{y:.1}" r="3.2" stroke="none"/>{}</g>"##,
                arrow([x, y], [dx, dy])
            );
        }
        svg.push_str("</g>\n");
    }

    fn write_legend(&self, svg: &mut String, largest: f64) {
        let y = TOP + VIEW[1] + 46.0;
        let mut x = LEFT[0];
        for body in self.bodies.iter().filter(|body| !body.nodes.is_empty()) {
            let _ = writeln!(
                svg,
                r##"<rect x="{x}" y="{}" width="18" height="11" {}/><text x="{}" y="{y}">{}</text>"##,
                y - 10.0,
                style(body),
                x + 25.0,
                super::number::escape(&body.name)
            );
            x += 55.0 + 6.5 * body.name.chars().count() as f64;
        }
        let _ = writeln!(
            svg,
            r##"<circle cx="{}" cy="{}" r="2.5" fill="none" stroke="#a9b3be"/><text x="{}" y="{y}">candidate without force</text>"##,
            x + 6.0,
            y - 4.0,
            x + 16.0
        );
        let left = LEFT[1];
        let _ = writeln!(svg, r##"<text x="{left}" y="{y}">force of a contact [N]: 0</text>"##);
        for cell in 0..48 {
            let fill = color((f64::from(cell) + 0.5) / 48.0);
            let at = left + 150.0 + 4.0 * f64::from(cell);
            let _ =
                writeln!(svg, r##"<rect x="{at}" y="{}" width="4.5" height="12" fill="{fill}"/>"##, y - 11.0);
        }
        let _ = writeln!(svg, r##"<text x="{}" y="{y}">{}</text>"##, left + 352.0, number(largest));
    }
}

fn style(body: &Outline) -> &'static str {
    match body.is_free {
        true => r##"fill="#0072b2" fill-opacity="0.08" stroke="#0072b2" stroke-width="1.2""##,
        false => r##"fill="#5a6572" fill-opacity="0.06" stroke="#8793a0" stroke-width="1.2""##,
    }
}

/// A line with a head, unless it points at the viewer.
fn arrow([x, y]: [f64; 2], [dx, dy]: [f64; 2]) -> String {
    let length = dx.hypot(dy);
    if length < 6.0 {
        return String::new();
    }
    let (ux, uy) = (dx / length, dy / length);
    let (tip_x, tip_y) = (x + dx, y + dy);
    let (back_x, back_y) = (tip_x - 6.5 * ux, tip_y - 6.5 * uy);
    format!(
        r##"<line x1="{x:.1}" y1="{y:.1}" x2="{back_x:.1}" y2="{back_y:.1}" stroke-width="1.8"/><polygon stroke="none" points="{tip_x:.1},{tip_y:.1} {:.1},{:.1} {:.1},{:.1}"/>"##,
        back_x - 3.0 * uy,
        back_y + 3.0 * ux,
        back_x + 3.0 * uy,
        back_y - 3.0 * ux
    )
}

/// Colour of a fraction of the largest force.
fn color(fraction: f64) -> String {
    let place = fraction.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let index = (place as usize).min(RAMP.len() - 2);
    let part = place - index as f64;
    let mix = |channel: usize| {
        let (a, b) = (RAMP[index][channel], RAMP[index + 1][channel]);
        (a + (b - a) * part).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Convex hull, counter-clockwise (Andrew's monotone chain).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.retain(|point| point.iter().all(|value| value.is_finite()));
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turns_left = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
    };
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..] {
                if turns_left(a, b, point) {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut outline = chain(&mut points.iter().copied());
    outline.extend(chain(&mut points.iter().rev().copied()));
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_grid_is_its_corners() {
        let grid = (0..5).flat_map(|x| (0..4).map(move |y| [f64::from(x), f64::from(y)])).collect();
        assert_eq!(hull(grid), [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0], [0.0, 3.0]]);
        assert!(hull(vec![]).is_empty() && hull(vec![[f64::NAN, 0.0]]).is_empty());
    }

    #[test]
    fn colours_run_from_the_first_of_the_ramp_to_the_last() {
        assert_eq!([color(0.0), color(1.0), color(7.0)], ["#fdbb63", "#490014", "#490014"]);
    }
}
