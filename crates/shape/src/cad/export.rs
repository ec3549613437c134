//! Solids of revolution as STEP files (AP214, millimetres).
//!
//! Every corner of the outline is a circle, every edge of it a face: a plane, a cylinder or a cone. A face uses the
//! circle at the start of its edge along its direction and the one at the end against it, so that each circle is used
//! once in each direction; cylinders and cones have a seam at angle 0.

use std::fmt::Write;

use crate::profile::{Outline, Section};
use crate::{Part, ShapeError};

/// The text of a STEP file with this part.
///
/// # Errors
/// For parts that are no solids of revolution.
pub fn step_text(part: &Part, name: &str) -> Result<String, ShapeError> {
    match part {
        Part::Sectioned(solid) if solid.section == Section::Round => {
            Ok(Writer::default().file(&solid.outline, name))
        }
        _ => Err(ShapeError::Mesh(format!(
            "`{name}` is no solid of revolution of planes, cylinders and cones; only these are written as STEP, export \
             .stl, .obj or .ply instead"
        ))),
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    last: usize,
}

impl Writer {
    /// Appends an instance and returns its number.
    fn add(&mut self, instance: &str) -> usize {
        self.last += 1;
        let _ = writeln!(self.text, "#{} = {instance};", self.last);
        self.last
    }

    fn point(&mut self, [x, y, z]: [f64; 3]) -> usize {
        self.add(&format!("CARTESIAN_POINT('',({},{},{}))", real(1e3 * x), real(1e3 * y), real(1e3 * z)))
    }

    fn direction(&mut self, [x, y, z]: [f64; 3]) -> usize {
        self.add(&format!("DIRECTION('',({},{},{}))", real(x), real(y), real(z)))
    }

    /// A placement on the z axis with +x as reference.
    fn placement(&mut self, height: f64, up: f64) -> usize {
        let origin = self.point([0.0, 0.0, height]);
        let axis = self.direction([0.0, 0.0, up]);
        let reference = self.direction([1.0, 0.0, 0.0]);
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{origin},#{axis},#{reference})"))
    }

    fn vertex(&mut self, [a, z]: [f64; 2]) -> usize {
        let point = self.point([a, 0.0, z]);
        self.add(&format!("VERTEX_POINT('',#{point})"))
    }

    fn file(mut self, outline: &Outline, name: &str) -> String {
        let name: String = name.chars().filter(|c| c.is_ascii() && !c.is_control() && *c != '\'').collect();
        let corners = outline.vertices();
        let vertices: Vec<usize> = corners.iter().map(|corner| self.vertex(*corner)).collect();
        let mut circles = Vec::new();
        for (corner, vertex) in corners.iter().zip(&vertices) {
            circles.push((corner[0] > 0.0).then(|| {
                let placement = self.placement(corner[1], 1.0);
                let circle = self.add(&format!("CIRCLE('',#{placement},{})", real(1e3 * corner[0])));
                self.add(&format!("EDGE_CURVE('',#{vertex},#{vertex},#{circle},.T.)"))
            }));
        }
        let mut faces = Vec::new();
        for (index, ends) in outline.edges() {
            let next = (index + 1) % corners.len();
            let normal = outline.edge_normal(index);
            let rings = [circles[index], circles[next]];
            faces.push(self.face(ends, normal, rings, [vertices[index], vertices[next]]));
        }
        self.product(&faces, &name)
    }

    fn face(
        &mut self,
        [p, q]: [[f64; 2]; 2],
        normal: [f64; 2],
        rings: [Option<usize>; 2],
        ends: [usize; 2],
    ) -> String {
        let use_of = |writer: &mut Self, edge: usize, along: bool| {
            let flag = if along { ".T." } else { ".F." };
            writer.add(&format!("ORIENTED_EDGE('',*,*,#{edge},{flag})"))
        };
        let bound = |writer: &mut Self, uses: &[usize]| {
            let list: Vec<String> = uses.iter().map(|id| format!("#{id}")).collect();
            let uses = writer.add(&format!("EDGE_LOOP('',({}))", list.join(",")));
            writer.add(&format!("FACE_BOUND('',#{uses},.T.)"))
        };
        if p[1] == q[1] {
            let mut bounds = Vec::new();
            for (ring, along) in rings.into_iter().zip([true, false]) {
                if let Some(ring) = ring {
                    let used = use_of(self, ring, along);
                    bounds.push(format!("#{}", bound(self, &[used])));
                }
            }
            let placement = self.placement(p[1], normal[1].signum());
            let plane = self.add(&format!("PLANE('',#{placement})"));
            let face = self.add(&format!("ADVANCED_FACE('',({}),#{plane},.T.)", bounds.join(",")));
            return format!("#{face}");
        }
        let seam = self.seam([p, q], ends);
        let mut uses = Vec::new();
        uses.extend(rings[0].map(|ring| use_of(self, ring, true)));
        uses.push(use_of(self, seam, true));
        uses.extend(rings[1].map(|ring| use_of(self, ring, false)));
        uses.push(use_of(self, seam, false));
        let bound = bound(self, &uses);
        let surface = if p[0] == q[0] {
            let placement = self.placement(p[1], 1.0);
            self.add(&format!("CYLINDRICAL_SURFACE('',#{placement},{})", real(1e3 * p[0])))
        } else {
            // from the narrow end, along the axis on which the radius grows
            let [narrow, wide] = if p[0] < q[0] { [p, q] } else { [q, p] };
            let placement = self.placement(narrow[1], (wide[1] - narrow[1]).signum());
            let angle = libm::atan2(wide[0] - narrow[0], (wide[1] - narrow[1]).abs());
            self.add(&format!("CONICAL_SURFACE('',#{placement},{},{})", real(1e3 * narrow[0]), real(angle)))
        };
        let sense = if normal[0] > 0.0 { ".T." } else { ".F." };
        let face = self.add(&format!("ADVANCED_FACE('',(#{bound}),#{surface},{sense})"));
        format!("#{face}")
    }

    fn seam(&mut self, [p, q]: [[f64; 2]; 2], ends: [usize; 2]) -> usize {
        let origin = self.point([p[0], 0.0, p[1]]);
        let length = libm::hypot(q[0] - p[0], q[1] - p[1]);
        let along = self.direction([(q[0] - p[0]) / length, 0.0, (q[1] - p[1]) / length]);
        let vector = self.add(&format!("VECTOR('',#{along},1.)"));
        let line = self.add(&format!("LINE('',#{origin},#{vector})"));
        self.add(&format!("EDGE_CURVE('',#{},#{},#{line},.T.)", ends[0], ends[1]))
    }

    /// Shell, solid, units and product, with header and end.
    fn product(mut self, faces: &[String], name: &str) -> String {
        let shell = self.add(&format!("CLOSED_SHELL('',({}))", faces.join(",")));
        let solid = self.add(&format!("MANIFOLD_SOLID_BREP('{name}',#{shell})"));
        let length = self.add("( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.) )");
        let angle = self.add("( NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.) )");
        let solid_angle = self.add("( NAMED_UNIT(*) SI_UNIT($,.STERADIAN.) SOLID_ANGLE_UNIT() )");
        let uncertainty = self.add(&format!(
            "UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-07),#{length},'distance_accuracy_value','')"
        ));
        let context = self.add(&format!(
            "( GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#{uncertainty})) \
             GLOBAL_UNIT_ASSIGNED_CONTEXT((#{length},#{angle},#{solid_angle})) REPRESENTATION_CONTEXT('','') )"
        ));
        let origin = self.placement(0.0, 1.0);
        let shape =
            self.add(&format!("ADVANCED_BREP_SHAPE_REPRESENTATION('',(#{origin},#{solid}),#{context})"));
        let application =
            self.add("APPLICATION_CONTEXT('core data for automotive mechanical design processes')");
        self.add(&format!(
            "APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#{application})"
        ));
        let product_context = self.add(&format!("PRODUCT_CONTEXT('',#{application},'mechanical')"));
        let product = self.add(&format!("PRODUCT('{name}','{name}','',(#{product_context}))"));
        let formation = self.add(&format!("PRODUCT_DEFINITION_FORMATION('','',#{product})"));
        let part =
            self.add(&format!("PRODUCT_DEFINITION_CONTEXT('part definition',#{application},'design')"));
        let definition = self.add(&format!("PRODUCT_DEFINITION('design','',#{formation},#{part})"));
        let defined = self.add(&format!("PRODUCT_DEFINITION_SHAPE('','',#{definition})"));
        self.add(&format!("SHAPE_DEFINITION_REPRESENTATION(#{defined},#{shape})"));
        format!(
            "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('{name}'),'2;1');\n\
             FILE_NAME('{name}','2000-01-01T00:00:00',(''),(''),'','tightfit','');\n\
             FILE_SCHEMA(('AUTOMOTIVE_DESIGN {{ 1 0 10303 214 1 1 1 1 }}'));\nENDSEC;\nDATA;\n{}ENDSEC;\n\
             END-ISO-10303-21;\n",
            self.text
        )
    }
}

/// A real of ISO 10303-21: all digits that matter, always with a point.
fn real(x: f64) -> String {
    let x = if x == 0.0 { 0.0 } else { x };
    let text = format!("{x:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if digits.contains('.') => format!("{digits}E{exponent}"),
        Some((digits, exponent)) => format!("{digits}.E{exponent}"),
        None => text,
    }
}
