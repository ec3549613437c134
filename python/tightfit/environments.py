"""Gymnasium environments over the native batch: one environment, or thousands in one call.

>>> envs = make_vec_env("PegInHole", num_envs=4, threads=1)
>>> observations, infos = envs.reset(seed=7)
>>> observations.shape
(4, 30)
>>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
>>> infos["penetration"].shape
(4,)
"""

from __future__ import annotations

import json
import os
from typing import Any, Mapping, Sequence

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _native
from ._native import EnvironmentError, NativeEnvironments, Scene

__all__ = ["OBSERVATIONS", "PRIVILEGED", "Env", "VectorEnv", "make_env", "make_vec_env", "register"]

#: Names and units of the entries of an observation.
OBSERVATIONS: tuple[str, ...] = tuple(NativeEnvironments.OBSERVATIONS)
#: Names and units of the entries of a privileged observation.
PRIVILEGED: tuple[str, ...] = tuple(NativeEnvironments.PRIVILEGED)
#: Names of the built-in environments.
NAMES: tuple[str, ...] = ("PegInHole", "NutThread", "PegInHoleArm", "NutThreadArm")

ACTION_SPACE = Box(-1.0, 1.0, (6,), np.float32)
OBSERVATION_SPACE = Box(-np.inf, np.inf, (len(OBSERVATIONS),), np.float32)
PRIVILEGED_SPACE = Box(-np.inf, np.inf, (len(PRIVILEGED),), np.float32)


def _scene_and_options(
    scene: str | os.PathLike[str] | Scene, randomisation: bool | Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Scene, str]:
    """Return the scene and all options as JSON, with the given ones in place of the defaults."""
    if isinstance(scene, str) and scene in NAMES:
        scene, text = _native.environment_defaults(scene)
    else:
        text = NativeEnvironments.default_options()
        scene = scene if isinstance(scene, Scene) else Scene.find(scene)
    merged = json.loads(text)
    merged.update(options)
    if isinstance(randomisation, Mapping):
        merged["randomisation"].update(randomisation)
    else:
        merged["randomisation"]["enabled"] = bool(randomisation)
    return scene, json.dumps(merged)


class _Core:
    """A native batch that knows whether it may be used here and now."""

    def __init__(self, scene: Scene, options: str, count: int, threads: int, device: str = "cpu") -> None:
        if count < 1:
            raise EnvironmentError(f"num_envs = {count}: allowed: 1 or more")
        self.native: NativeEnvironments | None = NativeEnvironments(scene, count, threads, options, device)
        self.process = os.getpid()
        self.threads = threads
        self.device = device

    def get(self) -> NativeEnvironments:
        if self.native is None:
            raise EnvironmentError("the environment is closed; make another one")
        if (self.threads != 1 or self.device != "cpu") and self.process != os.getpid():
            raise EnvironmentError(
                "the environment was made in another process, and its threads did not survive the fork; make it in "
                "this process, or with threads=1 on the processor"
            )
        return self.native


