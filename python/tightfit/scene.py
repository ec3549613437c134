"""Scenes: from a file, from text, from a dictionary or from a builder."""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Sequence

from . import _native
from ._native import Scene

__all__ = ["Scene", "SceneBuilder", "scene_of", "scene_schema"]


def scene_schema() -> dict[str, Any]:
    """Return the JSON schema of scene files."""
    return json.loads(_native.scene_schema())


def scene_of(scene: Scene | str | os.PathLike[str]) -> Scene:
    """Return a scene, or find one by name or path."""
    return scene if isinstance(scene, Scene) else Scene.find(scene)


class SceneBuilder:
    """Build a scene with the keys of a scene file. Every method returns the builder.

    >>> scene = (
    ...     SceneBuilder("my-fit", gravity_m_s2=[0, 0, -9.81])
    ...     .part("hole", {"kind": "preset", "name": "hole-50"}, motion="fixed")
    ...     .part("peg", {"kind": "preset", "name": "peg-50"}, mass_kg=0.53)
    ...     .drive(
    ...         part="peg", stiffness_n_m=[2000, 2000, 2000], turning_stiffness_nm_rad=[2, 2, 0.6], damping_per_s=50,
    ...         waypoints=[{"time_s": 0, "position_mm": [0.2, 0, 3]}, {"time_s": 2, "position_mm": [0.2, 0, -22]}],
    ...     )
    ...     .task(kind="insert", into="hole", depth_mm=20, engaged_mm=1)
    ...     .build()
    ... )
    >>> scene.bodies
    ['hole', 'peg']
    """

    def __init__(self, name: str, **keys: Any) -> None:
        """Begin a scene; ``keys`` are those at the top of a scene file."""
        self._keys: dict[str, Any] = {"name": name, **keys, "parts": {}}

    def part(self, name: str, shape: Mapping[str, Any], **keys: Any) -> SceneBuilder:
        """Add a part with its shape."""
        self._keys["parts"][name] = {"shape": dict(shape), **keys}
        return self

    def drive(self, **keys: Any) -> SceneBuilder:
        """Add a drive."""
        self._keys.setdefault("drives", []).append(keys)
        return self

    def contact(self, parts: Sequence[str], **keys: Any) -> SceneBuilder:
        """Set friction and restitution of a pair of parts."""
        self._keys.setdefault("contacts", []).append({"parts": list(parts), **keys})
        return self

    def arm(self, **keys: Any) -> SceneBuilder:
        """Add the arm."""
        self._keys["arm"] = keys
        return self

    def task(self, **keys: Any) -> SceneBuilder:
        """Set the task."""
        self._keys["task"] = keys
        return self

    def method(self, **keys: Any) -> SceneBuilder:
        """Choose methods, such as ``preset="paper"``."""
        self._keys["method"] = keys
        return self

    def build(self, folder: str | os.PathLike[str] | None = None) -> Scene:
        """Check everything and return the scene; files that it names are relative to ``folder``."""
        keys = dict(self._keys)
        drives = keys.pop("drives", [])
        if len(drives) == 1:
            keys["drive"] = drives[0]
        elif drives:
            keys["drives"] = drives
        return Scene._from_json(json.dumps(keys), folder=folder)
