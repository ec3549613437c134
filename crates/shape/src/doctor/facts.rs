//! Measurements of a part. Facts are not findings: a healthy part has them too.

use std::fmt;

use serde::Serialize;

use crate::mesh::LengthUnit;

/// Measurements of a part.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Facts {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Smallest coordinates [m].
    #[serde(rename = "min_m")]
    pub min: [f64; 3],
    /// Largest coordinates [m].
    #[serde(rename = "max_m")]
    pub max: [f64; 3],
    /// Diagonal of the bounding box [m].
    #[serde(rename = "diagonal_m")]
    pub diagonal: f64,
    /// Area [m²].
    #[serde(rename = "area_m2")]
    pub area: f64,
    /// Whether every shell is closed.
    pub closed: bool,
    /// Signed volume [m³] when closed; cavities are subtracted.
    #[serde(rename = "volume_m3")]
    pub volume: Option<f64>,
    /// Number of shells.
    pub shell_count: usize,
    /// The hundred shells of largest area, largest first.
    pub shells: Vec<ShellFacts>,
    /// Mass properties, when a density was given and the mesh encloses a positive volume.
    pub mass: Option<MassFacts>,
    /// Lengths of the edges.
    pub edges: EdgeFacts,
    /// Sharp convex edges.
    pub sharp_convex: SharpFacts,
    /// Sharp concave edges.
    pub sharp_concave: SharpFacts,
    /// Distance of the facets from the curved surface that they approximate; absent without curved regions.
    pub facets: Option<FacetFacts>,
}

/// One shell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShellFacts {
    /// Number of triangles.
    pub triangles: usize,
    /// Whether the shell bounds a solid.
    pub closed: bool,
    /// Signed volume [m³], positive when the triangles face outwards.
    #[serde(rename = "volume_m3")]
    pub volume: f64,
    /// Area [m²].
    #[serde(rename = "area_m2")]
    pub area: f64,
    /// Euler number V − E + F [-].
    pub euler: i64,
    /// Number of handles, when closed.
    pub genus: Option<i64>,
    /// Number of shells that enclose it: odd for a cavity.
    pub depth: u32,
}

/// Mass properties at the requested density.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MassFacts {
    /// Density [kg/m³].
    #[serde(rename = "density_kg_m3")]
    pub density: f64,
    /// Mass [kg].
    #[serde(rename = "mass_kg")]
    pub mass: f64,
    /// Centre of mass [m].
    #[serde(rename = "center_of_mass_m")]
    pub center_of_mass: [f64; 3],
    /// Moment of inertia about the centre of mass, by rows [kg m²].
    #[serde(rename = "moment_kg_m2")]
    pub moment: [[f64; 3]; 3],
}

/// Lengths of the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EdgeFacts {
    /// Number of edges.
    pub count: usize,
    /// Shortest [m].
    #[serde(rename = "min_m")]
    pub min: f64,
    /// Mean [m].
    #[serde(rename = "mean_m")]
    pub mean: f64,
    /// Longest [m].
    #[serde(rename = "max_m")]
    pub max: f64,
}

/// A set of sharp edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SharpFacts {
    /// Number of edges.
    pub count: usize,
    /// Total length [m].
    #[serde(rename = "length_m")]
    pub length: f64,
}

/// How well the facets approximate curved regions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FacetFacts {
    /// Height of the arc over a facet (sagitta), 99th percentile over the bent edges [m].
    #[serde(rename = "sagitta_p99_m")]
    pub sagitta_p99: f64,
    /// Largest height of the arc over a facet [m].
    #[serde(rename = "sagitta_max_m")]
    pub sagitta_max: f64,
    /// Radius of curvature, 10th percentile over the bent edges [m].
    #[serde(rename = "radius_p10_m")]
    pub radius_p10: f64,
    /// Spacing of contact nodes that uses up a tenth of the clearance, when a clearance is given [m].
    #[serde(rename = "recommended_spacing_m")]
    pub recommended_spacing: Option<f64>,
}

impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mm = |metres: f64| metres / LengthUnit::Millimetre.factor();
        let size: Vec<f64> = (0..3).map(|axis| mm(self.max[axis] - self.min[axis])).collect();
        writeln!(f, "size        {:.4} x {:.4} x {:.4} mm", size[0], size[1], size[2])?;
        writeln!(f, "triangles   {} over {} vertices", self.triangles, self.vertices)?;
        writeln!(f, "area        {:.6} cm2", self.area * 1e4)?;
        match self.volume {
            Some(volume) => writeln!(f, "volume      {:.6} cm3", volume * 1e6)?,
            None => writeln!(f, "volume      none: not closed")?,
        }
        writeln!(f, "shells      {}", self.shell_count)?;
        for shell in self.shells.iter().take(10) {
            let state = match (shell.closed, shell.depth % 2) {
                (true, 0) => "closed",
                (true, _) => "cavity",
                _ => "open",
            };
            write!(f, "  {state:<9} {} triangles, Euler number {}", shell.triangles, shell.euler)?;
            if let Some(genus) = shell.genus {
                write!(f, ", genus {genus}, {:.6} cm3", shell.volume * 1e6)?;
            }
            writeln!(f)?;
        }
        if let Some(mass) = &self.mass {
            let [x, y, z] = mass.center_of_mass.map(mm);
            writeln!(f, "mass        {:.6} kg at {} kg/m3", mass.mass, mass.density)?;
            writeln!(f, "centre      ({x:.4}, {y:.4}, {z:.4}) mm")?;
        }
        let edges = &self.edges;
        let (least, mean, most) = (mm(edges.min), mm(edges.mean), mm(edges.max));
        writeln!(f, "edges       {}: {least:.4} to {most:.4} mm, mean {mean:.4} mm", edges.count)?;
        for (name, sharp) in [("convex", &self.sharp_convex), ("concave", &self.sharp_concave)] {
            writeln!(f, "sharp       {} {name} edges, {:.3} mm", sharp.count, mm(sharp.length))?;
        }
        if let Some(facets) = &self.facets {
            let (usual, most) = (1e6 * facets.sagitta_p99, 1e6 * facets.sagitta_max);
            writeln!(f, "facets      {usual:.3} um off the curved surface (99 %), at most {most:.3} um")?;
            if let Some(spacing) = facets.recommended_spacing {
                writeln!(f, "nodes       every {:.4} mm recommended", mm(spacing))?;
            }
        }
        Ok(())
    }
}
