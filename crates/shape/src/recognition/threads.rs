//! Threads in meshes: triangles of helical flanks become an exact bolt or nut.
//!
//! The profile comes from the flanks (helix.rs). End planes, 45° cones, the wall where a groove begins, shank, head and hexagon
//! follow from the other vertices. None of this is trusted: the part is taken only if the vertices of the mesh lie on it and
//! the volumes agree.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;

use super::helix::{Flank, flanks, measured};
use super::{Recognised, RoundKind, RoundSurface, Unrecognised};
use crate::profile::{Outline, Section, SectionedSolid};
use crate::thread::{Bolt, Nut, RadialSurface, RunOut, Side, ThreadProfile, ThreadStart};
use crate::{Part, TriMesh};

/// One vertex in ten may be this many tolerances off the part, the others 1.5: files round, and modellers place vertices
/// on the middles of chords and on curves where two surfaces cross.
const WORST: f64 = 5.0;

/// The bolt or nut that a mesh was made from; `None` where it has no helical flanks.
pub(super) fn thread(mesh: &TriMesh, tolerance: f64) -> Option<Result<(Part, Recognised), Unrecognised>> {
    let (rise, side, flanks) = flanks(mesh)?;
    let measured = measured(mesh, rise, &flanks);
    let what = |reason: &str| Unrecognised::Thread(reason.to_owned());
    Some(measured.ok_or_else(|| what("its flanks lie on no common helix")).and_then(|profile| {
        let part = match side {
            Side::Internal => nut(mesh, profile, tolerance),
            Side::External => bolt(mesh, profile, &flanks, tolerance),
        };
        let part = part.map_err(what)?;
        verified(mesh, part, &profile, flanks.len(), tolerance)
    }))
}

fn heights(mesh: &TriMesh) -> [f64; 2] {
    mesh.vertices.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], vertex| {
        [low.min(vertex.z), high.max(vertex.z)]
    })
}

/// Radii of the vertices at a height, smallest and largest [m].
fn radii_at(mesh: &TriMesh, z: f64, tolerance: f64) -> [f64; 2] {
    let radii = mesh.vertices.iter().filter(|vertex| (vertex.z - z).abs() < tolerance);
    radii
        .map(|vertex| vertex.xy().norm())
        .filter(|radius| *radius > tolerance)
        .fold([f64::INFINITY, 0.0], |[least, most], radius| [least.min(radius), most.max(radius)])
}

/// Section and level [m] of the outer walls through these vertices, which bound it from inside.
fn outer_wall<'a>(
    vertices: impl Iterator<Item = &'a Vector3<f64>> + Clone,
    tolerance: f64,
) -> Result<(Section, f64), &'static str> {
    let radius = vertices.clone().map(|vertex| vertex.xy().norm()).fold(0.0, f64::max);
    let polygons =
        [6, 4, 8].map(|sides| (Section::Polygon { sides }, radius * (PI / f64::from(sides)).cos()));
    let fits = |&(section, level): &(Section, f64)| {
        let beyond = vertices.clone().map(|vertex| section.locate(vertex.xy()).level - level);
        beyond.fold(f64::NEG_INFINITY, f64::max) < tolerance
    };
    let is_polygon = |choice: &&(Section, f64)| fits(choice);
    let wall = polygons.iter().find(is_polygon).copied().unwrap_or((Section::Round, radius));
    let on_wall = vertices.clone().map(|vertex| wall.0.locate(vertex.xy()).level - wall.1);
    let touching = on_wall.filter(|beyond| beyond.abs() < tolerance).count();
    if touching >= 4 {
        Ok(wall)
    } else {
        Err("the body around it is neither round nor a polygon with a flat facing +x")
    }
}

