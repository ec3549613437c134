"""What environments and Python add to the native batch, and whether memory grows.

    python experiments/speed/python_overhead.py                                       # 256 NutThread environments under the expert
    python experiments/speed/python_overhead.py --envs 4096 --substeps 1 --steps 10000 --every 500

Every policy step the batch tells how long it took inside; the rest of the step is the environments' own (set-points, observations,
rewards, resets) and Python's. The share is the median over the steps, so that other work on the machine matters little. The
expert's own time is not counted. Memory is the resident set of the process.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
import tightfit
from tightfit.experts import EXPERTS


def resident_mib() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="NutThread", choices=EXPERTS)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--substeps", type=int, default=7)
    parser.add_argument("--every", type=int, default=50, help="print a line after this many steps")
    options = parser.parse_args()
    envs = tightfit.make_vec_env(
        options.env, options.envs, threads=options.threads, substeps=options.substeps, autoreset_mode="SameStep"
    )
    expert, native = EXPERTS[options.env](options.envs), envs._core.get()
    observations, _ = envs.reset(seed=1)
    shares, ended, first, processor = [], 0, resident_mib(), time.process_time()
    print(f"after reset {first:.0f} MiB", flush=True)
    for step in range(1, options.steps + 1):
        actions = expert(observations)
        inside, start = native.batch_seconds, time.perf_counter()
        observations, _, terminated, truncated, _ = envs.step(actions)
        outside, inside = time.perf_counter() - start, native.batch_seconds - inside
        shares.append(outside / inside - 1)
        ended += int((terminated | truncated).sum())
        if step % options.every == 0:
            print(
                f"{step:6d} steps, {ended:6d} episodes ended: added to the batch, median {100 * np.median(shares):.2f} %, "
                f"mean {100 * np.mean(shares):.2f} %; {resident_mib():.0f} MiB; "
                f"{1e6 * (time.process_time() - processor) / (step * options.envs * options.substeps):.1f} us of a processor per "
                "simulation step",
                flush=True,
            )


if __name__ == "__main__":
    main()
