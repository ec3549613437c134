"""A drive in MuJoCo, parts as convex pieces.

    python mujoco_engine.py peg|nut STEP_MS OUT.csv

Settings: elliptic cones, Newton, contacts as stiff as MuJoCo allows (solref 2 steps, damping ratio 1), all else as it
comes. Prints JSON: thread time spent in mj_step alone, steps, version.
"""

import json
import sys
import time

import mujoco
import numpy as np

from drives import DRIVES, quaternion
from pieces import PAIRS
from trajectory import Trajectory


def model_of(task, step):
    drive = DRIVES[task]
    spec = mujoco.MjSpec()
    spec.option.timestep = step
    spec.option.gravity = [0, 0, 0]
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    fixed, moving = (make() for make in PAIRS[task])
    body = spec.worldbody.add_body(name="part")
    body.add_freejoint()
    body.explicitinertial = True
    body.mass, body.ipos, body.inertia = drive.mass, drive.center, drive.moment
    for owner, pieces, bits in ((spec.worldbody, fixed, (1, 0)), (body, moving, (0, 1))):
        for index, corners in enumerate(pieces):
            name = f"{'fixed' if bits[0] else 'moving'}{index}"
            spec.add_mesh(name=name, uservert=corners.ravel())
            geom = owner.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
            geom.contype, geom.conaffinity = bits
            geom.condim, geom.friction = 3, [drive.friction, 0, 0]
            geom.solref = [2 * step, 1]
    return spec.compile()


def run(task, step, out):
    drive, model = DRIVES[task], model_of(task, step)
    data = mujoco.MjData(model)
    position, rotation = drive.target(0.0)
    data.qpos[:3], data.qpos[3:] = position, quaternion(rotation)
    body = model.body("part").id
    trajectory = Trajectory(out, step)
    spent, begun = 0.0, time.monotonic()
    steps = round(drive.duration / step)
    for index in range(steps):
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        rotation = data.xmat[body].reshape(3, 3)
        spin = rotation @ data.qvel[3:]
        velocity = data.qvel[:3] + np.cross(spin, rotation @ drive.center)
        force, torque = drive.wrench(index * step, data.xpos[body], rotation, velocity, spin)
        data.xfrc_applied[body] = np.concatenate([force, torque])
        clock = time.thread_time()
        mujoco.mj_step(model, data)
        spent += time.thread_time() - clock
        trajectory.add((index + 1) * step, data.qpos[:3], data.qpos[3:])
        if not np.isfinite(data.qpos).all() or time.monotonic() - begun > 900:
            break
    trajectory.close()
    print(json.dumps({"engine": f"MuJoCo {mujoco.__version__}", "spent_s": spent, "steps": index + 1, "wanted": steps}))


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]) * 1e-3, sys.argv[3])
