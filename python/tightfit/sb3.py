"""Stable-Baselines3 over the native batch, without a process per environment.

    from stable_baselines3 import PPO
    from tightfit.sb3 import StableVecEnv

    PPO("MlpPolicy", StableVecEnv("PegInHole", 64)).learn(100_000)
"""

from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

from ._native import Scene
from .environments import VectorEnv

__all__ = ["StableVecEnv"]


class StableVecEnv(VecEnv):
    """Environments of one task with the interface of Stable-Baselines3."""

    def __init__(self, scene: str | os.PathLike[str] | Scene, num_envs: int = 1, **options: Any) -> None:
        """Make environments; options are those of :class:`tightfit.VectorEnv`."""
        self.envs = VectorEnv(num_envs, scene, autoreset_mode="SameStep", **options)
        self._attributes: list[dict[str, Any]] = [{"render_mode": None} for _ in range(num_envs)]
        self.render_mode = None
        super().__init__(num_envs, self.envs.single_observation_space, self.envs.single_action_space)
        self._actions: np.ndarray | None = None

    def reset(self) -> np.ndarray:
        """Begin episodes of all environments, with the seeds of ``seed`` if it was called."""
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        observations, info = self.envs.reset(seed=seeds)
        self._reset_seeds()
        self.reset_infos = [_row(info, index) for index in range(self.num_envs)]
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions of the next step."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the step."""
        observations, rewards, terminated, truncated, info = self.envs.step(self._actions)
        over = terminated | truncated
        final = info.pop("final_obs", None)
        final_info = info.pop("final_info", None)
        info = {name: column for name, column in info.items() if not name.startswith("_")}
        infos = []
        for index in range(self.num_envs):
            if over[index]:
                row = _row({name: column for name, column in final_info.items() if name[0] != "_"}, index)
                row["terminal_observation"] = final[index]
                row["TimeLimit.truncated"] = bool(truncated[index])
                row["is_success"] = bool(row["success"])
            else:
                row = _row(info, index)
            infos.append(row)
        return observations, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Release all environments."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of some environments."""
        rows = self._get_indices(indices)
        return [self._attributes[i].get(attr_name, getattr(self.envs, attr_name, None)) for i in rows]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Store an attribute for some environments."""
        for index in self._get_indices(indices):
            self._attributes[index][attr_name] = value

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """Refuse: the environments have no methods of their own."""
        raise NotImplementedError(f"environments of one batch have no method `{method_name}` of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return false for every environment: none is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def _get_indices(self, indices: Any) -> Sequence[int]:
        if indices is None:
            return range(self.num_envs)
        return [indices] if isinstance(indices, int) else indices


def _row(info: dict[str, Any], index: int) -> dict[str, Any]:
    return {name: column[index] for name, column in info.items()}
