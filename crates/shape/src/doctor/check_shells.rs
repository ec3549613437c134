//! Shells that do not form a solid: inside out, or intersecting. Scenes reject such meshes.
//!
//! A cavity is a shell inside another shell; its triangles face inwards. A shell inside a cavity is a body again.

use nalgebra::Vector3;

use super::DoctorOptions;
use super::check_surface::is_inside_out;
use super::nesting::depths;
use super::surface::{Surface, WELD_TOLERANCE, middle};
use super::touching::overlapping_shells;
use crate::mesh::{EdgeTable, Shell, TriMesh, self_crossings};

/// A defect in the shells of a mesh. Shells are numbered from 1, by their first triangles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShellFault {
    /// The triangles of a shell face the wrong way.
    #[error(
        "shell {shell} of {shells} ({triangles} triangles around {}) is inside out{}", in_millimetres(.middle),
        if *.is_cavity { ": it lies inside another shell and must face inwards" } else { "" }
    )]
    InsideOut {
        /// Number of the shell.
        shell: usize,
        /// Number of shells.
        shells: usize,
        /// Number of triangles of the shell.
        triangles: usize,
        /// Centre of its bounding box [m].
        middle: Vector3<f64>,
        /// Whether it lies inside another shell.
        is_cavity: bool,
    },
    /// Two shells intersect.
    #[error(
        "shells {} and {} of {shells} intersect at {}, so their common volume counts twice; unite the bodies in CAD",
        .pair[0], .pair[1], in_millimetres(.place)
    )]
    Crossing {
        /// Numbers of the two shells.
        pair: [usize; 2],
        /// Number of shells.
        shells: usize,
        /// A point of the intersection [m].
        place: Vector3<f64>,
    },
}

/// Checks that no shell of a closed mesh is inside out and that no two shells intersect.
///
/// # Errors
/// With the first defect found.
pub fn check_shells(mesh: &TriMesh) -> Result<(), ShellFault> {
    let surface = Surface::new(mesh, EdgeTable::new(mesh));
    let shells = surface.shells.len();
    let (depths, _) = depths(&surface);
    let wrong = surface.shells.iter().zip(&depths).position(|(shell, &depth)| is_inside_out(shell, depth));
    if let Some(index) = wrong {
        let Shell { triangles, aabb, .. } = surface.shells[index];
        let is_cavity = depths[index] % 2 == 1;
        let (shell, middle) = (index + 1, aabb.center());
        return Err(ShellFault::InsideOut { shell, shells, triangles, middle, is_cavity });
    }
    let options = DoctorOptions::default();
    if shells < 2 || mesh.triangles.len() > options.crossing_triangles {
        return Ok(());
    }
    let found = self_crossings(mesh, WELD_TOLERANCE * mesh.aabb().diagonal(), options.crossing_pairs);
    let shell_of = |triangle: u32| surface.of_triangle[triangle as usize];
    let crosses = |pair: &&[u32; 2]| shell_of(pair[0]) != shell_of(pair[1]);
    let Some(&[first, second]) = found.pairs.iter().find(crosses) else { return Ok(()) };
    let fault = |[one, two]: [u32; 2], place| {
        let pair = [one as usize + 1, two as usize + 1];
        ShellFault::Crossing { pair, shells, place }
    };
    match overlapping_shells(&surface, &found.pairs).as_deref() {
        // bodies that touch are one solid
        Some([]) => Ok(()),
        Some([pair, ..]) => {
            let place = |[a, b]: &[u32; 2]| [shell_of(*a), shell_of(*b)] == *pair;
            let shown = found.pairs.iter().find(|crossing| place(crossing)).map_or(first, |[a, _]| *a);
            Err(fault(*pair, middle(mesh, shown as usize)))
        }
        None => Err(fault([shell_of(first), shell_of(second)], middle(mesh, first as usize))),
    }
}

fn in_millimetres(place: &Vector3<f64>) -> String {
    let [x, y, z] = (place * 1e3).into();
    format!("({x:.3}, {y:.3}, {z:.3}) mm")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{cube, joined, moved};

    fn scaled(mesh: &TriMesh, factor: f64) -> TriMesh {
        TriMesh { vertices: mesh.vertices.iter().map(|v| v * factor).collect(), ..mesh.clone() }
    }

    #[test]
    fn cavities_and_separate_bodies_are_accepted() {
        let hollow = joined(&scaled(&cube(), 3.0), &moved(&cube(), Vector3::repeat(1.0)).flipped());
        let beside = joined(&cube(), &moved(&cube(), Vector3::new(2.0, 0.0, 0.0)));
        let post = moved(&scaled(&cube(), 0.3), Vector3::new(0.35, 0.2, 1.0));
        let on_a_plate = joined(&cube(), &post);
        for mesh in [cube(), hollow, beside, on_a_plate] {
            assert_eq!(check_shells(&mesh), Ok(()));
        }
    }

    #[test]
    fn inside_out_shell_is_reported() {
        let beside = joined(&scaled(&cube(), 3.0), &moved(&cube(), Vector3::new(4.0, 0.0, 0.0)).flipped());
        let filled = joined(&scaled(&cube(), 3.0), &moved(&cube(), Vector3::repeat(1.0)));
        for (mesh, cavity) in [(beside, false), (filled, true)] {
            assert!(mesh.volume() > 0.0);
            let Err(ShellFault::InsideOut { shell: 2, is_cavity, .. }) = check_shells(&mesh) else {
                panic!("{:?}", check_shells(&mesh));
            };
            assert_eq!(is_cavity, cavity);
        }
    }

    #[test]
    fn intersecting_bodies_are_reported() {
        let sunk = moved(&scaled(&cube(), 0.3), Vector3::new(0.35, 0.2, 0.99));
        for other in [moved(&cube(), Vector3::new(0.5, 0.3, 0.2)), sunk] {
            let mesh = joined(&cube(), &other);
            assert!(matches!(check_shells(&mesh), Err(ShellFault::Crossing { pair: [1, 2], shells: 2, .. })));
        }
    }
}
