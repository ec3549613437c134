"""Balls on a slab that is moved to and fro (the paper's Fig. 2), against the exact answer.

    python balls.py TIGHTFIT

The slab's velocity jumps to u(t) = 2 pi f A cos(2 pi f t) at t = 0 (0.2 s of the scene). A ball slips until its contact
point has the slab's velocity, then rolls:

    slips    v = mu g t, R w = 5/2 mu g t        until 7/2 mu g s = u(s)
    rolls    v = 2/7 u    as long as |u'| <= 7/2 mu g

so x(t) = mu g s^2/2 + 2/7 (X(t) - X(s)) with X the slab's way. No ball may move sideways, sink in or lift off.
Prints a table: largest deviation from x(t) over all balls, and from the height of a ball on the slab.
"""

import csv
import subprocess
import sys
import tempfile

import mujoco
import numpy as np
import pybullet as bullet

AMPLITUDE, FREQUENCY, FRICTION, GRAVITY = 0.04, 1.0, 0.3, 9.81
BEGIN, END = 0.2, 4.2
# places along x and y, radii
BALLS = [(-0.12, 0, 0.01), (-0.06, 0, 0.015), (0, 0, 0.02), (0.07, 0, 0.025), (0, 0.06, 0.01), (0, -0.06, 0.01)]
HALF = (0.3, 0.15, 0.01)  # of the slab
STEEL = 7850.0


def slab(time):
    """Way and velocity."""
    since = time - BEGIN
    if not 0 <= since < END - BEGIN:
        return 0.0, 0.0
    turn = 2 * np.pi * FREQUENCY
    return AMPLITUDE * np.sin(turn * since), AMPLITUDE * turn * np.cos(turn * since)


def truth(time):
    """Way of a ball."""
    grip, turn = FRICTION * GRAVITY, 2 * np.pi * FREQUENCY
    low, high = 0.0, 0.25 / FREQUENCY
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if 3.5 * grip * middle < AMPLITUDE * turn * np.cos(turn * middle) else (low, middle)
    since = max(time - BEGIN, 0.0)
    if since <= low:
        return grip * since**2 / 2
    return grip * low**2 / 2 + 2 / 7 * (slab(time)[0] - slab(BEGIN + low)[0])


def with_tightfit(program, step):
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        subprocess.run([program, "run", "balls-on-slab", "--dt", str(step * 1e3), "--log", log.name], check=False, capture_output=True)
        rows = list(csv.DictReader(line for line in open(log.name, encoding="utf-8") if not line.startswith("#")))
    for row in rows:
        yield float(row["time_s"]), [[float(row[f"ball-{k + 1}.center_{axis}_m"]) for axis in "xyz"] for k in range(len(BALLS))]


def with_mujoco(step, stiff):
    balls = "".join(f'<body pos="{x} {y} {r}"><freejoint/><geom size="{r}" density="{STEEL}"/></body>' for x, y, r in BALLS)
    solref = f'solref="{2 * step} 1"' if stiff else ""
    cone = "elliptic" if stiff else "pyramidal"
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" gravity="0 0 -{GRAVITY}" cone="{cone}"/>'
        f'<default><geom friction="{FRICTION} 0 0" condim="3" {solref}/></default><worldbody>'
        f'<body pos="0 0 -0.01"><joint name="slab" type="slide" axis="1 0 0"/><geom type="box" size="0.3 0.15 0.01" mass="1e6"/></body>'
        f"{balls}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    for index in range(round(END / step)):
        # where the slab is to be at the end of the step is led by its velocity in the middle
        before, after = slab(index * step)[0], slab((index + 1) * step - 1e-9)[0]
        data.qpos[0], data.qvel[0] = before, (after - before) / step
        mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        yield (index + 1) * step, data.xpos[2:].copy()


def with_bullet(step):
    bullet.resetSimulation()
    bullet.setPhysicsEngineParameter(fixedTimeStep=step, numSolverIterations=200)
    bullet.setGravity(0, 0, -GRAVITY)
    base = bullet.createMultiBody(0, bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=HALF), basePosition=[0, 0, -0.01])
    bodies = [base]
    for x, y, r in BALLS:
        shape = bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=r)
        bodies.append(bullet.createMultiBody(STEEL * 4 / 3 * np.pi * r**3, shape, basePosition=[x, y, r]))
    for body in bodies:
        bullet.changeDynamics(body, -1, lateralFriction=np.sqrt(FRICTION), linearDamping=0, angularDamping=0, activationState=4)
    for index in range(round(END / step)):
        before, after = slab(index * step)[0], slab((index + 1) * step - 1e-9)[0]
        bullet.resetBasePositionAndOrientation(base, [before, 0, -0.01], [0, 0, 0, 1])
        bullet.resetBaseVelocity(base, [(after - before) / step, 0, 0], [0, 0, 0])
        bullet.stepSimulation()
        yield (index + 1) * step, [bullet.getBasePositionAndOrientation(body)[0] for body in bodies[1:]]


def main():
    bullet.connect(bullet.DIRECT)
    runs = []
    for step in (0.01, 0.002):
        runs += [("Tightfit", step, with_tightfit(sys.argv[1], step)),
                 (f"MuJoCo {mujoco.__version__}, as it comes", step, with_mujoco(step, False)),
                 (f"MuJoCo {mujoco.__version__}, elliptic cones, solref 2 steps", step, with_mujoco(step, True)),
                 ("PyBullet 3.2, 200 sweeps", step, with_bullet(step))]
    print("| engine | step ms | along the slab's way mm | sideways mm | height um |\n|---|---|---|---|---|")
    for name, step, track in runs:
        along = sideways = height = 0.0
        for time, places in track:
            if time > END - 1e-6:
                continue
            for (x, y, r), place in zip(BALLS, places):
                along = max(along, abs(place[0] - x - truth(time)))
                sideways = max(sideways, abs(place[1] - y))
                height = max(height, abs(place[2] - r))
        print(f"| {name} | {step * 1e3:g} | {along * 1e3:.3f} | {sideways * 1e3:.2g} | {height * 1e6:.3g} |")


if __name__ == "__main__":
    main()