fn nut(mesh: &TriMesh, profile: ThreadProfile, tolerance: f64) -> Result<Part, &'static str> {
    let ends = heights(mesh);
    let starts = ends.map(|z| {
        let least = radii_at(mesh, z, tolerance)[0];
        match least > profile.root_radius() + 2.0 * tolerance {
            true => ThreadStart::Chamfered { end_radius: least },
            false => ThreadStart::Blunt,
        }
    });
    let widest = starts.iter().map(|start| match start {
        ThreadStart::Chamfered { end_radius } => *end_radius,
        ThreadStart::Blunt => 0.0,
    });
    let inside = widest.fold(profile.crest_radius(), f64::max) + 2.0 * tolerance;
    let outer = mesh.vertices.iter().filter(|vertex| vertex.xy().norm() > inside);
    let (section, level) = outer_wall(outer, tolerance)?;
    let surface = RadialSurface { profile, ends, starts, side: Side::Internal, run_out: None };
    Ok(Part::Nut(Nut::measured(surface, section, level)))
}

fn bolt(
    mesh: &TriMesh,
    profile: ThreadProfile,
    flanks: &[Flank],
    tolerance: f64,
) -> Result<Part, &'static str> {
    let (crest, [bottom, top]) = (profile.crest_radius(), heights(mesh));
    let corners = flanks.iter().flat_map(|flank| mesh.corners(flank.triangle));
    let [low, high] = corners.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], corner| {
        [low.min(corner.z), high.max(corner.z)]
    });
    let wide = mesh.vertices.iter().filter(|vertex| vertex.xy().norm() > crest + 4.0 * tolerance);
    let head_top = wide.clone().map(|vertex| vertex.z).fold(f64::NEG_INFINITY, f64::max);
    if head_top > f64::midpoint(low, high) || top - high > 2.0 * profile.pitch() {
        return Err("its tip does not point along +z");
    }
    let block = |section: Section, level: f64, low: f64, high: f64| {
        SectionedSolid::new(section, Outline::new(&[[0.0, low], [level, low], [level, high], [0.0, high]]))
    };
    let has_head = head_top > bottom;
    let head = match has_head {
        true => {
            let (section, level) = outer_wall(wide, tolerance)?;
            Some(block(section, level, bottom, head_top))
        }
        false => None,
    };
    let under = if has_head { head_top } else { bottom };
    let run_out = run_out(mesh, &profile, tolerance);
    let start = if run_out.is_some() { under } else { low };
    let shank = (start > under + tolerance).then(|| block(Section::Round, crest, under, start));
    let tip = radii_at(mesh, top, tolerance)[1];
    let upper = match tip < crest - 2.0 * tolerance {
        true => ThreadStart::Chamfered { end_radius: tip },
        false => ThreadStart::Blunt,
    };
    let starts = [ThreadStart::Blunt, upper];
    let start = if shank.is_none() { under } else { start };
    let surface = RadialSurface { profile, ends: [start, top], starts, side: Side::External, run_out };
    Ok(Part::Bolt(Bolt::measured(surface, shank, head)))
}

/// The wall in a plane through the axis at which the groove begins.
fn run_out(mesh: &TriMesh, profile: &ThreadProfile, tolerance: f64) -> Option<RunOut> {
    let mut sum = Vector3::zeros();
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for triangle in 0..mesh.triangles.len() {
        let corners = mesh.corners(triangle);
        let middle = corners.iter().sum::<Vector3<f64>>() / 3.0;
        let (area, radius) = (mesh.area_vector(triangle), middle.xy().norm());
        let around = (area.y * middle.x - area.x * middle.y) / radius;
        let is_within = corners.iter().all(|corner| {
            let radius = corner.xy().norm();
            radius > profile.root_radius() - 2.0 * tolerance
                && radius < profile.crest_radius() + 2.0 * tolerance
        });
        if !is_within || around.abs() < 0.9999 * area.norm() || area.norm() < tolerance * tolerance {
            continue;
        }
        for corner in corners {
            sum += corner;
            range = [range[0].min(corner.z), range[1].max(corner.z)];
        }
    }
    if range[0] > range[1] {
        return None;
    }
    let angle = libm::atan2(sum.y, sum.x);
    let along = profile.angle_at(f64::midpoint(range[0], range[1]), profile.pitch() / 2.0);
    Some(RunOut { wall: angle + TAU * ((along - angle) / TAU).round() })
}

