"""Scripted experts: policies that see the same observations as a learner.

>>> envs = make_vec_env("PegInHole", num_envs=2, threads=1)
>>> expert = PegExpert(2)
>>> observations, _ = envs.reset(seed=1)
>>> expert(observations).shape
(2, 6)
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from .environments import VectorEnv, make_vec_env

__all__ = ["EXPERTS", "ArmNutExpert", "NutExpert", "PegExpert", "TUNNEL_LIMIT", "describe", "evaluate"]

Policy = Callable[[np.ndarray], np.ndarray]


class PegExpert:
    """Centre and straighten the peg above the hole, then push it down; the chamfers correct what the observation has wrong."""

    def __init__(self, count: int = 1) -> None:
        """Make an expert for ``count`` environments."""
        self.count = count

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Return actions for observations (n, 30)."""
        position, tilt = observations[:, 0:3], observations[:, 3:5]
        actions = np.zeros((len(observations), 6), np.float32)
        # The set-point moves on while an error is left: joint friction of an arm holds the part beside a fixed set-point.
        actions[:, 3:5] = -0.8 * tilt
        inside = position[:, 2] < -1.0
        # In the hole the walls guide the peg; the springs relax by a tenth per step so that they do not fight them.
        actions[:, :2] = np.where(inside[:, None], -0.1 * observations[:, 18:20], -0.4 * position[:, :2])
        lateral, straight = np.linalg.norm(position[:, :2], axis=1), np.linalg.norm(tilt, axis=1)
        aligned = inside | ((lateral < 0.3) & (straight < 0.5))
        actions[:, 2] = np.where(aligned, -1.0, np.where(position[:, 2] < 1.0, 1.0, 0.0))
        return np.clip(actions, -1.0, 1.0)


class NutExpert:
    """Hold the nut straight over the bolt, press it down lightly and turn it on; back off where it jams.

    The expert remembers for each environment how long it still backs off and whether it has begun to turn.
    """

    #: Height of an M48x5 nut on its bolt from which the thread guides it [mm].
    THREADED_MM = 44.0
    #: Policy steps of a retreat.
    RETREAT = 24
    #: Share of the lateral lead that a policy step takes back: what is left of an error that the set-point cannot remove.
    LEAK = 0.4
    #: The same of the tilt.
    TILT_LEAK = 0.1
    #: Share of the full speed until the thread guides the nut: the first touch is soft.
    SEARCH_SPEED = 0.6

    def __init__(self, count: int = 1) -> None:
        """Make an expert for ``count`` environments."""
        self.retreat = np.zeros(count, int)
        self.turning = np.zeros(count, bool)

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """Return actions for observations (n, 30)."""
        if len(self.retreat) != len(observations):
            self.retreat = np.zeros(len(observations), int)
            self.turning = np.zeros(len(observations), bool)
        position, tilt = observations[:, 0:3], observations[:, 3:5]
        lead, lead_tilt, lead_turn = observations[:, 18:21], observations[:, 21:23], observations[:, 23]
        started = np.any(observations[:, 24:30] != 0, axis=1)
        self.retreat = np.where(started, np.maximum(self.retreat - 1, 0), 0)
        self.retreat[(self.retreat == 0) & (lead_turn < -30.0)] = self.RETREAT
        back = self.retreat > 0
        actions = np.zeros((len(observations), 6), np.float32)
        # On the thread the springs relax. Before, the set-point leads towards the assumed axis.
        threaded = ((position[:, 2] < self.THREADED_MM) & ~back)[:, None]
        centring = -0.4 * position[:, :2] - self.LEAK * lead[:, :2]
        actions[:, :2] = np.where(threaded, -0.3 * lead[:, :2], centring) / 0.5
        actions[:, 3:5] = np.where(threaded, -0.3 * lead_tilt, -0.4 * tilt - self.TILT_LEAK * lead_tilt) / 0.5
        lateral, straight = np.linalg.norm(position[:, :2], axis=1), np.linalg.norm(tilt, axis=1)
        # Once the nut turns it goes on turning: contact may shift and tilt it until it drops into the thread.
        self.turning = started & ~back & (self.turning | ((lateral < 0.3) & (straight < 0.3)))
        speed = np.where(threaded[:, 0], 1.0, self.SEARCH_SPEED)
        # 4 mm of lead are a few newtons: enough to follow the thread, too little to jam
        press = np.clip((-4.0 - lead[:, 2]) / 0.5, -speed, speed)
        actions[:, 2] = np.where(back, 1.0, np.where(self.turning, press, 0.0))
        actions[:, 5] = np.where(back, 1.0, np.where(self.turning, -speed, 0.0))
        return np.clip(actions, -1.0, 1.0)


