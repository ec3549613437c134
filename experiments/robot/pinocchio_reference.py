"""M, C v and g of the arms in crates/robot/assets/robots at random configurations, computed by Pinocchio, as JSON.

    pip install pin && python experiments/robot/pinocchio_reference.py OUT.json [COUNT]
"""

import json
import pathlib
import sys

import numpy as np
import pinocchio

ROBOTS = pathlib.Path(__file__).resolve().parents[2] / "crates/robot/assets/robots"
SEED = 20240607


def reference(file: pathlib.Path, count: int) -> dict:
    model = pinocchio.buildModelFromUrdf(str(file))
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    data = model.createData()
    random = np.random.default_rng(SEED)
    cases = []
    for _ in range(count):
        # a joint without limits has two numbers in Pinocchio, cos and sin
        angles = random.uniform(-3.0, 3.0, model.nv)
        speeds = random.uniform(-2.0, 2.0, model.nv)
        configuration = []
        for joint, angle in zip(model.joints[1:], angles):
            configuration += [np.cos(angle), np.sin(angle)] if joint.nq == 2 else [angle]
        configuration = np.array(configuration)
        mass = pinocchio.crba(model, data, configuration)
        mass = np.triu(mass) + np.triu(mass, 1).T
        gravity = pinocchio.computeGeneralizedGravity(model, data, configuration)
        coriolis = pinocchio.nonLinearEffects(model, data, configuration, speeds) - gravity
        upper = mass[np.triu_indices(model.nv)]
        vectors = {"angles": angles, "speeds": speeds, "mass": upper, "coriolis": coriolis, "gravity": gravity}
        cases.append({name: [float(value) for value in values] for name, values in vectors.items()})
    return {"robot": file.stem, "cases": cases}


def main() -> None:
    out = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    robots = [reference(file, count) for file in sorted(ROBOTS.glob("*.urdf"))]
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"pinocchio": pinocchio.__version__, "seed": SEED, "robots": robots}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