def _actions(actions: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Check actions and convert them to contiguous float32 numbers."""
    array = np.asarray(actions)
    if array.dtype == object or not np.issubdtype(array.dtype, np.number) or np.iscomplexobj(array):
        raise EnvironmentError(f"actions of type {array.dtype}; allowed: real numbers")
    if array.shape != shape:
        raise EnvironmentError(f"actions of shape {array.shape}; allowed: {shape}")
    return np.ascontiguousarray(array, dtype=np.float32)


class Env(gymnasium.Env):
    """One environment. The same seed gives the same episode, bit for bit, as in :class:`VectorEnv`."""

    metadata = {"render_modes": ["html"], "render_fps": 14}

    def __init__(
        self,
        scene: str | os.PathLike[str] | Scene = "PegInHole",
        *,
        randomisation: bool | Mapping[str, Any] = True,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make an environment of a built-in task by name, or of any scene with a task.

        ``randomisation`` switches all draws off, or replaces some of their ranges; ``options`` replace single options.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise EnvironmentError(f"render_mode = {render_mode!r}: allowed: None, 'html'")
        self.scene, self.options = _scene_and_options(scene, randomisation, options)
        self.render_mode = render_mode
        self._core = _Core(self.scene, self.options, 1, 1)
        self.action_space = Box(-1.0, 1.0, (6,), np.float32)
        self.observation_space = Box(-np.inf, np.inf, (len(OBSERVATIONS),), np.float32)
        self._is_over = True
        self._seeded = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Begin the first episode of a seed, or the next one of the last seed."""
        super().reset(seed=seed)
        native = self._core.get()
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        native.reset(np.ones(1, bool), [seed])
        self._seeded, self._is_over = True, False
        return native.observations()[0], self._info(native)

    def step(self, action):
        """Take one policy step."""
        native = self._core.get()
        if self._is_over:
            raise EnvironmentError("the episode is over; call reset first")
        native.step(_actions(action, (6,))[None], np.ones(1, bool))
        rewards, terminated, truncated = native.ends()
        ended = bool(terminated[0]), bool(truncated[0])
        self._is_over = any(ended)
        return native.observations()[0], float(rewards[0]), *ended, self._info(native)

    def _info(self, native: NativeEnvironments) -> dict[str, Any]:
        info = {name: column[0] for name, column in native.info().items()}
        if info["fault"]:
            info["fault_text"] = native.fault(0)
        return info

    @property
    def state_hash(self) -> int:
        """64-bit fingerprint of the simulated state."""
        return int(self._core.get().hashes()[0])

    def render(self):
        """Return a short HTML text of the state."""
        if self.render_mode != "html":
            return None
        values = zip(OBSERVATIONS, self._core.get().observations()[0])
        rows = "".join(f"<tr><td>{name}</td><td>{value:.4g}</td></tr>" for name, value in values)
        return f"<table>{rows}</table>"

    def close(self) -> None:
        """Release the memory of the environment."""
        self._core.native = None

    def __reduce__(self):
        options = json.loads(self.options)
        randomisation = options.pop("randomisation")
        return _rebuild_env, (self.scene, randomisation, self.render_mode, options)


def _rebuild_env(scene, randomisation, render_mode, options) -> Env:
    return Env(scene, randomisation=randomisation, render_mode=render_mode, **options)


class VectorEnv(gymnasium.vector.VectorEnv):
    """Many environments, stepped by native threads or by a graphics device in one call.

    Every returned array is new. Row i of a reset with seed s has the episode of seed s + i. On a device, such as
    ``device="cuda:0"``, :meth:`device_observations` gives the observations in its memory.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        scene: str | os.PathLike[str] | Scene = "PegInHole",
        *,
        threads: int = 0,
        device: str = "cpu",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        randomisation: bool | Mapping[str, Any] = True,
        render_mode: None = None,
        **options: Any,
    ) -> None:
        """Make environments of a built-in task by name, or of any scene with a task; 0 threads are one per core."""
        self.scene, self.options = _scene_and_options(scene, randomisation, options)
        self.num_envs = int(num_envs)
        self._core = _Core(self.scene, self.options, self.num_envs, int(threads), str(device))
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.single_action_space = Box(-1.0, 1.0, (6,), np.float32)
        self.single_observation_space = Box(-np.inf, np.inf, (len(OBSERVATIONS),), np.float32)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._over = np.zeros(self.num_envs, bool)
        self._seeded = np.zeros(self.num_envs, bool)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin episodes of all environments, or of those in ``options["reset_mask"]``."""
        native = self._core.get()
        mask = self._reset_mask(options)
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + index for index in range(self.num_envs)]
        else:
            seeds = [None if value is None else int(value) for value in seed]
            if len(seeds) != self.num_envs:
                raise EnvironmentError(f"{len(seeds)} seeds for {self.num_envs} environments")
        if any(value is not None and not 0 <= value < 2**64 for value in seeds):
            raise EnvironmentError("a seed is out of range; allowed: 0 to 2**64 - 1")
        if isinstance(seed, (int, np.integer)):
            super().reset(seed=int(seed))
        for index in np.flatnonzero(mask & ~self._seeded):
            if seeds[index] is None:
                seeds[index] = int(self.np_random.integers(2**63))
        native.reset(mask, seeds)
        self._seeded |= mask
        self._over &= ~mask
        return native.observations(), native.info()

    def step(
        self, actions: Any
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take one policy step of every environment."""
        native = self._core.get()
        actions = _actions(actions, (self.num_envs, 6))
        mode, everyone = self.autoreset_mode, np.ones(self.num_envs, bool)
        if mode is AutoresetMode.NEXT_STEP:
            restarted = self._over
            native.step(actions, ~restarted)
            if restarted.any():
                native.reset(restarted, [None] * self.num_envs)
            rewards, terminated, truncated = native.ends()
            self._over = terminated | truncated
            return native.observations(), rewards, terminated, truncated, native.info()
        if mode is AutoresetMode.DISABLED and self._over.any():
            ended = np.flatnonzero(self._over)[:5].tolist()
            raise EnvironmentError(
                f"episodes of environments {ended} are over; reset them with options={{'reset_mask': mask}}"
            )
        native.step(actions, everyone)
        rewards, terminated, truncated = native.ends()
        over = terminated | truncated
        if mode is AutoresetMode.DISABLED:
            self._over = over
            return native.observations(), rewards, terminated, truncated, native.info()
        if not over.any():
            return native.observations(), rewards, terminated, truncated, native.info()
        last_observations, last_info = native.observations(), native.info()
        native.reset(over, [None] * self.num_envs)
        info = native.info()
        final = np.full(self.num_envs, None, dtype=object)
        for index in np.flatnonzero(over):
            final[index] = last_observations[index].copy()
        info["final_obs"], info["_final_obs"] = final, over.copy()
        info["final_info"], info["_final_info"] = _masked(last_info, over), over.copy()
        return native.observations(), rewards, terminated, truncated, info

    def _reset_mask(self, options: dict[str, Any] | None) -> np.ndarray:
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, bool)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise EnvironmentError(f"reset_mask must be a bool array of shape ({self.num_envs},)")
        if not mask.any():
            raise EnvironmentError("reset_mask chooses no environment")
        return np.ascontiguousarray(mask)

    def device_observations(self) -> Any:
        """Return the last observations in the memory of the graphics device: ``torch.from_dlpack`` takes them without a copy."""
        return self._core.get().device_observations()

    @property
    def state_hashes(self) -> np.ndarray:
        """64-bit fingerprints of the simulated states."""
        return self._core.get().hashes()

    def fault(self, index: int) -> str | None:
        """Return why an environment is frozen, if it is."""
        return self._core.get().fault(index)

    def close_extras(self, **_: Any) -> None:
        """Release the memory of all environments and their threads."""
        self._core.native = None

    def __reduce__(self):
        options = json.loads(self.options)
        randomisation = options.pop("randomisation")
        how = {"threads": self._core.threads, "device": self._core.device, "autoreset_mode": self.autoreset_mode}
        return _rebuild_vector_env, (self.num_envs, self.scene, how, randomisation, options)


def _rebuild_vector_env(num_envs, scene, how, randomisation, options) -> VectorEnv:
    return VectorEnv(num_envs, scene, randomisation=randomisation, **how, **options)


def _masked(info: dict[str, Any], mask: np.ndarray) -> dict[str, Any]:
    """Return the rows of a mask, others zero, with the masks that Gymnasium expects."""
    result: dict[str, Any] = {}
    for name, column in info.items():
        kept = np.zeros_like(column)
        kept[mask] = column[mask]
        result[name], result[f"_{name}"] = kept, mask.copy()
    return result


def make_env(scene: str | os.PathLike[str] | Scene, **options: Any) -> Env:
    """Make an environment of a built-in task by name, or of any scene or scene file with a task."""
    return Env(scene, **options)


def make_vec_env(scene: str | os.PathLike[str] | Scene, num_envs: int = 1, **options: Any) -> VectorEnv:
    """Make many environments of a built-in task by name, or of any scene or scene file with a task."""
    return VectorEnv(num_envs, scene, **options)


def register() -> None:
    """Register the built-in environments with Gymnasium, under ``tightfit/…-v0``."""
    for name in NAMES:
        identifier = f"tightfit/{name}-v0"
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                entry_point="tightfit.environments:Env",
                vector_entry_point="tightfit.environments:VectorEnv",
                kwargs={"scene": name},
            )
