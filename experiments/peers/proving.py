"""MuJoCo and ours on stacks of blocks and on meshes of the Factory benchmark: times, penetration and outcome in one table.

    python proving.py TIGHTFIT SCENES [--rounds 3] [--steps 10,2] [--only stack5,rpeg8]

SCENES is a folder with the scenes of TASKS and, beside them, the mended meshes that they name
(`tightfit part FACTORY.obj --repair NAME.stl --no-bake`). MuJoCo gets the same bodies, friction and drive, from the scene
files: blocks as boxes, a peg as the hull of its mesh, a hole as one convex piece per wall of its bore. Elliptic cones,
Newton, contacts as stiff as MuJoCo allows (solref 2 steps, damping ratio 1), all else as it comes.

The springs of the drive are too stiff for an explicit step (the round peg swings about its axis at 1,800 rad/s), so MuJoCo
gets them by the implicit Euler rule: v' of the next step solves
    (M + h D + h^2 K) (v' - v) = h (contact forces + K (goal' - x - h v) + D (goal velocity' - v))
that is the wrench at the predicted pose, and h D + h^2 K as armature of the free joint, whose frame is the centre of mass.

Penetration is that of the true parts after every step: for blocks the depth by separating axes and the deepest corner
below the floor, for pegs what `tightfit audit` says. Median and largest over time of the deepest. Times are thread time
of the steps alone, engines in turns, the median of the rounds. Prints Markdown.
"""

import argparse
import csv
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
import tomllib

import mujoco
import numpy as np

from drives import Drive, about_y, about_z, quaternion
from pieces import clip
from trajectory import Trajectory

# seconds, and what is said of the end
TASKS = {"stack5": (5.0, "heights"), "stack10": (5.0, "heights"), "dominoes": (3.0, "fallen"), "pyramid10": (0.6, "heights"),
         "rect16": (1.0, "depth"), "rpeg8": (0.6, "depth")}
OWN_STEP = 10e-3  # of the scenes
STEEL = 7850.0


def main():
    arguments = parse()
    print("| scene | engine | step ms | real-time factor | penetration um, median / max | outcome |")
    print("|---|---|---|---|---|---|", flush=True)
    for name in arguments.only:
        seconds, outcome = TASKS[name]
        task = Task(arguments.program, arguments.scenes / f"{name}.toml", seconds)
        spent = {}
        for _ in range(arguments.rounds):
            spent.setdefault("own", []).append(task.own_time())
            for step in arguments.steps:
                factor, track = task.with_mujoco(step)
                spent.setdefault(step, []).append(factor)
                task.tracks[step] = track  # every round gives the same
        task.tracks["own"] = task.own_track()
        for key, label, step in [("own", "Tightfit", OWN_STEP), *((step, f"MuJoCo {mujoco.__version__}", step) for step in arguments.steps)]:
            depths = task.penetration(task.tracks[key])
            print(f"| {name} | {label} | {step * 1e3:g} | {statistics.median(spent[key]):.3g} | "
                  f"{short(np.median(depths) * 1e6)} / {short(np.max(depths) * 1e6)} | {getattr(task, outcome)(task.tracks[key])} |", flush=True)
    print(f"\nLoad of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("scenes", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=lambda text: [float(word) * 1e-3 for word in text.split(",")], default=[10e-3, 2e-3])
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(TASKS))
    return parser.parse_args()


class Waypoints(Drive):
    """A drive of a scene file: positions interpolated over time."""

    def __init__(self, table, mass, center, moment, duration):
        super().__init__("", mass, center, moment, np.array(table["stiffness_n_m"], float), np.array(table["turning_stiffness_nm_rad"], float),
                         np.zeros(3), table["offset_mm"] * 1e-3, np.radians(table["tilt_deg"]), duration)
        self.damping = table["damping_per_s"]
        self.times = [point["time_s"] for point in table["waypoints"]]
        self.places = np.array([point["position_mm"] for point in table["waypoints"]]) * 1e-3

    def path(self, time):
        return np.array([np.interp(time, self.times, axis) for axis in self.places.T]), 0.0, 0.0, 0.0


