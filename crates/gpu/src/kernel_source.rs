//! The source of the kernels as one text, as the device's compiler takes it.

/// The files in the order in which they include one another, and the entry points.
const FILES: [&str; 28] = [
    include_str!("../kernels/lanes.h"),
    include_str!("../kernels/linear.h"),
    include_str!("../kernels/angles.h"),
    include_str!("../kernels/environment.h"),
    include_str!("../kernels/geometry.h"),
    include_str!("../kernels/face_choice.h"),
    include_str!("../kernels/contacts.h"),
    include_str!("../kernels/query.h"),
    include_str!("../kernels/depth_network.h"),
    include_str!("../kernels/network_nodes.h"),
    include_str!("../kernels/search_margin.h"),
    include_str!("../kernels/crossings.h"),
    include_str!("../kernels/thread_crossings.h"),
    include_str!("../kernels/rim_places.h"),
    include_str!("../kernels/detection.h"),
    include_str!("../kernels/drive.h"),
    include_str!("../kernels/projection.h"),
    include_str!("../kernels/linear_system.h"),
    include_str!("../kernels/contact_law.h"),
    include_str!("../kernels/newton.h"),
    include_str!("../kernels/path.h"),
    include_str!("../kernels/ladder.h"),
    include_str!("../kernels/residual.h"),
    include_str!("../kernels/flight.h"),
    include_str!("../kernels/stepper.h"),
    include_str!("../kernels/solve.h"),
    include_str!("../kernels/move.h"),
    include_str!("../kernels/arrive.h"),
];
const LAST: [&str; 3] = [
    include_str!("../kernels/step.h"),
    include_str!("../kernels/pool.h"),
    include_str!("../kernels/kernel.cu"),
];

/// How many of the files detection takes, and its entry point.
const FOR_DETECTION: usize = 15;
const POSES: [&str; 3] = [
    include_str!("../kernels/poses.h"),
    include_str!("../kernels/network_poses.h"),
    include_str!("../kernels/poses.cu"),
];

/// All files of the step, without the lines that include them.
#[must_use]
pub fn kernel_source() -> String {
    joined(FILES.iter().chain(&LAST))
}

/// The same for detection at many poses.
pub(crate) fn pose_source() -> String {
    joined(FILES[..FOR_DETECTION].iter().chain(&POSES))
}

fn joined<'a>(files: impl Iterator<Item = &'a &'a str>) -> String {
    let lines = files.flat_map(|file| file.lines());
    let own = lines.filter(|line| !line.starts_with("#include \"") && !line.starts_with("#pragma once"));
    own.collect::<Vec<_>>().join("\n")
}
