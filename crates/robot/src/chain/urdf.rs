//! Reads a serial arm from URDF.
//!
//! Links that are fixed to one another become one link: their inertias are added, which is exact. Links fixed to the
//! base are ignored, since they do not move. A joint's `<dynamics>` gives its friction, its `<limit>` the range,
//! speed and effort. A speed or effort of zero means "unknown" and sets no limit.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, Pose};
use urdf_rs::JointType;

use super::{Chain, ChainError, Joint, JointKind, JointLimits};
use crate::rotation::from_roll_pitch_yaw;

impl Chain {
    /// The arm of a URDF file. `tip` names the tip link; without it the only end link is the tip.
    ///
    /// # Errors
    /// When the file cannot be read or is not a serial arm; the error names the joint or link and the remedy.
    pub fn from_urdf_file(path: &Path, tip: Option<&str>) -> Result<Self, ChainError> {
        let text = std::fs::read_to_string(path).map_err(|error| ChainError::Unreadable {
            path: path.display().to_string(),
            reason: error.to_string(),
        })?;
        Self::from_urdf(&text, tip)
    }

    /// The arm of a URDF text. `tip` names the tip link; without it the only end link is the tip.
    ///
    /// # Errors
    /// When the text is not a serial arm; the error names the joint or link and the remedy.
    pub fn from_urdf(text: &str, tip: Option<&str>) -> Result<Self, ChainError> {
        let robot = urdf_rs::read_from_string(text).map_err(|error| malformed(text, &error))?;
        let tree = Tree::new(&robot)?;
        let mut joints: Vec<Joint> = Vec::new();
        let mut visited = 0;
        let mut group = tree.group(tree.base)?;
        loop {
            visited += group.links.len();
            if let Some(joint) = joints.last_mut() {
                joint.inertia = group.inertia;
            }
            let Some((outgoing, group_from_joint)) = group.moving else { break };
            joints.push(moving_joint(outgoing, group_from_joint)?);
            group = tree.group(&outgoing.child.link)?;
        }
        if visited < robot.links.len() {
            return Err(tree.detached(&robot));
        }
        let (tip_name, last_from_tip) = tree.tip(&group, tip)?;
        Self::new(robot.name.clone(), joints, last_from_tip, tip_name)
    }
}

/// The links and joints of a description, by name.
struct Tree<'a> {
    links: BTreeMap<&'a str, &'a urdf_rs::Link>,
    /// Joints that start at a link.
    outgoing: BTreeMap<&'a str, Vec<&'a urdf_rs::Joint>>,
    base: &'a str,
}