class Task:
    """A scene in both engines. A track is a list of (time, places, quaternions) of the free bodies' frames."""

    def __init__(self, program, path, seconds):
        self.program, self.path, self.seconds, self.tracks = program, path, seconds, {}
        self.scene = tomllib.loads(path.read_text(encoding="utf-8"))
        self.free = [name for name, part in self.scene["parts"].items() if part.get("motion", "free") == "free"]
        self.halves = [np.array(self.scene["parts"][name]["shape"].get("size_mm", [0, 0, 0])) * 0.5e-3 for name in self.free]
        self.drive, self.mouth = None, None
        if "drive" in self.scene:
            facts = self.tool("part", str(self.mesh_file("peg")), "--unit", "mm", "--density", str(STEEL), "--no-bake")["facts"]["mass"]
            moment = np.array(facts["moment_kg_m2"])
            assert np.abs(moment - np.diag(np.diag(moment))).max() < 1e-6 * moment.max()
            self.drive = Waypoints(self.scene["drive"], facts["mass_kg"], np.array(facts["center_of_mass_m"]), np.diag(moment), seconds)
            self.mouth = corners_of(self.mesh_file("hole"))[:, 2].max()

    def mesh_file(self, part):
        return self.path.parent / self.scene["parts"][part]["shape"]["file"]

    def tool(self, *arguments):
        """What the program says as JSON; exit codes 2 and 3 judge the run."""
        done = subprocess.run([self.program, *arguments, "--json"], capture_output=True, text=True)
        if done.returncode not in (0, 2, 3):
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def frames(self, centers, turns):
        """Places of the frames from centres of mass, and a copy of the turns; blocks have their frames there."""
        if self.drive:
            return centers - [matrix_of(turn) @ self.drive.center for turn in turns], turns.copy()
        return centers.copy(), turns.copy()

    # Ours

    def own_time(self):
        said = self.tool("bench", "step", str(self.path), "--seconds", str(self.seconds), "--rounds", "1")[0]
        return OWN_STEP * 1e6 / said["cpu_mean_step_us"]

    def own_track(self):
        with tempfile.NamedTemporaryFile(suffix=".csv") as log:
            said = self.tool("run", str(self.path), "--seconds", str(self.seconds), "--audit", "--log", log.name)
            rows = list(csv.DictReader(line for line in open(log.name, encoding="utf-8") if not line.startswith("#")))
        assert said["dt_s"] == OWN_STEP and said["verdict"] == "certified", (self.path, said["verdict"], said["reasons"])
        get = lambda row, name, names: np.array([float(row[f"{name}.{key}"]) for key in names])
        track = []
        for row in rows:
            turns = [get(row, name, [f"quaternion_{axis}" for axis in "wxyz"]) for name in self.free]
            places = [get(row, name, [f"center_{axis}_m" for axis in "xyz"]) for name in self.free]
            track.append((float(row["time_s"]), *self.frames(np.array(places), np.array(turns))))
        return track

    # MuJoCo

    def model(self, step):
        spec = mujoco.MjSpec()
        spec.option.timestep = step
        spec.option.gravity = self.scene.get("gravity_m_s2", [0, 0, 0])
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        for name, part in self.scene["parts"].items():
            body = spec.worldbody
            if name in self.free:
                body = spec.worldbody.add_body(name=name)
                body.add_freejoint()
            kind = part["shape"]["kind"]
            geoms = []
            if kind == "half-space":
                geoms.append(body.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1]))
            elif kind == "block":
                geoms.append(body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=np.array(part["shape"]["size_mm"]) * 0.5e-3, mass=part["mass_kg"]))
            else:
                corners = corners_of(self.mesh_file(name))
                if name in self.free:
                    body.explicitinertial = True
                    body.mass, body.inertia = self.drive.mass, self.drive.moment
                    corners = corners - self.drive.center
                for index, piece in enumerate([corners] if name in self.free else walls(corners)):
                    spec.add_mesh(name=f"{name}{index}", uservert=piece.ravel())
                    geoms.append(body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"{name}{index}"))
            for geom in geoms:
                geom.condim, geom.friction = 3, [self.scene["friction"], 0, 0]
                geom.solref = [2 * step, 1]
        model = spec.compile()
        if self.drive:
            drive = self.drive
            damping = drive.damping * np.concatenate([np.full(3, drive.mass), drive.moment])
            model.dof_armature[:] = step * damping + step**2 * np.concatenate([drive.stiffness, drive.turning])
            mujoco.mj_setConst(model, mujoco.MjData(model))
        return model

    def with_mujoco(self, step):
        """Real-time factor, track."""
        model = self.model(step)
        data = mujoco.MjData(model)
        for index, name in enumerate(self.free):
            place = data.qpos[7 * index:7 * index + 7]
            part = self.scene["parts"][name]
            if self.drive:
                position, rotation = self.drive.target(0.0)
                position = position + rotation @ self.drive.center
            else:
                position, (x, y, z) = np.array(part["position_mm"]) * 1e-3, np.radians(part["rotation_deg"])
                assert x == 0.0
                rotation = about_z(z) @ about_y(y)
            place[:3], place[3:] = position, quaternion(rotation)
        spent, track = 0.0, []
        for index in range(round(self.seconds / step)):
            if self.drive:
                self.push(data, index * step, step)
            clock = time.thread_time()
            mujoco.mj_step(model, data)
            spent += time.thread_time() - clock
            track.append(((index + 1) * step, *self.frames(data.qpos.reshape(-1, 7)[:, :3], data.qpos.reshape(-1, 7)[:, 3:])))
        assert data.time > self.seconds - step / 2, f"{self.path}: MuJoCo diverged"  # it begins again then
        return self.seconds / spent, track

    def push(self, data, now, step):
        turn = data.qpos[3:].copy()
        spin = matrix_of(turn) @ data.qvel[3:]
        mujoco.mju_quatIntegrate(turn, data.qvel[3:], step)
        rotation = matrix_of(turn)
        position = data.qpos[:3] + step * data.qvel[:3] - rotation @ self.drive.center
        data.xfrc_applied[1] = np.concatenate(self.drive.wrench(now + step, position, rotation, data.qvel[:3], spin))

    # What came out

    def penetration(self, track):
        """The deepest of every pose [m]."""
        if not self.drive:
            rotations = np.array([[matrix_of(turn) for turn in turns] for _, _, turns in track])
            return block_depths(np.array([places for _, places, _ in track]), rotations, self.halves)
        depths = []
        for now, places, turns in track:  # one at a time: the program says only mean and largest
            with tempfile.NamedTemporaryFile(suffix=".csv") as file:
                poses = Trajectory(file.name, OWN_STEP)
                poses.add(now, places[0], turns[0])
                poses.close()
                depths.append(self.tool("audit", str(self.path), "--poses", file.name)["max_um"] * 1e-6)
        return np.array(depths)

    def heights(self, track):
        """Largest error of a block's height at the end; blocks rest on whole rows."""
        high = 2 * self.halves[0][2]
        errors = [place[2] - high * (np.floor(self.scene["parts"][name]["position_mm"][2] * 1e-3 / high) + 0.5)
                  for place, name in zip(track[-1][1], self.free)]
        return f"height error {short(1e6 * max(errors, key=abs))} um"

    def fallen(self, track):
        down = [matrix_of(turn)[2, 2] < np.sqrt(0.5) for turn in track[-1][2]]
        return f"{sum(down)} of {len(down)} fallen"

    def depth(self, track):
        x, y, z = 1e3 * track[-1][1][0]
        depth = 1e3 * self.mouth - z
        return f"tip {abs(depth):.3f} mm {'below' if depth > 0 else 'above'} the mouth, {np.hypot(x, y):.3f} mm off the axis"


