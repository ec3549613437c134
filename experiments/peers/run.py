"""Other engines and ours on the same drives, in one run.

    python3 experiments/peers/run.py [--tasks peg,nut] [--engines mujoco,ode] [--steps 2,10] [--rounds 3] [--repeats 1]

Makes a virtual environment beside the build, installs the engines that can be installed, runs each on both drives with
the settings of its file, lets `tightfit audit` measure the true penetration of every trajectory, and writes results.csv
and results.md here. Our own engine is timed before and after every run of another one, which may be repeated: "times faster"
is the median of what each run says, so that a machine that is slow for a while is slow for both. Needs `cargo build --release`.
"""

import argparse
import csv
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "peers"
VENV = WORK / "venv"
TIGHTFIT = ROOT / "target" / "release" / "tightfit"
SCENES = {"peg": "peg-in-hole", "nut": str(HERE / "scenes" / "nut-drive.toml")}
SECONDS = {"peg": 4.2, "nut": 3.3}
STEPS = {"mujoco": (0.5, 2, 10), "ode": (2, 10), "bullet": (2, 10), "drake": (2, 10)}  # ms
PACKAGES = {"mujoco": ["mujoco"], "ode": [], "bullet": ["pybullet"], "drake": ["drake"]}
SETTINGS = {
    "mujoco": "convex pieces, elliptic cones, solref 2 steps",
    "ode": "triangle meshes, quick step with 100 sweeps, ERP 0.2, CFM 1e-9",
    "bullet": "convex pieces, margin 0, 200 sweeps",
    "drake": "hydroelastic, SAP, modulus 1e9 Pa",
}
LIMIT_S = 900


def main():
    arguments = parse()
    WORK.mkdir(parents=True, exist_ok=True)
    rows = []
    for task in arguments.tasks:
        factors = [own_factor(task, arguments.rounds)]
        own = {"engine": "Tightfit", "step_ms": 10, "task": task, "settings": "preset tight", **own_run(task)}
        others = []
        for engine in arguments.engines:
            problem = install(engine)
            for step in STEPS[engine]:
                if arguments.steps and step not in arguments.steps:
                    continue
                row = {"engine": engine, "step_ms": step, "task": task, "settings": SETTINGS[engine]}
                others.append(row | ({"remark": problem} if problem else repeated(engine, task, step, factors, arguments)))
                print(others[-1], flush=True)
                # after every run, so that nothing is lost when the rest is stopped
                own["real_time_factor"] = statistics.median(factors)
                write(rows + compared(own, others))
        rows += compared(own, others)


def compared(own, others):
    """Our row, and the others held against it."""
    for row in others:
        if row.get("real_time_factor"):
            row["ours_times_less_penetration"] = row["max_um"] / own["max_um"]
    return [own] + others


def repeated(engine, task, step, factors, arguments):
    """A run as often as told, ours timed after each; medians."""
    runs, ratios = [], []
    for _ in range(arguments.repeats):
        row = peer_run(engine, task, step)
        factors.append(own_factor(task, arguments.rounds))
        if not row.get("real_time_factor"):
            return row
        runs.append(row["real_time_factor"])
        ratios.append(statistics.mean(factors[-2:]) / runs[-1])
    medians = {"real_time_factor": statistics.median(runs), "ours_times_faster": statistics.median(ratios)}
    return row | medians | judged(task, poses_of(engine, task, step))


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words = lambda text: text.split(",")
    parser.add_argument("--tasks", type=words, default=["peg", "nut"])
    parser.add_argument("--engines", type=words, default=list(STEPS))
    parser.add_argument("--steps", type=lambda text: [float(word) for word in text.split(",")], default=None)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=1)
    return parser.parse_args()


def install(engine):
    """What went wrong, or None."""
    python = VENV / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", VENV], check=True, timeout=LIMIT_S)
        packages = ["numpy"] + PACKAGES[engine]
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, timeout=LIMIT_S, capture_output=True)
    except (subprocess.SubprocessError, OSError) as error:
        return f"cannot be installed: {error}"
    return None


