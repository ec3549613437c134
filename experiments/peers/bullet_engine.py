"""A drive in Bullet (PyBullet), parts as convex pieces.

    python bullet_engine.py peg|nut STEP_MS OUT.csv

Lengths are in centimetres there (masses in kg, time in s), as its tolerances are made for parts of about a unit.
Collision margin 0, 200 sweeps, ERP 0.2 as it comes. Thread time of stepSimulation alone.
"""

import json
import sys
import tempfile
import time

import numpy as np
import pybullet as bullet

from drives import DRIVES, quaternion
from pieces import PAIRS
from trajectory import Trajectory

SCALE = 100.0  # units per metre


def body_of(pieces, center, mass):
    """Objects of an OBJ file become convex hulls of one body; the faces only name the corners."""
    with tempfile.NamedTemporaryFile("w", suffix=".obj") as file:
        first = 1
        for index, corners in enumerate(SCALE * (piece - center) for piece in pieces):
            file.write(f"o piece{index}\n" + "".join(f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in corners))
            last = first + len(corners)
            file.write("".join(f"f {first} {k} {k + 1}\n" for k in range(first + 1, last - 1)))
            first = last
        file.flush()
        shape = bullet.createCollisionShape(bullet.GEOM_MESH, fileName=file.name)
    body = bullet.createMultiBody(mass, shape)
    bullet.changeDynamics(body, -1, lateralFriction=np.sqrt(0.1), collisionMargin=0.0, contactProcessingThreshold=0.0,
                          linearDamping=0.0, angularDamping=0.0, restitution=0.0)
    return body


def run(task, step, out):
    drive = DRIVES[task]
    bullet.connect(bullet.DIRECT)
    bullet.setPhysicsEngineParameter(fixedTimeStep=step, numSubSteps=0, numSolverIterations=200, solverResidualThreshold=0.0)
    bullet.setGravity(0, 0, 0)
    fixed, moving = (make() for make in PAIRS[task])
    body_of(fixed, np.zeros(3), 0.0)
    part = body_of(moving, drive.center, drive.mass)
    bullet.changeDynamics(part, -1, localInertiaDiagonal=(SCALE**2 * drive.moment).tolist(), activationState=4)
    position, rotation = drive.target(0.0)
    place = SCALE * (position + rotation @ drive.center)
    w, x, y, z = quaternion(rotation)
    bullet.resetBasePositionAndOrientation(part, place.tolist(), [x, y, z, w])
    trajectory, spent, begun = Trajectory(out, step), 0.0, time.monotonic()
    steps = round(drive.duration / step)
    for index in range(steps):
        place, turn = bullet.getBasePositionAndOrientation(part)
        velocity, spin = (np.array(value) for value in bullet.getBaseVelocity(part))
        rotation = np.array(bullet.getMatrixFromQuaternion(turn)).reshape(3, 3)
        position = np.array(place) / SCALE - rotation @ drive.center
        force, torque = drive.wrench(index * step, position, rotation, velocity / SCALE, spin)
        bullet.applyExternalForce(part, -1, (SCALE * force).tolist(), place, bullet.WORLD_FRAME)
        bullet.applyExternalTorque(part, -1, (SCALE**2 * torque).tolist(), bullet.WORLD_FRAME)
        clock = time.thread_time()
        bullet.stepSimulation()
        spent += time.thread_time() - clock
        place, turn = bullet.getBasePositionAndOrientation(part)
        rotation = np.array(bullet.getMatrixFromQuaternion(turn)).reshape(3, 3)
        trajectory.add((index + 1) * step, np.array(place) / SCALE - rotation @ drive.center, [turn[3], *turn[:3]])
        if not np.isfinite(place).all() or time.monotonic() - begun > 800:
            break
    trajectory.close()
    print(json.dumps({"engine": "PyBullet 3.2", "spent_s": spent, "steps": index + 1, "wanted": steps}))


if __name__ == "__main__":
    run(sys.argv[1], float(sys.argv[2]) * 1e-3, sys.argv[3])