/// Links that are fixed to one another, in the frame of the first link.
struct Group<'a> {
    links: Vec<(&'a str, Pose)>,
    inertia: Option<Inertia>,
    /// The joint that moves the next group.
    moving: Option<(&'a urdf_rs::Joint, Pose)>,
}

impl<'a> Tree<'a> {
    fn new(robot: &'a urdf_rs::Robot) -> Result<Self, ChainError> {
        let mut links = BTreeMap::new();
        for link in &robot.links {
            if links.insert(link.name.as_str(), link).is_some() {
                return Err(ChainError::Twice { what: "link", name: link.name.clone() });
            }
        }
        let mut outgoing: BTreeMap<&str, Vec<&urdf_rs::Joint>> = BTreeMap::new();
        let mut moved_by: BTreeMap<&str, &str> = BTreeMap::new();
        let mut names = BTreeMap::new();
        for joint in &robot.joints {
            if names.insert(joint.name.as_str(), ()).is_some() {
                return Err(ChainError::Twice { what: "joint", name: joint.name.clone() });
            }
            for (role, link) in [("parent", &joint.parent.link), ("child", &joint.child.link)] {
                if !links.contains_key(link.as_str()) {
                    return Err(ChainError::UnknownLink {
                        joint: joint.name.clone(),
                        role,
                        link: link.clone(),
                    });
                }
            }
            if let Some(first) = moved_by.insert(&joint.child.link, &joint.name) {
                return Err(ChainError::Loop {
                    link: joint.child.link.clone(),
                    first: first.to_string(),
                    second: joint.name.clone(),
                });
            }
            outgoing.entry(&joint.parent.link).or_default().push(joint);
        }
        let roots: Vec<&str> = robot
            .links
            .iter()
            .map(|link| link.name.as_str())
            .filter(|name| !moved_by.contains_key(name))
            .collect();
        match roots[..] {
            [base] => Ok(Self { links, outgoing, base }),
            _ => Err(ChainError::Base { count: roots.len(), names: roots.join(", ") }),
        }
    }

    /// All links that are fixed to a link.
    fn group(&self, first: &'a str) -> Result<Group<'a>, ChainError> {
        let mut group = Group { links: vec![(first, Pose::identity())], inertia: None, moving: None };
        let mut next = 0;
        while let Some(&(name, group_from_link)) = group.links.get(next) {
            next += 1;
            if let Some(inertia) = self.links.get(name).map(|link| link_inertia(link)).transpose()?.flatten()
            {
                let inertia = inertia.transformed(&group_from_link);
                group.inertia = Some(group.inertia.map_or(inertia, |sum| sum.combined(&inertia)));
            }
            for &joint in self.outgoing.get(name).map_or(&[][..], Vec::as_slice) {
                let place = format!("joint `{}`", joint.name);
                let group_from_joint = group_from_link * pose(&joint.origin, &place)?;
                if joint.joint_type == JointType::Fixed {
                    group.links.push((&joint.child.link, group_from_joint));
                } else if let Some((other, _)) = group.moving {
                    return Err(ChainError::Branch {
                        link: name.to_string(),
                        first: other.name.clone(),
                        second: joint.name.clone(),
                    });
                } else {
                    group.moving = Some((joint, group_from_joint));
                }
            }
        }
        Ok(group)
    }

    /// The tip link, among those of the last group.
    fn tip(&self, last: &Group, wanted: Option<&str>) -> Result<(String, Pose), ChainError> {
        let listed = |names: &mut dyn Iterator<Item = &str>| names.collect::<Vec<_>>().join(", ");
        if let Some(wanted) = wanted {
            let found = last.links.iter().find(|(name, _)| *name == wanted);
            return found.map(|(name, pose)| (name.to_string(), *pose)).ok_or_else(|| ChainError::Tip {
                tip: wanted.to_string(),
                allowed: listed(&mut last.links.iter().map(|(name, _)| *name)),
            });
        }
        let ends: Vec<_> = last.links.iter().filter(|(name, _)| !self.outgoing.contains_key(name)).collect();
        match ends[..] {
            [(name, pose)] => Ok((name.to_string(), *pose)),
            _ => {
                Err(ChainError::AmbiguousTip { candidates: listed(&mut ends.iter().map(|(name, _)| *name)) })
            }
        }
    }

    /// The error for links that the base does not reach.
    fn detached(&self, robot: &urdf_rs::Robot) -> ChainError {
        let mut reached = vec![self.base];
        let mut next = 0;
        while let Some(&name) = reached.get(next) {
            next += 1;
            reached
                .extend(self.outgoing.get(name).into_iter().flatten().map(|joint| joint.child.link.as_str()));
        }
        let lost = robot.links.iter().find(|link| !reached.contains(&link.name.as_str()));
        ChainError::Detached { link: lost.map_or_else(String::new, |link| link.name.clone()) }
    }
}

fn moving_joint(joint: &urdf_rs::Joint, previous_from_joint: Pose) -> Result<Joint, ChainError> {
    let name = joint.name.clone();
    let place = format!("joint `{name}`");
    if let Some(mimic) = &joint.mimic {
        return Err(ChainError::Mimic { joint: name, of: mimic.joint.clone() });
    }
    let unsupported = |kind: &str| ChainError::Kind { joint: name.clone(), kind: kind.into() };
    let kind = match joint.joint_type {
        JointType::Revolute | JointType::Continuous => JointKind::Turning,
        JointType::Prismatic => JointKind::Sliding,
        JointType::Floating => return Err(unsupported("floating")),
        JointType::Planar => return Err(unsupported("planar")),
        JointType::Spherical => return Err(unsupported("spherical")),
        JointType::Fixed => return Err(unsupported("fixed where a movable joint was expected")),
    };
    let axis = vector(&joint.axis.xyz, &place, "a component of <axis>")?;
    let length = axis.norm();
    if length < 1e-6 {
        return Err(ChainError::Value {
            place,
            what: "length of <axis>",
            value: length,
            allowed: "more than 0",
        });
    }
    let dynamics = joint.dynamics.clone().unwrap_or_default();
    let friction = |what, value: f64| match value >= 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(ChainError::Value { place: place.clone(), what, value, allowed: "0 or more" }),
    };
    Ok(Joint {
        kind,
        previous_from_joint,
        axis: axis / length,
        limits: limits(joint, &place)?,
        damping: friction("damping", dynamics.damping)?,
        friction: friction("friction", dynamics.friction)?,
        inertia: None,
        name,
    })
}

fn limits(joint: &urdf_rs::Joint, place: &str) -> Result<JointLimits, ChainError> {
    let limit = &joint.limit;
    let wrong = |what, value, allowed| ChainError::Value { place: place.to_string(), what, value, allowed };
    let most = |what, value: f64| match value {
        0.0 => Ok(f64::INFINITY),
        _ if value > 0.0 => Ok(value),
        _ => Err(wrong(what, value, "more than 0, or 0 if unknown")),
    };
    let (lower, upper) = match joint.joint_type {
        JointType::Continuous => (f64::NEG_INFINITY, f64::INFINITY),
        _ => (limit.lower, limit.upper),
    };
    if upper.partial_cmp(&lower) != Some(std::cmp::Ordering::Greater) {
        return Err(wrong(
            "upper limit",
            upper,
            "more than the lower limit (a joint without limits is `continuous`)",
        ));
    }
    Ok(JointLimits {
        lower,
        upper,
        speed: most("velocity limit", limit.velocity)?,
        effort: most("effort limit", limit.effort)?,
    })
}

/// Inertia of a link in the link's frame; `None` for a massless link.
fn link_inertia(link: &urdf_rs::Link) -> Result<Option<Inertia>, ChainError> {
    let inertial = &link.inertial;
    let moments = &inertial.inertia;
    let entries = [moments.ixx, moments.iyy, moments.izz, moments.ixy, moments.ixz, moments.iyz];
    if inertial.mass.value == 0.0 && entries.iter().all(|entry| *entry == 0.0) {
        return Ok(None);
    }
    let link_from_inertial = pose(&inertial.origin, &format!("link `{}`, <inertial>", link.name))?;
    let [xx, yy, zz, xy, xz, yz] = entries;
    let moment = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let inertia = Inertia::new(inertial.mass.value, Vector3::zeros(), moment)
        .map_err(|problem| ChainError::Inertia { link: link.name.clone(), problem })?;
    Ok(Some(inertia.transformed(&link_from_inertial)))
}

fn pose(origin: &urdf_rs::Pose, place: &str) -> Result<Pose, ChainError> {
    let translation = vector(&origin.xyz, place, "a component of xyz")?;
    let angles = vector(&origin.rpy, place, "a component of rpy")?;
    Ok(Pose::new(translation, from_roll_pitch_yaw(angles.into())))
}

fn vector(values: &urdf_rs::Vec3, place: &str, what: &'static str) -> Result<Vector3<f64>, ChainError> {
    match values.0.iter().find(|value| !value.is_finite()) {
        Some(&value) => {
            Err(ChainError::Value { place: place.to_string(), what, value, allowed: "finite numbers" })
        }
        None => Ok(Vector3::from(values.0)),
    }
}

/// The parser does not report where it failed, so the links and joints are parsed one by one until one fails.
fn malformed(text: &str, error: &urdf_rs::UrdfError) -> ChainError {
    for element in ["link", "joint"] {
        let (open, close) = (format!("<{element} "), format!("</{element}>"));
        for piece in text.split(&open).skip(1) {
            let body = piece.split(&close).next().unwrap_or(piece);
            // <parent link="…"/> belongs to a joint and is not a link element.
            let alone = format!("<robot name=\"alone\">{open}{body}{close}</robot>");
            let name = body.split("name=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("");
            if piece.contains(&close)
                && let Err(error) = urdf_rs::read_from_string(&alone)
            {
                return ChainError::Malformed {
                    place: format!("{element} `{name}`"),
                    reason: error.to_string(),
                };
            }
        }
    }
    ChainError::Malformed { place: "the description".into(), reason: error.to_string() }
}
