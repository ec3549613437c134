//! The scenes of the paper's authors. Their set-points are not part of this repository: a user imports them.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use tightfit::scene::SceneSource;

/// Name, folder of the import, text.
const SCENES: [(&str, &str, &str); 2] = [
    ("inrol-peg", "peg", include_str!("../../assets/inrol/inrol-peg.toml")),
    ("inrol-bolt", "bolt", include_str!("../../assets/inrol/inrol-bolt.toml")),
];

/// The source of one of the authors' scenes, with the folder of its set-points; none for other scenes.
pub(crate) fn source(name: &str, assets: Option<&Path>) -> Result<Option<SceneSource>> {
    let Some((_, task, text)) = SCENES.iter().find(|(known, _, _)| *known == name) else {
        if assets.is_some() {
            bail!("--assets is for the scenes inrol-peg and inrol-bolt; leave it out for `{name}`");
        }
        return Ok(None);
    };
    let how = "write it with `tightfit import inrol PUBLISHED DIR` and give `--assets DIR`";
    let Some(assets) = assets else { bail!("`{name}` needs the authors' set-points; {how}") };
    let folders: [PathBuf; 2] = [assets.to_path_buf(), assets.join(task)];
    let Some(folder) = folders.into_iter().find(|folder| folder.join("set_points.csv").is_file()) else {
        bail!("{} holds no set_points.csv, nor does {task} in it; {how}", assets.display());
    };
    Ok(Some(SceneSource { text: (*text).to_string(), folder }))
}
