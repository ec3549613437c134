//! Shells that make no solid together: the least that a mesh of several must keep to.
//!
//! A cavity is a shell inside another that looks inwards; one inside a cavity is a body again.

use nalgebra::Vector3;

use super::DoctorOptions;
use super::check_surface::looks_wrong;
use super::nesting::depths;
use super::surface::{Surface, WELD_TOLERANCE, middle};
use crate::mesh::{EdgeTable, Shell, TriMesh, self_crossings};

/// What is wrong with the shells of a mesh, numbered from 1 by their first triangles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShellFault {
    /// A shell looks the wrong way.
    #[error(
        "shell {shell} of {shells} ({triangles} triangles around {}) is inside out{}", in_millimetres(.middle),
        if *.is_cavity { ": it lies inside another one and must look inwards" } else { "" }
    )]
    InsideOut {
        /// Number of the shell.
        shell: usize,
        /// Number of shells.
        shells: usize,
        /// Triangles of the shell.
        triangles: usize,
        /// Middle of its box [m].
        middle: Vector3<f64>,
        /// Whether it lies inside another one.
        is_cavity: bool,
    },
    /// Two shells pass through one another.
    #[error(
        "shells {} and {} of {shells} pass through one another at {}, so what is inside is counted twice; unite the bodies in CAD",
        .pair[0], .pair[1], in_millimetres(.place)
    )]
    Crossing {
        /// Numbers of the two shells.
        pair: [usize; 2],
        /// Number of shells.
        shells: usize,
        /// A place where they do [m].
        place: Vector3<f64>,
    },
}

/// Finds a shell of a closed mesh that looks the wrong way, or two that pass through one another.
///
/// # Errors
/// With the first that is found.
pub fn check_shells(mesh: &TriMesh) -> Result<(), ShellFault> {
    let surface = Surface::new(mesh, EdgeTable::new(mesh));
    let shells = surface.shells.len();
    let (depths, _) = depths(&surface);
    let wrong = surface.shells.iter().zip(&depths).position(|(shell, &depth)| looks_wrong(shell, depth));
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
    let shell_of = |triangle: u32| surface.of_triangle[triangle as usize] as usize + 1;
    match found.pairs.iter().find(|pair| shell_of(pair[0]) != shell_of(pair[1])) {
        Some(&[first, second]) => {
            let pair = [shell_of(first), shell_of(second)];
            Err(ShellFault::Crossing { pair, shells, place: middle(mesh, first as usize) })
        }
        None => Ok(()),
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
    fn cavities_and_bodies_beside_one_another_are_sound() {
        let hollow = joined(&scaled(&cube(), 3.0), &moved(&cube(), Vector3::repeat(1.0)).flipped());
        let beside = joined(&cube(), &moved(&cube(), Vector3::new(2.0, 0.0, 0.0)));
        for mesh in [cube(), hollow, beside] {
            assert_eq!(check_shells(&mesh), Ok(()));
        }
    }

    #[test]
    fn a_shell_that_looks_the_wrong_way_is_named() {
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
    fn bodies_that_pass_through_one_another_are_named() {
        let mesh = joined(&cube(), &moved(&cube(), Vector3::new(0.5, 0.3, 0.2)));
        assert!(matches!(check_shells(&mesh), Err(ShellFault::Crossing { pair: [1, 2], shells: 2, .. })));
    }
}
