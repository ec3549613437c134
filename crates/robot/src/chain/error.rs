//! What can be wrong with the description of an arm.

use tightfit_spatial::InertiaError;

use crate::MAX_JOINTS;

/// A description that is no serial arm, with the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChainError {
    /// The file could not be read.
    #[error(
        "cannot read {path}: {reason}; give the path of a URDF file (run xacro files through xacro first)"
    )]
    Unreadable {
        /// The path.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// Not URDF.
    #[error(
        "{place}: {reason}; the text must be URDF, as `check_urdf` accepts it (run xacro files through xacro first)"
    )]
    Malformed {
        /// The joint or link, or the whole text.
        place: String,
        /// What the parser said.
        reason: String,
    },
    /// Two links or joints of one name.
    #[error("{what} `{name}` is described twice; rename one of them")]
    Twice {
        /// Link or joint.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// A joint names a link that is not described.
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
    /// Not exactly one link without parent.
    #[error(
        "{count} links have no parent joint ({names}); exactly one link must be the base: connect the others by joints"
    )]
    Base {
        /// How many.
        count: usize,
        /// Their names.
        names: String,
    },
    /// A link that the base does not reach.
    #[error("link `{link}` hangs on a loop of joints that never reaches the base; cut the loop")]
    Detached {
        /// The link.
        link: String,
    },
    /// Two joints that move start from one link.
    #[error(
        "the arm branches at link `{link}`: joints `{first}` and `{second}` both move; a serial arm has one: make the other one fixed (for fingers, at their grip)"
    )]
    Branch {
        /// The link, or the rigid group of links that it belongs to.
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
    /// A kind of joint that a serial arm of this crate cannot have.
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
        /// What it is.
        value: f64,
        /// What would be accepted.
        allowed: &'static str,
    },
    /// Inertial values that belong to no body.
    #[error("link `{link}`: {problem}; correct <inertial> (moments are about its origin, in its axes)")]
    Inertia {
        /// The link.
        link: String,
        /// What is wrong.
        problem: InertiaError,
    },
    /// A joint that carries no mass.
    #[error("joint `{joint}` moves no inertia; give the links behind it an <inertial>, or make it fixed")]
    NoInertia {
        /// The joint.
        joint: String,
    },
    /// Nothing moves.
    #[error("robot `{robot}` has no joint that moves; an arm needs at least one")]
    NoJoint {
        /// The robot.
        robot: String,
    },
    /// More joints than there is room for.
    #[error(
        "robot `{robot}` has {count} joints that move; at most {MAX_JOINTS} are supported: fix the others"
    )]
    TooManyJoints {
        /// The robot.
        robot: String,
        /// How many.
        count: usize,
    },
    /// The tip that was asked for is not at the end of the arm.
    #[error("`{tip}` is not fixed to the last link that moves; choose the tip among: {allowed}")]
    Tip {
        /// The name asked for.
        tip: String,
        /// Links that are.
        allowed: String,
    },
    /// Several links could be the tip.
    #[error("several links end the arm: {candidates}; name the one that is to be the tip")]
    AmbiguousTip {
        /// Their names.
        candidates: String,
    },
}
