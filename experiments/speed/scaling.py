"""Scaling of a batch over the cores of one machine, by `tightfit bench batch`.

    cargo build --release
    python3 experiments/speed/scaling.py target/release/tightfit --threads 1,2,4,8,16 > scaling.md

Every line is the median of several rounds. "long": threads meet after 70 steps; "policy": they meet after a policy step of seven, as
in reinforcement learning. Efficiency is the rate per thread against that of
one thread. What limits it shows in the time of a processor per step: if it grows, the cores share caches, clock or units; if it
stays, threads wait for one another.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess


def measure(options: argparse.Namespace, scene: str, steps: int) -> list[dict]:
    command = [
        options.program, "bench", "batch", scene, "--environments", str(options.environments), "--threads", options.threads,
        "--rounds", str(options.rounds), "--steps", str(steps), "--csv", os.devnull, "--json",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="path of the built program tightfit")
    parser.add_argument("--scenes", default="peg-in-hole,bolting-engaged")
    parser.add_argument("--threads", default="1,2,4,8,16")
    parser.add_argument("--environments", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print("| scene | threads | long: steps/s | speed-up | efficiency | us of a processor per step | policy: steps/s | speed-up |")
    print("|---|---|---|---|---|---|---|---|")
    for scene in options.scenes.split(","):
        long, policy = (measure(options, scene, steps) for steps in (70, 7))
        first = long[0]["threads"]
        for row, beside in zip(long, policy):
            efficiency = 100 * row["speedup"] * first / row["threads"]
            print(
                f"| {scene} | {row['threads']} | {row['env_steps_per_s']:,.0f} | {row['speedup']:.2f} | {efficiency:.0f} % | "
                f"{row['cpu_us_per_env_step']:.1f} | {beside['env_steps_per_s']:,.0f} | {beside['speedup']:.2f} |",
                flush=True,
            )
    print(f"\n{long[0]['machine']}, {options.environments} environments, {long[0]['conditions']}")


if __name__ == "__main__":
    main()