/// The part if the mesh lies on it.
fn verified(
    mesh: &TriMesh,
    part: Part,
    profile: &ThreadProfile,
    facets: usize,
    tolerance: f64,
) -> Result<(Part, Recognised), Unrecognised> {
    let off = |reason: String| Err(Unrecognised::Thread(reason));
    let distance = |point: Vector3<f64>| part.sample(point).distance.abs();
    let (mut deviation, mut worst, mut off_it) = (0.0, Vector3::zeros(), 0);
    for vertex in &mesh.vertices {
        let own = distance(*vertex);
        off_it += usize::from(own > 1.5 * tolerance);
        if own > deviation {
            (deviation, worst) = (own, *vertex);
        }
    }
    if deviation > WORST * tolerance || off_it > mesh.vertices.len() / 10 {
        let [x, y, z] = (1e3 * worst).into();
        return off(format!(
            "the vertex at ({x:.3}, {y:.3}, {z:.3}) mm is {:.1} um off the bolt or nut that fits best",
            1e6 * deviation
        ));
    }
    let (mut facet_error, mut missing): (f64, f64) = (0.0, 0.0);
    for triangle in 0..mesh.triangles.len() {
        let corners = mesh.corners(triangle);
        let longest = (0..3).map(|k| (corners[k] - corners[(k + 1) % 3]).norm()).fold(0.0, f64::max);
        let sagitta = longest * longest / (4.0 * profile.root_radius()) + 2.0 * tolerance;
        let own = distance(corners.iter().sum::<Vector3<f64>>() / 3.0);
        if own > sagitta {
            return off(format!("a triangle stands {:.1} um off it", 1e6 * own));
        }
        facet_error = facet_error.max(own);
        missing += mesh.area_vector(triangle).norm() / 2.0 * sagitta;
    }
    let volume = part.inertia(1.0).map(|inertia| inertia.mass);
    let volume = volume.map_err(|error| Unrecognised::Thread(error.to_string()))?;
    if (volume - mesh.volume()).abs() > missing {
        return off(format!("its volume differs by {:.2} %", 100.0 * (volume / mesh.volume() - 1.0).abs()));
    }
    let kind = if matches!(part, Part::Nut(_)) { RoundKind::InsideThread } else { RoundKind::OutsideThread };
    let diameters = [2.0 * profile.root_radius(), 2.0 * profile.crest_radius()];
    let found = RoundSurface { kind, diameters, pitch: Some(profile.pitch()), facets, deviation };
    Ok((part, Recognised { solid: None, surfaces: vec![found], facet_error }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshOptions;
    use crate::preset::preset;
    use crate::thread::{Hand, HexHead, MeasuredThread, ThreadAllowance};

    /// A bolt whose groove begins at a wall above a round head, in a frame of its own.
    fn bolt_with_wall(hand: f64, has_head: bool) -> Part {
        let rise = hand * 2e-3 / TAU;
        let found = MeasuredThread { rise, lift: 1.3e-3, radii: [6.5e-3, 7.98e-3], half_width: 0.55e-3 };
        let surface = RadialSurface {
            profile: ThreadProfile::measured(found).expect("a thread"),
            ends: [16e-3, 41e-3],
            starts: [ThreadStart::Blunt, ThreadStart::Chamfered { end_radius: 6.6e-3 }],
            side: Side::External,
            // the groove's middle is 2 mm above the head there
            run_out: Some(RunOut { wall: (18e-3 - 1.3e-3 - 1e-3) / rise }),
        };
        let head = SectionedSolid::new(
            Section::Round,
            Outline::new(&[[0.0, 0.0], [12e-3, 0.0], [12e-3, 16e-3], [0.0, 16e-3]]),
        );
        Part::Bolt(Bolt::measured(surface, None, has_head.then_some(head)))
    }

    fn square_nut() -> Part {
        let Part::Nut(nut) = preset("m20-nut").expect("a nut") else { panic!("a nut") };
        Part::Nut(Nut::measured(nut.surface, Section::Polygon { sides: 4 }, 16e-3))
    }

    fn parts() -> Vec<(&'static str, Part)> {
        let play = ThreadAllowance { radial: 0.1e-3, axial: 0.05e-3 };
        let left = Bolt::new(12e-3, 1.75e-3, 30e-3, play, Hand::Left).expect("a bolt");
        let tip = ThreadStart::Chamfered { end_radius: 4.6e-3 };
        let head = Some(HexHead { across_flats: 18e-3, height: 7.5e-3 });
        let left = left.with_start(tip).and_then(|bolt| bolt.with_body(20e-3, head)).expect("a bolt");
        vec![
            ("coarse", preset("m48x5-bolt").expect("a bolt")),
            ("rod", preset("m48x5-bolt").expect("a bolt")),
            ("nut", preset("m48x5-nut").expect("a nut")),
            ("small nut", preset("m3-nut").expect("a nut")),
            ("fine nut", preset("m64x1.5-nut").expect("a nut")),
            ("left-hand bolt", Part::Bolt(left)),
            ("wall", bolt_with_wall(1.0, true)),
            ("stud", bolt_with_wall(1.0, false)),
            ("square nut", square_nut()),
            ("left-hand wall", bolt_with_wall(-1.0, true)),
        ]
    }

    #[test]
    fn walls_of_grooves_and_square_nuts_have_closed_meshes_on_their_surface() {
        for part in
            [bolt_with_wall(1.0, true), bolt_with_wall(-1.0, true), bolt_with_wall(1.0, false), square_nut()]
        {
            let mesh = part.mesh(&MeshOptions::default()).expect("a mesh");
            let mut edges = std::collections::HashMap::new();
            for [a, b, c] in &mesh.triangles {
                for edge in [(a, b), (b, c), (c, a)] {
                    *edges.entry(edge).or_insert(0) += 1;
                }
            }
            assert!(edges.iter().all(|(&(a, b), count)| *count == 1 && edges.contains_key(&(b, a))));
            let off = mesh.vertices.iter().map(|vertex| part.sample(*vertex).distance.abs());
            assert!(off.fold(0.0, f64::max) < 2e-9);
            let volume = part.inertia(1.0).expect("a volume").mass;
            assert!((volume / mesh.volume() - 1.0).abs() < 2e-3, "{volume} {}", mesh.volume());
        }
    }

    #[test]
    fn meshes_of_threads_become_the_bolts_and_nuts_that_they_were_made_from() {
        for (name, part) in parts() {
            // moved along the axis and turned by a side, which keeps the section
            let turn = if name == "square nut" { PI / 2.0 } else { PI / 3.0 };
            let (up, [sin, cos]) = (7.3e-3, [turn.sin(), turn.cos()]);
            let moved =
                |p: &Vector3<f64>| Vector3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z + up);
            let fine = MeshOptions::default();
            let options =
                if name == "coarse" { MeshOptions { chord_tolerance: 40e-6, ..fine } } else { fine };
            let mut mesh = part.mesh(&options).expect("a mesh");
            for vertex in &mut mesh.vertices {
                *vertex = moved(vertex).map(|x| f64::from((1e3 * x) as f32) / 1e3);
            }
            let (found, recognised) = Part::recognised(&mesh).unwrap_or_else(|why| panic!("{name}: {why}"));
            let surface = recognised.surfaces[0];
            assert!(surface.deviation < 20e-9, "{name}: {surface}");
            assert_eq!(matches!(found, Part::Nut(_)), matches!(part, Part::Nut(_)), "{name}");
            // off the surface too
            let mut worst: f64 = 0.0;
            for (index, vertex) in mesh.vertices.iter().enumerate() {
                let towards = Vector3::from_fn(|k, _| ((index * (k + 3) * 7919) % 101) as f64 / 101.0 - 0.5);
                let back = vertex + towards * 0.2e-3;
                let own = Vector3::new(cos * back.x + sin * back.y, cos * back.y - sin * back.x, back.z - up);
                worst = worst.max((found.sample(back).distance - part.sample(own).distance).abs());
            }
            assert!(worst < 30e-9, "{name}: {worst:e}");
        }
    }

    #[test]
    fn a_thread_that_is_no_bolt_keeps_its_triangles() {
        let mut mesh = preset("m48x5-bolt").expect("a bolt").mesh(&MeshOptions::default()).expect("a mesh");
        // bent
        for vertex in &mut mesh.vertices {
            vertex.x += 0.2 * vertex.z * vertex.z;
        }
        assert!(matches!(Part::recognised(&mesh), Err(Unrecognised::Thread(_))));
    }
}
