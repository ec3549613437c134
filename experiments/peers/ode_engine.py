"""A drive in ODE, parts as triangle meshes (ode_engine.cpp, `apt-get install g++ libode-dev`).

    python ode_engine.py peg|nut STEP_MS OUT.csv
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

from drives import DRIVES, quaternion
from trajectory import Trajectory

HERE = pathlib.Path(__file__).resolve().parent
MESHES = {"peg": ("hole", "peg"), "nut": ("bolt", "nut")}


def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def run(task, step, out):
    program = pathlib.Path(os.environ.get("PEERS_WORK", "/tmp")) / "ode_engine"
    subprocess.run(["g++", "-O3", "-march=native", HERE / "ode_engine.cpp", "-o", program, "-lode"], check=True)
    drive = DRIVES[task]
    position, rotation = drive.target(0.0)
    meshes = [str(HERE.parent.parent / "crates/tightfit/assets/benchmark" / f"{name}.obj") for name in MESHES[task]]
    numbers = [step, drive.mass, *drive.moment, drive.center[2], *position, *quaternion(rotation)]
    engine = subprocess.Popen([program, *meshes, *(f"{number:.17g}" for number in numbers)], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    velocity, spin, spent, begun = np.zeros(3), np.zeros(3), 0.0, time.monotonic()
    trajectory = Trajectory(out, step)
    steps = round(drive.duration / step)
    for index in range(steps):
        force, torque = drive.wrench(index * step, position, rotation, velocity, spin)
        engine.stdin.write(" ".join(f"{number:.17g}" for number in (*force, *torque)) + "\n")
        engine.stdin.flush()
        said = np.array(engine.stdout.readline().split(), dtype=float)
        if len(said) != 14 or not np.isfinite(said).all() or time.monotonic() - begun > 800:
            break
        spent, position, rotation, velocity, spin = said[0], said[1:4], matrix(said[4:8]), said[8:11], said[11:14]
        trajectory.add((index + 1) * step, position, said[4:8])
    trajectory.close()
    engine.stdin.close()
    print(json.dumps({"engine": "ODE 0.16", "spent_s": float(spent), "steps": index + 1, "wanted": steps}))


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]) * 1e-3, sys.argv[3])