class ArmNutExpert(NutExpert):
    """The same with a longer lead, against the joint friction of an arm."""

    LEAK = 0.05
    TILT_LEAK = 0.0


#: The expert of every built-in environment.
EXPERTS: dict[str, Callable[[int], Policy]] = {
    "PegInHole": PegExpert,
    "NutThread": NutExpert,
    "PegInHoleArm": PegExpert,
    "NutThreadArm": ArmNutExpert,
}


#: Audited penetration above which an episode is no success [m].
TUNNEL_LIMIT = 5e-6


def evaluate(
    policy: Policy,
    scene: Any = "PegInHole",
    *,
    episodes: int = 200,
    first_seed: int = 1_000_000,
    threads: int = 0,
    audit: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Run one episode of each of ``episodes`` seeds and return rates, returns and penetration.

    With ``audit`` every simulation step is audited, which is slow; an episode whose parts were ever deeper in one another than
    ``TUNNEL_LIMIT`` is no success then. :func:`describe` tells the result in a line.
    """
    envs: VectorEnv = make_vec_env(
        scene, num_envs=episodes, threads=threads, autoreset_mode="Disabled", audit=audit, **options
    )
    observations, info = envs.reset(seed=first_seed)
    native = envs._core.get()
    running = np.ones(episodes, bool)
    success, returns = np.zeros(episodes, bool), np.zeros(episodes)
    steps, deepest, audited, force, turns = (np.zeros(episodes) for _ in range(5))
    unconverged, faults = np.zeros(episodes, int), np.zeros(episodes, bool)
    while running.any():
        actions = np.asarray(policy(observations), np.float32)
        native.step(actions, running)
        observations, info = native.observations(), native.info()
        rewards, terminated, truncated = native.ends()
        returns[running] += rewards[running]
        steps[running] += 1
        unconverged[running] += info["unconverged"][running]
        turns[running] = info["turns"][running]
        faults |= running & info["fault"]
        for column, worst in (("penetration", deepest), ("audited", audited), ("peak_force", force)):
            if column in info:
                worst[running] = np.maximum(worst[running], info[column][running])
        success |= running & info["success"]
        running &= ~(terminated | truncated)
    envs.close()
    if audit:
        success &= audited <= TUNNEL_LIMIT
    return {
        "episodes": episodes,
        "first_seed": first_seed,
        "success_rate": float(success.mean()),
        "success": success,
        "mean_return": float(returns.mean()),
        "mean_steps": float(steps.mean()),
        "penetration": float(deepest.max()),
        "audited": float(audited.max()) if audit else None,
        "audited_per_episode": audited if audit else None,
        "peak_force": float(force.max()),
        "turns": turns,
        "unconverged": int(unconverged.sum()),
        "faults": int(faults.sum()),
    }


def describe(result: dict[str, Any]) -> str:
    """Tell an evaluation in a line: success, audited penetration, force, and what did not go well."""
    first, count = result["first_seed"], result["episodes"]
    text = f"{100 * result['success_rate']:.1f} % of seeds {first} to {first + count - 1}"
    audited = result["audited_per_episode"]
    if audited is None:
        text += f"; deepest penetration by the certificates {1e6 * result['penetration']:.2f} um, not audited"
    else:
        over = int(np.sum(audited > TUNNEL_LIMIT))
        text += (
            f"; audited penetration: median of the episodes {1e6 * np.median(audited):.2f} um, deepest "
            f"{1e6 * audited.max():.2f} um, {over} episodes above {1e6 * TUNNEL_LIMIT:.0f} um"
        )
    text += f"; largest force {result['peak_force']:.1f} N"
    return text + f"; {result['unconverged']} steps did not converge, {result['faults']} episodes ended by a fault"
