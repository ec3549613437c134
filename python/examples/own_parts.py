"""Check two mesh files, build a scene of them and insert one into the other.

    python python/examples/own_parts.py peg.stl hole.stl

Without arguments two meshes of built-in parts are written first. The peg's tip is at its origin, the hole's mouth at z = 0.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import tightfit


def main(peg: Path | None = None, hole: Path | None = None) -> None:
    if peg is None or hole is None:
        folder = Path(tempfile.mkdtemp())
        peg, hole = folder / "peg.stl", folder / "hole.stl"
        tightfit.Part("square-peg-20").save(peg)
        tightfit.Part("square-hole-20").save(hole)
    for path in (peg, hole):
        part = tightfit.Part.load(path, unit="mm")
        print(f"{path.name}\n{part.report(clearance_mm=0.06)}")
    scene = (
        tightfit.SceneBuilder("own-parts", gravity_m_s2=[0, 0, 0])
        .part("hole", {"kind": "mesh", "file": hole.name, "unit": "mm"}, motion="fixed")
        .part("peg", {"kind": "mesh", "file": peg.name, "unit": "mm"}, mass_kg=0.2)
        .drive(
            part="peg",
            stiffness_n_m=[2000, 2000, 2000],
            turning_stiffness_nm_rad=[2, 2, 2],
            damping_per_s=50,
            waypoints=[{"time_s": 0, "position_mm": [0, 0, 1]}, {"time_s": 1, "position_mm": [0, 0, -5]}],
        )
        .task(kind="insert", into="hole", depth_mm=4, engaged_mm=1)
        .build(folder=peg.parent)
    )
    sim = tightfit.Simulation(scene)
    print(sim.run(), sim.assessment)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
