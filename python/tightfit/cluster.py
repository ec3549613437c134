"""Rollouts and searches over a Ray cluster, with the bits of one machine.

Work is cut by seed or by candidate, never by node: the number of nodes changes no result. Ray runs the pieces of a lost node again
on another one.

    import ray
    from tightfit.cluster import evaluate_on_cluster, minimise

    ray.init()  # or ray.init(address="auto") on a cluster
    result = evaluate_on_cluster(PegExpert(), "PegInHole", seeds=range(1_000_000, 1_000_200))
"""

from __future__ import annotations

from typing import Any, Callable, Iterable, Sequence

import numpy as np
import ray

from ._native import CmaEs
from .environments import make_vec_env

__all__ = ["evaluate_on_cluster", "minimise", "rollout"]


def rollout(policy: Callable[[np.ndarray], np.ndarray], scene: Any, seeds: Sequence[int], **options: Any) -> dict[str, Any]:
    """Run one episode per seed on one thread of this process.

    Returns success, return, policy steps and fingerprint of the last state, in the order of the seeds.
    """
    count = len(seeds)
    envs = make_vec_env(scene, count, threads=1, autoreset_mode="Disabled", **options)
    observations, _ = envs.reset(seed=list(seeds))
    native = envs._core.get()
    running = np.ones(count, bool)
    success, returns, steps = np.zeros(count, bool), np.zeros(count), np.zeros(count, np.int64)
    deepest = np.zeros(count)
    while running.any():
        native.step(np.asarray(policy(observations), np.float32), running)
        observations, info = native.observations(), native.info()
        rewards, terminated, truncated = native.ends()
        returns[running] += rewards[running]
        steps[running] += 1
        deepest[running] = np.maximum(deepest[running], info["penetration"][running])
        success |= running & info["success"]
        running &= ~(terminated | truncated)
    return {
        "seed": np.asarray(seeds, np.uint64),
        "success": success,
        "return": returns,
        "steps": steps,
        "penetration": deepest,
        "hash": envs.state_hashes,
    }


# A lost node costs time, never a result: its pieces run again elsewhere.
_rollout = ray.remote(num_cpus=1, max_retries=-1)(rollout)


def evaluate_on_cluster(
    policy: Callable[[np.ndarray], np.ndarray], scene: Any, seeds: Iterable[int], *, chunk: int = 10, **options: Any
) -> dict[str, Any]:
    """Run one episode per seed over all nodes; results are in the order of the seeds."""
    seeds = list(seeds)
    policy = ray.put(policy)
    pieces = [seeds[start : start + chunk] for start in range(0, len(seeds), chunk)]
    results = ray.get([_rollout.remote(policy, scene, piece, **options) for piece in pieces])
    return {name: np.concatenate([result[name] for result in results]) for name in results[0]}


@ray.remote(num_cpus=1, max_retries=-1)
def _value(function: Callable[[np.ndarray], float], candidate: np.ndarray) -> float:
    return float(function(candidate))


def minimise(
    function: Callable[[np.ndarray], float],
    mean: Sequence[float],
    sigma: float,
    *,
    generations: int,
    seed: int = 1,
    population: int = 0,
    separable: bool = False,
    follow: Callable[[int, np.ndarray, np.ndarray], None] | None = None,
) -> tuple[float, np.ndarray]:
    """Minimise a function by CMA-ES, each candidate on any node; the best value and its candidate.

    ``follow`` is called after every generation with its number, its candidates and their values.
    """
    search = CmaEs(list(mean), sigma, seed=seed, population=population, separable=separable)
    function = ray.put(function)
    best: tuple[float, np.ndarray] = (np.inf, np.asarray(mean, float))
    for generation in range(generations):
        candidates = search.ask()
        values = np.array(ray.get([_value.remote(function, candidate) for candidate in candidates]))
        search.tell(values.tolist())
        least = int(values.argmin())
        if values[least] < best[0]:
            best = (float(values[least]), candidates[least].copy())
        if follow is not None:
            follow(generation, candidates, values)
        if search.stopped:
            break
    return best
