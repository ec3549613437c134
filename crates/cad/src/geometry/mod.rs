//! Curves and surfaces without their limits.

mod basis;
mod curve;
mod frame;
mod power;
mod recognise;
mod spline_curve;
mod spline_surface;
mod surface;
mod sweep;

pub use curve::{Conic, Curve};
pub use frame::Frame;
pub use spline_curve::SplineCurve;
pub use spline_surface::SplineSurface;
pub use surface::{Foot, Surface};
pub use sweep::{Local, Parametric};

pub(crate) use power::PowerCurve;
pub(crate) use recognise::recognise;
