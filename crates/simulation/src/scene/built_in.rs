//! Scenes that come with the program.

/// A scene file embedded in the program.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInScene {
    /// Name, as in `tightfit run peg-in-hole`.
    pub name: &'static str,
    /// The TOML text.
    pub text: &'static str,
}

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        [$(BuiltInScene {
            name: $name,
            text: include_str!(concat!("../../assets/scenes/", $name, ".toml")),
        }),*]
    };
}

static SCENES: [BuiltInScene; 13] = embedded![
    "peg-in-hole",
    "bolting",
    "bolting-engaged",
    "peg-in-hole-arm",
    "bolting-arm",
    "peg-spiral",
    "peg-tilt",
    "peg-chamfer",
    "bolt-back-turn",
    "bolt-tighten",
    "square-key",
    "block-on-table",
    "balls-on-slab",
];

/// All built-in scenes.
#[must_use]
pub fn built_in_scenes() -> &'static [BuiltInScene] {
    &SCENES
}
