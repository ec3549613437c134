"""Real cube tosses in MuJoCo, judged as `tightfit validate --recordings DIR` judges its own step.

    python mujoco_tosses.py DIR [--ground-mm 0] [--timestep 0.002] [--cone pyramidal] [--impratio 1]

Every toss starts from its first recorded state and is never corrected. Defaults of MuJoCo throughout, its time step of
2 ms included; mass, inertia, size and friction are those of the recordings' URDF. States between two
steps are interpolated (position linearly, attitude on the great circle), because 6.8 ms is no multiple of 2 ms.

Errors of a toss: mean over its rows after the first of |x - x_recorded| [m] and of the angle between the attitudes
[deg]. Reported: median and 90th percentile over the tosses, as JSON.
"""

import argparse
import csv
import json
import pathlib

import mujoco
import numpy as np

ROW_S = 0.0068  # time between two rows of a recording [s]

MODEL = """
<mujoco>
  <option timestep="{timestep}" cone="{cone}" impratio="{impratio}"/>
  <worldbody>
    <geom name="ground" type="plane" size="5 5 1" pos="0 0 {ground}" friction="0.15"/>
    <body name="cube">
      <freejoint/>
      <inertial pos="0 0 0" mass="0.37" diaginertia="0.00081 0.00081 0.00081"/>
      <geom type="box" size="0.0524 0.0524 0.0524" friction="0.15"/>
    </body>
  </worldbody>
</mujoco>
"""


def simulate(model, rows):
    """Poses [position, quaternion wxyz] at the times of the rows."""
    data = mujoco.MjData(model)
    quaternion, position, spin_in_body, velocity = rows[0, :4], rows[0, 4:7], rows[0, 7:10], rows[0, 10:13]
    data.qpos[:3], data.qpos[3:] = position, quaternion / np.linalg.norm(quaternion)
    # a free joint's velocity: linear in world axes, angular in the body's own
    data.qvel[:3], data.qvel[3:] = velocity, spin_in_body
    timestep = model.opt.timestep
    last = (len(rows) - 1) * ROW_S
    track = [data.qpos.copy()]
    while (len(track) - 1) * timestep < last - 1e-9:
        mujoco.mj_step(model, data)
        track.append(data.qpos.copy())
    track.append(track[-1])
    poses = []
    for index in range(len(rows)):
        place = index * ROW_S / timestep
        step = int(place + 1e-9)
        poses.append(between(track[step], track[step + 1], max(0.0, place - step)))
    return np.array(poses)


def between(before, after, part):
    position = before[:3] + (after[:3] - before[:3]) * part
    first, second = before[3:], after[3:]
    if first @ second < 0.0:
        second = -second
    # steps turn by little: the chord is the arc to a millionth of the step
    quaternion = first + (second - first) * part
    return np.concatenate([position, quaternion / np.linalg.norm(quaternion)])


def errors(poses, rows):
    """Mean errors of one toss: position [m], rotation [deg]."""
    position = np.linalg.norm(poses[1:, :3] - rows[1:, 4:7], axis=1)
    recorded = rows[1:, :4] / np.linalg.norm(rows[1:, :4], axis=1, keepdims=True)
    own = poses[1:, 3:]
    # a quarter of the angle from the chord between the quaternions, the shorter way: exact near zero too
    chord = np.minimum(np.linalg.norm(own - recorded, axis=1), np.linalg.norm(own + recorded, axis=1))
    angle = np.degrees(4.0 * np.arcsin(np.clip(chord / 2.0, 0.0, 1.0)))
    return position.mean(), angle.mean()


def tosses(folder):
    data = np.load(folder / "tosses.npy").astype(float)
    with open(folder / "index.csv", newline="") as file:
        for line in csv.DictReader(file):
            first = int(line["first_row"])
            yield data[first : first + int(line["n_rows"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ground-mm", type=float, default=0.0, help="height of the ground [mm]")
    parser.add_argument("--timestep", type=float, default=0.002, help="time step [s]")
    parser.add_argument("--cone", default="pyramidal", choices=["pyramidal", "elliptic"], help="friction cone")
    parser.add_argument("--impratio", type=float, default=1.0, help="stiffness of friction over that of normal contact")
    arguments = parser.parse_args()
    model = mujoco.MjModel.from_xml_string(
        MODEL.format(
            timestep=arguments.timestep,
            ground=arguments.ground_mm * 1e-3,
            cone=arguments.cone,
            impratio=arguments.impratio,
        )
    )
    found = np.array([errors(simulate(model, rows), rows) for rows in tosses(arguments.folder)])

    def spread(values):
        return {"median": float(np.median(values)), "p90": float(np.percentile(values, 90))}

    print(
        json.dumps(
            {
                "engine": f"MuJoCo {mujoco.__version__}",
                "tosses": len(found),
                "dt_s": arguments.timestep,
                "ground_mm": arguments.ground_mm,
                "cone": arguments.cone,
                "impratio": arguments.impratio,
                "position_error_mm": spread(1e3 * found[:, 0]),
                "rotation_error_deg": spread(found[:, 1]),
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    main()
