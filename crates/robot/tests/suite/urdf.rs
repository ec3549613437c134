//! URDF descriptions of arms: what is read, what is rejected, and that errors name the place.

use tightfit_robot::chain::JointKind;
use tightfit_robot::{Chain, JointVector};
use tightfit_spatial::{SplitMix, Vector3};

const MASS: &str = r#"<inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>"#;

fn link(name: &str, inside: &str) -> String {
    format!("<link name=\"{name}\">{inside}</link>")
}

fn joint(name: &str, kind: &str, ends: [&str; 2], inside: &str) -> String {
    let [parent, child] = ends;
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{inside}</joint>"
    )
}

fn robot(pieces: &[String]) -> String {
    format!("<robot name=\"test\">{}</robot>", pieces.concat())
}

/// Two joints, a camera fixed to the forearm and a tool at its end.
fn arm() -> Vec<String> {
    vec![
        link("base", ""),
        link("upper", MASS),
        link("fore", MASS),
        link("camera", MASS),
        link("tool", ""),
        joint("shoulder", "continuous", ["base", "upper"], r#"<axis xyz="0 0 2"/>"#),
        joint(
            "elbow",
            "prismatic",
            ["upper", "fore"],
            r#"<origin xyz="0.5 0 0"/><limit lower="-0.2" upper="0.3" velocity="1" effort="0"/><dynamics damping="3" friction="4"/>"#,
        ),
        joint(
            "mount",
            "fixed",
            ["fore", "camera"],
            r#"<origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/>"#,
        ),
        joint("flange", "fixed", ["fore", "tool"], r#"<origin xyz="0.4 0 0"/>"#),
    ]
}

fn refusal(pieces: &[String], tip: Option<&str>) -> String {
    Chain::from_urdf(&robot(pieces), tip).unwrap_err().to_string()
}

#[test]
fn fixed_links_are_merged_and_the_tip_is_chosen() {
    let chain = Chain::from_urdf(&robot(&arm()), Some("tool")).unwrap();
    assert_eq!((chain.count(), chain.tip_name()), (2, "tool"));
    let [shoulder, elbow] = chain.joints() else { panic!() };
    assert_eq!((shoulder.kind, elbow.kind), (JointKind::Turning, JointKind::Sliding));
    assert_eq!(shoulder.axis, Vector3::z());
    assert_eq!(shoulder.limits.effort, f64::INFINITY);
    assert_eq!((elbow.limits.lower, elbow.limits.effort), (-0.2, f64::INFINITY));
    assert_eq!((elbow.damping, elbow.friction), (3.0, 4.0));
    let both = elbow.inertia.unwrap();
    assert!((both.mass - 4.0).abs() < 1e-15);
    assert!((both.center_of_mass - Vector3::new(0.05, 0.05, 0.05)).norm() < 1e-15);

    let angles = chain.joints_from(&[std::f64::consts::FRAC_PI_2, 0.1]);
    let tip = chain.posture(&angles).world_from_tip.translation;
    assert!((tip - Vector3::new(0.0, 1.0, 0.0)).norm() < 1e-15, "{tip}");
    assert_eq!(chain.posture(&JointVector::zeros()).axes[2].norm(), 0.0);
}

#[test]
fn descriptions_that_are_not_serial_arms_are_rejected_by_name() {
    let with = |piece: String| [arm(), vec![piece]].concat();
    let replaced = |index: usize, piece: String| {
        let mut pieces = arm();
        pieces[index] = piece;
        pieces
    };
    let elbow = |kind: &str, inside: &str| joint("elbow", kind, ["upper", "fore"], inside);
    let limit = r#"<limit lower="-1" upper="1" velocity="1" effort="1"/>"#;
    let cases: Vec<(Vec<String>, &[&str])> = vec![
        (
            [arm(), vec![link("finger", MASS), joint("grip", "continuous", ["upper", "finger"], "")]]
                .concat(),
            &["branches", "`upper`", "`elbow`", "`grip`", "fixed"],
        ),
        (
            replaced(6, elbow("revolute", &format!("{limit}<mimic joint=\"shoulder\"/>"))),
            &["`elbow` mimics `shoulder`", "fixed"],
        ),
        (replaced(6, elbow("floating", "")), &["`elbow` is floating", "revolute"]),
        (replaced(6, elbow("revolute", "")), &["joint `elbow`", "upper limit is 0", "continuous"]),
        (
            replaced(6, elbow("revolute", r#"<limit lower="-1" upper="1" velocity="-2" effort="1"/>"#)),
            &["joint `elbow`", "velocity limit is -2"],
        ),
        (
            replaced(5, joint("shoulder", "continuous", ["base", "upper"], r#"<axis xyz="0 0 0"/>"#)),
            &["`shoulder`", "<axis>"],
        ),
        (
            replaced(5, joint("shoulder", "continuous", ["base", "upper"], r#"<origin xyz="0 NaN 0"/>"#)),
            &["joint `shoulder`", "xyz is NaN"],
        ),
        (
            replaced(5, joint("shoulder", "continuous", ["base", "upper"], r#"<origin xyz="0 0"/>"#)),
            &["joint `shoulder`", "URDF"],
        ),
        (with(link("upper", "")), &["link `upper` is described twice"]),
        (with(joint("shoulder", "fixed", ["base", "tool"], "")), &["joint `shoulder` is described twice"]),
        (with(joint("extra", "fixed", ["base", "tool"], "")), &["`tool`", "`flange`", "`extra`", "loops"]),
        (with(joint("extra", "fixed", ["base", "hand"], "")), &["joint `extra`", "child link `hand`"]),
        (with(link("lost", "")), &["2 links", "base, lost"]),
        (replaced(2, link("fore", &MASS.replace("value=\"2\"", "value=\"-2\""))), &["link `fore`", "-2 kg"]),
        (replaced(2, link("fore", &MASS.replace("izz=\"0.02\"", "izz=\"0.5\""))), &["link `fore`", "0.5"]),
        (
            [
                arm(),
                vec![link("a", ""), link("b", "")],
                vec![joint("ab", "fixed", ["a", "b"], ""), joint("ba", "fixed", ["b", "a"], "")],
            ]
            .concat(),
            &["link `a`", "loop"],
        ),
        (vec![link("tool", MASS)], &["no joint that moves"]),
    ];
    for (pieces, wanted) in cases {
        let message = refusal(&pieces, Some("tool"));
        assert!(wanted.iter().all(|word| message.contains(word)), "{message}\n  lacks one of {wanted:?}");
    }
}

#[test]
fn a_joint_that_moves_no_inertia_is_rejected() {
    let hook = vec![link("hook", ""), joint("wrist", "continuous", ["tool", "hook"], "")];
    let message = refusal(&[arm(), hook].concat(), Some("hook"));
    assert!(
        message.contains("joint `wrist` moves no inertia") && message.contains("<inertial>"),
        "{message}"
    );
}

#[test]
fn a_tip_must_be_named_if_several_links_end_the_arm() {
    assert!(refusal(&arm(), None).contains("camera, tool"));
    let message = refusal(&arm(), Some("upper"));
    assert!(message.contains("`upper`") && message.contains("fore, camera, tool"), "{message}");
    assert!(Chain::from_urdf("no xml at all", None).unwrap_err().to_string().contains("URDF"));
    let missing = Chain::from_urdf_file(std::path::Path::new("/nowhere/arm.urdf"), None).unwrap_err();
    assert!(missing.to_string().contains("/nowhere/arm.urdf"));
}

/// Truncated, with bytes changed or pieces doubled: always a result, never a panic.
#[test]
fn damaged_descriptions_never_panic() {
    let whole = include_str!("../../assets/robots/panda.urdf");
    let mut random = SplitMix::stream(1);
    let mut accepted = 0;
    for _ in 0..400 {
        let mut bytes = whole.as_bytes().to_vec();
        let place = |random: &mut SplitMix, length: usize| (random.unit() * length as f64) as usize;
        match random.bits() % 3 {
            0 => bytes.truncate(place(&mut random, bytes.len())),
            1 => {
                let at = place(&mut random, bytes.len());
                bytes[at] = b' ' + (random.bits() % 95) as u8;
            }
            _ => {
                let (from, to) = (place(&mut random, bytes.len()), place(&mut random, bytes.len()));
                let piece = bytes[from..bytes.len().min(from + 300)].to_vec();
                bytes.splice(to..to, piece);
            }
        }
        let answer = Chain::from_urdf(&String::from_utf8_lossy(&bytes), None);
        accepted += u32::from(answer.is_ok());
        if let Err(error) = answer {
            assert!(!error.to_string().is_empty());
        }
    }
    assert!(accepted > 0, "a changed byte in a comment must be accepted");
}

#[test]
fn arms_with_too_many_joints_are_rejected() {
    let mut pieces = vec![link("l0", "")];
    for index in 0..13 {
        pieces.push(link(&format!("l{}", index + 1), MASS));
        let ends = [format!("l{index}"), format!("l{}", index + 1)];
        pieces.push(joint(&format!("j{index}"), "continuous", [&ends[0], &ends[1]], ""));
    }
    let message = refusal(&pieces, None);
    assert!(message.contains("13 joints") && message.contains("12"), "{message}");
}