def short(number):
    """Three digits, or whole."""
    return f"{number:.0f}" if abs(number) >= 1e3 else f"{number:.3g}"


def corners_of(path):
    """Vertices of a binary STL file in millimetres [m]."""
    data = path.read_bytes()
    kind = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    triangles = np.frombuffer(data, kind, count=int.from_bytes(data[80:84], "little"), offset=84)
    return np.unique(triangles["corners"].reshape(-1, 3).astype(float), axis=0) * 1e-3


def walls(corners):
    """A block with a straight convex bore about z, cut by planes through its axis into one convex piece per wall."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    bottom = corners[np.abs(corners[:, 2] - low[2]) < 1e-8, :2]
    bore = bottom[np.abs(bottom).max(axis=1) < 0.99 * high[0]]
    bore = bore[np.argsort(np.arctan2(bore[:, 1], bore[:, 0]))]
    before, after = bore - np.roll(bore, 1, axis=0), np.roll(bore, -1, axis=0) - bore
    cross = lambda a, b: a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    bore = bore[cross(before, after) > 1e-4 * np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=1)]
    pieces = []
    for a, b in zip(bore, np.roll(bore, -1, axis=0)):
        out = np.array([b[1] - a[1], a[0] - b[0]]) / np.linalg.norm(b - a)
        polygon = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        for normal, bound in ((-out, -out @ a), ((a[1], -a[0]), 0.0), ((-b[1], b[0]), 0.0)):
            polygon = clip(polygon, normal, bound)
        pieces.append(np.array([(x, y, z) for z in (low[2], high[2]) for x, y in polygon]))
    area = lambda polygon: 0.5 * abs(cross(polygon, np.roll(polygon, -1, axis=0)).sum())
    whole = np.prod((high - low)[:2]) - area(bore)
    assert abs(sum(area(piece[:len(piece) // 2, :2]) for piece in pieces) - whole) < 1e-6 * whole
    return pieces


def matrix_of(turn):
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, turn)
    return matrix.reshape(3, 3)


def block_depths(places, rotations, halves):
    """Deepest overlap of blocks and of the floor z = 0, over time; places [time, block, 3], columns of rotations are axes."""
    deepest = np.zeros(len(places))
    for one, half in enumerate(halves):
        reach = np.abs(rotations[:, one, 2, :]) @ half
        deepest = np.maximum(deepest, reach - places[:, one, 2])
        for two in range(one):
            axes = np.concatenate([rotations[:, one].transpose(0, 2, 1), rotations[:, two].transpose(0, 2, 1)], axis=1)
            edges = np.cross(axes[:, :3, None], axes[:, None, 3:]).reshape(-1, 9, 3)
            size = np.linalg.norm(edges, axis=2)
            tried = np.concatenate([axes, edges / np.maximum(size, 1e-9)[..., None]], axis=1)
            widths = [np.abs(tried @ rotations[:, block]) @ halves[block] for block in (one, two)]
            overlap = sum(widths) - np.abs(np.einsum("tax,tx->ta", tried, places[:, one] - places[:, two]))
            overlap[:, 6:][size < 1e-6] = np.inf  # edges that are parallel
            deepest = np.maximum(deepest, overlap.min(axis=1))
    return deepest


if __name__ == "__main__":
    main()
