"""Functions that pickles call to rebuild objects."""

from __future__ import annotations

import os

from ._native import Snapshot
from ._native import Scene as NativeScene


def scene(toml: str, folder: str | os.PathLike[str]) -> NativeScene:
    """Build a scene from the text of its file."""
    return NativeScene(toml, folder=folder)


def snapshot(json: str) -> Snapshot:
    """Read a snapshot from its JSON text."""
    return Snapshot.from_json(json)
