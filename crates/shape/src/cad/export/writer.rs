//! Instances of ISO 10303-21: points, curves, surfaces, faces and the product around them (AP214, millimetres).

use std::fmt::Write;

use nalgebra::Vector3;

use super::spline::Spline;

/// A vertex that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    /// Number of its instance.
    pub(super) id: usize,
    /// Position [m].
    pub(super) at: Vector3<f64>,
}

/// A use of an edge: its number, and whether along it.
pub(super) type Use = (usize, bool);

/// The text of a file as it grows.
#[derive(Default)]
pub(super) struct Writer {
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

    fn point(&mut self, at: Vector3<f64>) -> usize {
        let [x, y, z] = (1e3 * at).map(real).into();
        self.add(&format!("CARTESIAN_POINT('',({x},{y},{z}))"))
    }

    fn direction(&mut self, along: Vector3<f64>) -> usize {
        let [x, y, z] = along.map(real).into();
        self.add(&format!("DIRECTION('',({x},{y},{z}))"))
    }

    /// A placement with this axis; its reference is +x where the axis is ±z.
    fn placement(&mut self, origin: Vector3<f64>, axis: Vector3<f64>) -> usize {
        let across = if axis.xy().norm() == 0.0 {
            Vector3::x()
        } else {
            Vector3::new(-axis.y, axis.x, 0.0).normalize()
        };
        let [origin, axis, across] = [self.point(origin), self.direction(axis), self.direction(across)];
        self.add(&format!("AXIS2_PLACEMENT_3D('',#{origin},#{axis},#{across})"))
    }

    pub(super) fn vertex(&mut self, at: Vector3<f64>) -> Vertex {
        let point = self.point(at);
        Vertex { id: self.add(&format!("VERTEX_POINT('',#{point})")), at }
    }

    fn edge(&mut self, [from, to]: [Vertex; 2], curve: usize) -> usize {
        self.add(&format!("EDGE_CURVE('',#{},#{},#{curve},.T.)", from.id, to.id))
    }

    /// A straight edge.
    pub(super) fn line(&mut self, ends: [Vertex; 2]) -> usize {
        let origin = self.point(ends[0].at);
        let along = self.direction((ends[1].at - ends[0].at).normalize());
        let vector = self.add(&format!("VECTOR('',#{along},1.)"));
        let line = self.add(&format!("LINE('',#{origin},#{vector})"));
        self.edge(ends, line)
    }

    /// An arc, counter-clockwise about +z; the whole circle where both ends are one.
    pub(super) fn arc(&mut self, center: Vector3<f64>, radius: f64, ends: [Vertex; 2]) -> usize {
        let placement = self.placement(center, Vector3::z());
        let circle = self.add(&format!("CIRCLE('',#{placement},{})", real(1e3 * radius)));
        self.edge(ends, circle)
    }

    /// An edge along a spline.
    pub(super) fn spline(&mut self, spline: &Spline, ends: [Vertex; 2]) -> usize {
        let points = self.points(&spline.points);
        let (knots, multiplicities) = (numbers(&spline.knots()), list(&spline.multiplicities()));
        let curve = self.add(&format!(
            "B_SPLINE_CURVE_WITH_KNOTS('',{},({points}),.UNSPECIFIED.,.F.,.F.,({multiplicities}),({knots}),.UNSPECIFIED.)",
            Spline::DEGREE
        ));
        self.edge(ends, curve)
    }

    fn points(&mut self, all: &[Vector3<f64>]) -> String {
        let written: Vec<String> = all.iter().map(|&at| format!("#{}", self.point(at))).collect();
        written.join(",")
    }

    pub(super) fn plane(&mut self, origin: Vector3<f64>, normal: Vector3<f64>) -> usize {
        let placement = self.placement(origin, normal);
        self.add(&format!("PLANE('',#{placement})"))
    }

    /// A cylinder about a line along z.
    pub(super) fn cylinder(&mut self, origin: Vector3<f64>, radius: f64) -> usize {
        let placement = self.placement(origin, Vector3::z());
        self.add(&format!("CYLINDRICAL_SURFACE('',#{placement},{})", real(1e3 * radius)))
    }

    /// A cone about a line along z, through circles of these radii at these heights, [radius, z] each.
    pub(super) fn cone(&mut self, axis: Vector3<f64>, [p, q]: [[f64; 2]; 2]) -> usize {
        // from the narrow end, along the axis on which the radius grows
        let [narrow, wide] = if p[0] < q[0] { [p, q] } else { [q, p] };
        let up = Vector3::z() * (wide[1] - narrow[1]).signum();
        let placement = self.placement(Vector3::new(axis.x, axis.y, narrow[1]), up);
        let angle = libm::atan2(wide[0] - narrow[0], (wide[1] - narrow[1]).abs());
        self.add(&format!("CONICAL_SURFACE('',#{placement},{},{})", real(1e3 * narrow[0]), real(angle)))
    }

    /// The straight lines between two splines of the same knots; its normal is along × from the first to the second.
    pub(super) fn ruled(&mut self, rails: [&Spline; 2]) -> usize {
        let net: Vec<String> = (0..rails[0].points.len())
            .map(|index| format!("({})", self.points(&rails.map(|rail| rail.points[index]))))
            .collect();
        let (knots, multiplicities) = (numbers(&rails[0].knots()), list(&rails[0].multiplicities()));
        self.add(&format!(
            "B_SPLINE_SURFACE_WITH_KNOTS('',{},1,({}),.UNSPECIFIED.,.F.,.F.,.F.,({multiplicities}),(2,2),({knots}),(0.,1.),\
             .UNSPECIFIED.)",
            Spline::DEGREE,
            net.join(",")
        ))
    }

    /// A face with its loops; `same` tells whether its outward normal is that of the surface.
    pub(super) fn face(&mut self, surface: usize, same: bool, loops: &[Vec<Use>]) -> usize {
        let flag = |yes: bool| if yes { ".T." } else { ".F." };
        let mut bounds = Vec::new();
        for uses in loops.iter().filter(|uses| !uses.is_empty()) {
            let uses: Vec<usize> = uses
                .iter()
                .map(|&(edge, along)| self.add(&format!("ORIENTED_EDGE('',*,*,#{edge},{})", flag(along))))
                .collect();
            let uses = self.add(&format!("EDGE_LOOP('',({}))", references(&uses)));
            bounds.push(self.add(&format!("FACE_BOUND('',#{uses},.T.)")));
        }
        self.add(&format!("ADVANCED_FACE('',({}),#{surface},{})", references(&bounds), flag(same)))
    }

    /// Shell, solid, units and product, with header and end.
    pub(super) fn product(mut self, faces: &[usize], name: &str) -> String {
        let name: String = name.chars().filter(|c| c.is_ascii() && !c.is_control() && *c != '\'').collect();
        let shell = self.add(&format!("CLOSED_SHELL('',({}))", references(faces)));
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
        let origin = self.placement(Vector3::zeros(), Vector3::z());
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

fn references(ids: &[usize]) -> String {
    ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(",")
}

fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

fn numbers(values: &[f64]) -> String {
    values.iter().map(|&value| real(value)).collect::<Vec<_>>().join(",")
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