def tool(*arguments):
    """What the program says as JSON; it ends with 2 where a task is not completed."""
    done = subprocess.run([TIGHTFIT, *arguments, "--json"], capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode not in (0, 2):
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def own_factor(task, rounds):
    said = tool("bench", "step", SCENES[task], "--rounds", str(rounds))[0]
    # thread time, as for the others
    spent_us = said["cpu_mean_step_us"] or said["mean_step_us"]
    return 10e3 / spent_us


def own_run(task):
    log = WORK / f"own-{task}-log.csv"
    said = tool("run", SCENES[task], "--audit", "--log", str(log))
    audit = said["audit"]
    row = {"mean_um": audit["mean_penetration_um"], "max_um": audit["max_penetration_um"]}
    if task == "peg":
        return row | {"depth_mm": said["outcome"]["depth_mm"]}
    lines = [line for line in open(log, encoding="utf-8") if not line.startswith("#")]
    track = [(float(row["time_s"]), float(row["nut.center_z_m"])) for row in csv.DictReader(lines)]
    return row | turns(track)


def peer_run(engine, task, step):
    command = [VENV / "bin" / "python", HERE / f"{engine}_engine.py", task, str(step), poses_of(engine, task, step)]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PEERS_WORK": str(WORK)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, env=environment)
    except subprocess.TimeoutExpired:
        return {"remark": f"not finished in {LIMIT_S} s"}
    if done.returncode != 0:
        return {"remark": done.stderr.strip().split("\n")[-1][:120]}
    said = json.loads(done.stdout.strip().split("\n")[-1])
    row = {"engine": said["engine"]}
    if said["steps"] < said["wanted"]:
        return row | {"remark": f"ended at {said['steps'] * step * 1e-3:.2f} s"}
    return row | {"real_time_factor": SECONDS[task] / said["spent_s"]}


def poses_of(engine, task, step):
    return WORK / f"{engine}-{task}-{step}.csv"


def judged(task, poses):
    """Penetration and outcome of a trajectory."""
    audit = tool("audit", SCENES[task], "--poses", str(poses))
    rows = [line.split(",") for line in open(poses, encoding="ascii") if line[0].isdigit()]
    track = [(float(row[0]), float(row[3])) for row in rows]
    row = {"mean_um": audit["mean_um"], "max_um": audit["max_um"], "max_at_s": audit["max_at_s"]}
    if task == "peg":
        return row | {"depth_mm": -1e3 * track[-1][1]}
    return row | turns(track)


def turns(track):
    """Advance of the nut [mm per turn]; it is turned once a second from 0.3 s on."""
    height = lambda time: 1e3 * min(track, key=lambda row: abs(row[0] - time))[1]
    return {"mm_per_turn_2_3": (height(1.3) - height(3.3)) / 2, "mm_per_turn_3": height(2.3) - height(3.3)}


def write(rows):
    names = ["task", "engine", "step_ms", "settings", "mean_um", "max_um", "max_at_s", "depth_mm", "mm_per_turn_2_3",
             "mm_per_turn_3", "real_time_factor", "ours_times_faster", "ours_times_less_penetration", "remark"]
    with open(HERE / "results.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        writer.writerows({name: f"{value:.4g}" if isinstance(value, float) else value for name, value in row.items()} for row in rows)
    cell = lambda row, name, form: format(row[name], form) if name in row else "-"
    cores = os.cpu_count()
    lines = [f"Measured on {datetime.date.today()} on a machine with {cores} cores, load {os.getloadavg()[0]:.1f}, by thread time.", "",
             "| task | engine | step ms | penetration um, mean / max | peg depth mm | nut mm/turn, turns 2-3 / 3 | real-time factor | ours: times faster | times less penetration | |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['task']} | {row['engine']} | {row['step_ms']:g} | {cell(row, 'mean_um', '.3g')} / {cell(row, 'max_um', '.3g')} | "
                     f"{cell(row, 'depth_mm', '.2f')} | {cell(row, 'mm_per_turn_2_3', '.2f')} / {cell(row, 'mm_per_turn_3', '.3f')} | "
                     f"{cell(row, 'real_time_factor', '.3g')} | {cell(row, 'ours_times_faster', '.0f')} | "
                     f"{cell(row, 'ours_times_less_penetration', '.0f')} | {row.get('remark', '')} |")
    (HERE / "results.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
