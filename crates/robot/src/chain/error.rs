//! Errors in the description of an arm.

use tightfit_spatial::InertiaError;

use crate::MAX_JOINTS;

/// The description is not a serial arm; the message names the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// The file could not be read.
    #[error(
        "cannot read {path}: {reason}; give the path of a URDF file (run xacro files through xacro first)"
    )]
    Unreadable {
        /// The path.
        path: String,
        /// The reason given by the operating system.
        reason: String,
    },
    /// Not URDF.
    #[error(
        "{place}: {reason}; the text must be URDF, as `check_urdf` accepts it (run xacro files through xacro first)"
    )]
    Malformed {
        /// The joint or link, or the whole text.
        place: String,
        /// The parser's message.
        reason: String,
    },
    /// Two links or joints share a name.
    #[error("{what} `{name}` is described twice; rename one of them")]
    Twice {
        /// Link or joint.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A joint names an unknown link.
    #[error(
        "joint `{joint}`: {role} link `{link}` is not described; add <link name=\"{link}\"> or correct the name"
    )]
    UnknownLink {
        /// The joint.
        joint: String,
        /// Parent or child.
        role: &'static str,
        /// The link.
        link: String,
    },
    /// A link is the child of two joints.
    #[error(
        "link `{link}` is moved by two joints, `{first}` and `{second}`; closed loops are not supported: cut one of them"
    )]
    Loop {
        /// The link.
        link: String,
        /// One joint.
        first: String,
        /// The other.
        second: String,
    },
    /// There is not exactly one link without a parent.
    #[error(
        "{count} links have no parent joint ({names}); exactly one link must be the base: connect the others by joints"
    )]
    Base {
        /// How many.
        count: usize,
        /// Their names.
        names: String,
    },
    /// A link that is not connected to the base.
    #[error("link `{link}` is part of a loop of joints that is not connected to the base; cut the loop")]
    Detached {
        /// The link.
        link: String,
    },
    /// Two movable joints start from one link.
    #[error(
        "the arm branches at link `{link}`: joints `{first}` and `{second}` both move; a serial arm has one: make the other one fixed (for fingers, at their grip)"
    )]
    Branch {
        /// The link, or a link of its rigid group.
        link: String,
        /// One joint.
        first: String,
        /// The other.
        second: String,
    },
    /// A joint that follows another.
    #[error("joint `{joint}` mimics `{of}`; coupled joints are not supported: make it fixed")]
    Mimic {
        /// The joint.
        joint: String,
        /// The one that it follows.
        of: String,
    },
    /// An unsupported kind of joint.
    #[error(
        "joint `{joint}` is {kind}; supported are fixed, revolute, continuous and prismatic: split it into those"
    )]
    Kind {
        /// The joint.
        joint: String,
        /// Its type.
        kind: String,
    },
    /// A number that is not allowed.
    #[error("{place}: {what} is {value}; allowed: {allowed}")]
    Value {
        /// The joint or link.
        place: String,
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// Inertial values that no rigid body has.
    #[error("link `{link}`: {problem}; correct <inertial> (moments are about its origin, in its axes)")]
    Inertia {
        /// The link.
        link: String,
        /// The problem.
        problem: InertiaError,
    },
    /// A joint that moves no mass.
    #[error("joint `{joint}` moves no inertia; give the links behind it an <inertial>, or make it fixed")]
    NoInertia {
        /// The joint.
        joint: String,
    },
    /// No joint moves.
    #[error("robot `{robot}` has no joint that moves; an arm needs at least one")]
    NoJoint {
        /// The robot.
        robot: String,
    },
    /// More than [`MAX_JOINTS`] joints.
    #[error(
        "robot `{robot}` has {count} joints that move; at most {MAX_JOINTS} are supported: fix the others"
    )]
    TooManyJoints {
        /// The robot.
        robot: String,
        /// How many.
        count: usize,
    },
    /// The requested tip is not at the end of the arm.
    #[error("`{tip}` is not fixed to the last link that moves; choose the tip among: {allowed}")]
    Tip {
        /// The requested name.
        tip: String,
        /// Links that can be the tip.
        allowed: String,
    },
    /// Several links could be the tip.
    #[error("several links end the arm: {candidates}; name the one that is the tip")]
    AmbiguousTip {
        /// Their names.
        candidates: String,
    },
}
