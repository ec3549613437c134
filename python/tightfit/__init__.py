"""Simulate contact-intensive, tight-tolerance assembly: peg in hole, nut on bolt, any pair of parts.

>>> import tightfit
>>> sim = tightfit.Simulation("peg-in-hole")
>>> certificate = sim.step(100)
>>> certificate.converged and certificate.penetration < 1e-6
True

Environments for reinforcement learning are made by name:

>>> import gymnasium
>>> env = gymnasium.make("tightfit/PegInHole-v0")
>>> observation, info = env.reset(seed=1)
>>> observation.shape
(30,)
"""

from __future__ import annotations

from ._native import (
    Certificate,
    CmaEs,
    EnvironmentError,
    LogError,
    Part,
    PartError,
    SceneError,
    Simulation,
    Snapshot,
    TightfitError,
    __version__,
    compare,
    part_names,
    read_log,
    replay_log,
    scene_names,
)
from .scene import Scene, SceneBuilder, scene_schema
from .environments import Env, VectorEnv, make_env, make_vec_env, register

register()

__all__ = [
    "Certificate",
    "CmaEs",
    "Env",
    "EnvironmentError",
    "LogError",
    "Part",
    "PartError",
    "Scene",
    "SceneBuilder",
    "SceneError",
    "Simulation",
    "Snapshot",
    "TightfitError",
    "VectorEnv",
    "__version__",
    "compare",
    "make_env",
    "make_vec_env",
    "part_names",
    "read_log",
    "register",
    "replay_log",
    "scene_names",
    "scene_schema",
]
