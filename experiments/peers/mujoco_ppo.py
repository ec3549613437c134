"""The PPO example of the Python package on MuJoCo's peg: same network, same hyperparameters, same episodes.

    target/python-venv/bin/python experiments/peers/mujoco_ppo.py --step-ms 10 --envs 64 --processor-minutes 4 --out learned-mujoco

Prints what `python/examples/learn_peg.py` prints, with the penetration of the exact parts after every step of MuJoCo.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np
import torch

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parents[1] / "python/examples")]

import learn_peg  # noqa: E402
from mujoco_peg import MujocoPegs, evaluate  # noqa: E402


def tell(name: str, result: dict[str, np.ndarray]) -> float:
    rate, depth = float(result["success"].mean()), 1e6 * result["penetration"]
    print(
        f"{name}: {100 * rate:.1f} %, with at most 5 um of penetration {100 * (result['success'] & (depth <= 5)).mean():.1f} %; "
        f"penetration of the exact parts: median of the episodes {np.median(depth):.1f} um, deepest {depth.max():.0f} um",
        flush=True,
    )
    return rate


def main() -> None:
    parser = learn_peg.arguments()
    parser.add_argument("--step-ms", type=float, default=10.0)
    options = parser.parse_args()
    options.env = f"MuJoCo {mujoco.__version__}, step {options.step_ms:g} ms"
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    step, threads = options.step_ms * 1e-3, options.threads or 2
    envs, agent = MujocoPegs(options.envs, step, threads), learn_peg.Agent()
    seeds = range(options.first_unseen_seed, options.first_unseen_seed + options.episodes)
    before = tell("untrained", evaluate(agent.act, step, seeds[: options.episodes // 10], threads))
    curve, seconds, processor = learn_peg.train(envs, agent, options)
    steps = curve[-1][0]
    print(
        f"training took {seconds:.0f} s, {processor:.0f} s of processor time, of which MuJoCo's step {envs.spent:.0f} s; "
        f"{steps} policy steps, {steps / processor:.1f} per second of processor time, {steps / envs.spent:.1f} per second of "
        "MuJoCo's step",
        flush=True,
    )
    torch.save(agent.state_dict(), options.out / "policy.pt")
    learn_peg.write(options, curve, before, tell("trained", evaluate(agent.act, step, seeds, threads)))


if __name__ == "__main__":
    main()
