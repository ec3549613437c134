"""Coal on the poses of the detection benchmark, beside FCL and our fields in the same run.

    python coal_detection.py TIGHTFIT [--poses 300] [--rounds 3]

All crossing pairs of triangles of two meshes, with contacts, as asked of FCL; both meshes in trees of OBBRSS. Coal passes
over the poses of a task between two runs of `tightfit bench detection`, whose means are taken. Times are those of the
thread; the time of a pose is the median over the passes. Needs `pip install coal numpy`.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import time

import coal
import numpy as np

ASSETS = pathlib.Path(__file__).resolve().parents[2] / "crates/tightfit/assets/benchmark"
TASKS = {"peg": ("hole", "peg"), "nut": ("bolt", "nut")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tightfit")
    parser.add_argument("--poses", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print("| task | method | mean us | median us | longest us | Coal's mean us | times faster than Coal |")
    print("|---|---|---|---|---|---|---|")
    for task, (fixed, moving) in TASKS.items():
        before = ours(arguments, task)
        times = coal_times(fixed, moving, task, arguments)
        after = ours(arguments, task)
        mean = statistics.mean(times)
        show(task, f"Coal {coal.__version__}", mean, statistics.median(times), max(times), mean)
        for one, two in zip(before, after):
            both = {key: (one[key] + two[key]) / 2 for key in ("mean_us", "median_us", "max_us")}
            show(task, one["method"], both["mean_us"], both["median_us"], both["max_us"], mean)
        if before[0]["fcl_mean_us"]:
            fcl = (before[0]["fcl_mean_us"] + after[0]["fcl_mean_us"]) / 2
            show(task, "FCL", fcl, None, None, mean)


def show(task, method, mean, median, longest, coal_mean):
    numbers = [f"{value:.1f}" if value else "" for value in (mean, median, longest, coal_mean)]
    print("| " + " | ".join([task, method, *numbers, f"{coal_mean / mean:.2f}"]) + " |", flush=True)


def ours(arguments, task):
    command = [arguments.tightfit, "bench", "detection", task, "--poses", str(arguments.poses), "--json"]
    said = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(said.stdout)


def coal_times(fixed, moving, task, arguments):
    """Microseconds of every pose."""
    meshes = [mesh(ASSETS / f"{name}.obj") for name in (moving, fixed)]
    rows = [line for line in open(ASSETS / f"{task}_poses.csv", encoding="utf-8") if not line.startswith("#")]
    chosen = rows[:: max(len(rows) // arguments.poses, 1)][: arguments.poses]
    poses = [pose([float(word) for word in row.split(",")[:7]]) for row in chosen]
    request = coal.CollisionRequest()
    request.enable_contact = True
    request.num_max_contacts = 1 << 30
    passes = [[once(meshes, own, request) for own in poses] for _ in range(arguments.rounds)]
    return [statistics.median(times) for times in zip(*passes)]


def once(meshes, own, request):
    result = coal.CollisionResult()
    start = time.thread_time_ns()
    coal.collide(meshes[0], own, meshes[1], coal.Transform3s(), request, result)
    return 1e-3 * (time.thread_time_ns() - start)


def mesh(path):
    model = coal.BVHModelOBBRSS()
    lines = [line.split() for line in open(path, encoding="utf-8")]
    vertices = np.array([[float(word) for word in line[1:4]] for line in lines if line and line[0] == "v"])
    faces = [[int(word) - 1 for word in line[1:4]] for line in lines if line and line[0] == "f"]
    triangles = coal.StdVec_Triangle()
    for face in faces:
        triangles.append(coal.Triangle(*face))
    points = coal.StdVec_Vec3s()
    for vertex in vertices:
        points.append(vertex)
    model.beginModel(len(faces), len(vertices))
    model.addSubModel(points, triangles)
    model.endModel()
    return model


def pose(numbers):
    x, y, z, qw, qx, qy, qz = numbers
    return coal.Transform3s(rotation(qw, qx, qy, qz), np.array([x, y, z]))


def rotation(w, x, y, z):
    length = np.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = (value / length for value in (w, x, y, z))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


if __name__ == "__main__":
    main()
