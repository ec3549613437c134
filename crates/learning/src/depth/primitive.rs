//! The primitive shape whose residual a part's network may learn.

use tightfit_network::Primitive;
use tightfit_shape::Part;

/// A smooth screw for a bolt, else a ring around the part's material; `None` for unbounded parts.
#[must_use]
pub fn primitive_of(part: &Part) -> Option<Primitive> {
    let extent = part.extent();
    let primitive = match part {
        Part::Bolt(bolt) => {
            let thread = bolt.thread();
            let pitch = thread.rise() * std::f64::consts::TAU;
            let radii = [thread.root_radius(), thread.crest_radius()];
            Primitive::Screw { pitch, radii, heights: extent.heights }
        }
        _ => Primitive::Ring { radii: extent.radii, heights: extent.heights },
    };
    primitive.check().is_ok().then_some(primitive)
}
