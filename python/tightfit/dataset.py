"""Datasets of episodes in the layout of LeRobot v3: Parquet files with their metadata, without videos.

    from tightfit.dataset import export
    from tightfit.experts import PegExpert

    export("peg-dataset", PegExpert(), "PegInHole", seeds=range(50))
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np

from .environments import OBSERVATIONS, PRIVILEGED, make_vec_env

__all__ = ["export"]

#: Names of the six actions.
ACTIONS = ("x", "y", "z", "tilt_x", "tilt_y", "turn")


def export(
    folder: str | os.PathLike[str],
    policy: Callable[[np.ndarray], np.ndarray],
    scene: Any = "PegInHole",
    *,
    seeds: Iterable[int] = range(50),
    task: str | None = None,
    only_successes: bool = False,
    threads: int = 0,
    **options: Any,
) -> dict[str, Any]:
    """Run one episode per seed and write them as a dataset; returns ``meta/info.json``.

    Needs pyarrow. A frame holds the observation, the action taken there and the reward, end and success that followed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    seeds = list(seeds)
    episodes, fps, description = _record(policy, scene, seeds, threads, options)
    if only_successes:
        episodes = [episode for episode in episodes if episode["success"][-1]]
    if not episodes:
        raise ValueError("no episode to write; allow failures or give more seeds")
    task = task or description
    folder = Path(folder)
    if (folder / "meta" / "info.json").exists():
        raise FileExistsError(f"{folder} holds a dataset already; choose another folder")
    for part in ("data/chunk-000", "meta/episodes/chunk-000"):
        (folder / part).mkdir(parents=True, exist_ok=True)

    lengths = [len(episode["action"]) for episode in episodes]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    frames = int(starts[-1])
    joined = {name: np.concatenate([episode[name] for episode in episodes]) for name in episodes[0]}
    frame_index = np.concatenate([np.arange(length) for length in lengths])
    columns = {
        "observation.state": _vectors(joined["observation"]),
        "observation.environment_state": _vectors(joined["privileged"]),
        "action": _vectors(joined["action"]),
        "next.reward": joined["reward"].astype(np.float32),
        "next.done": joined["done"],
        "next.success": joined["success"],
        "timestamp": (frame_index / fps).astype(np.float32),
        "frame_index": frame_index.astype(np.int64),
        "episode_index": np.repeat(np.arange(len(episodes)), lengths).astype(np.int64),
        "index": np.arange(frames, dtype=np.int64),
        "task_index": np.zeros(frames, np.int64),
    }
    pq.write_table(pa.table(columns), folder / "data/chunk-000/file-000.parquet")

    statistics = {
        "observation.state": joined["observation"],
        "observation.environment_state": joined["privileged"],
        "action": joined["action"],
        "next.reward": joined["reward"][:, None],
    }
    (folder / "meta/stats.json").write_text(
        json.dumps({name: _statistics(values) for name, values in statistics.items()}, indent=2)
    )
    per_episode: dict[str, Any] = {
        "episode_index": np.arange(len(episodes), dtype=np.int64),
        "tasks": pa.array([[task]] * len(episodes)),
        "length": np.array(lengths, np.int64),
        "data/chunk_index": np.zeros(len(episodes), np.int64),
        "data/file_index": np.zeros(len(episodes), np.int64),
        "dataset_from_index": starts[:-1].astype(np.int64),
        "dataset_to_index": starts[1:].astype(np.int64),
        "meta/episodes/chunk_index": np.zeros(len(episodes), np.int64),
        "meta/episodes/file_index": np.zeros(len(episodes), np.int64),
    }
    for name in ("observation.state", "action"):
        key = "observation" if name == "observation.state" else name
        for measure in ("min", "max", "mean", "std", "count"):
            rows = [_statistics(episode[key])[measure] for episode in episodes]
            per_episode[f"stats/{name}/{measure}"] = pa.array(rows)
    pq.write_table(pa.table(per_episode), folder / "meta/episodes/chunk-000/file-000.parquet")
    # Readers take the text of a task from the index of a data frame.
    tasks = pa.table({"task_index": np.zeros(1, np.int64), "__index_level_0__": pa.array([task])})
    pandas_metadata = {
        "index_columns": ["__index_level_0__"],
        "column_indexes": [],
        "columns": [
            {"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64", "metadata": None},
            {"name": None, "field_name": "__index_level_0__", "pandas_type": "unicode", "numpy_type": "object", "metadata": None},
        ],
    }
    pq.write_table(
        tasks.replace_schema_metadata({"pandas": json.dumps(pandas_metadata)}), folder / "meta/tasks.parquet"
    )

    def vector(names: tuple[str, ...]) -> dict[str, Any]:
        return {"dtype": "float32", "shape": [len(names)], "names": list(names)}

    def scalar(kind: str) -> dict[str, Any]:
        return {"dtype": kind, "shape": [1], "names": None}

    info = {
        "codebase_version": "v3.0",
        "robot_type": "tightfit",
        "total_episodes": len(episodes),
        "total_frames": frames,
        "total_tasks": 1,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 500,
        "fps": fps,
        "splits": {"train": f"0:{len(episodes)}"},
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": None,
        "features": {
            "observation.state": vector(OBSERVATIONS),
            "observation.environment_state": vector(PRIVILEGED),
            "action": vector(ACTIONS),
            "next.reward": scalar("float32"),
            "next.done": scalar("bool"),
            "next.success": scalar("bool"),
            "timestamp": scalar("float32"),
            "frame_index": scalar("int64"),
            "episode_index": scalar("int64"),
            "index": scalar("int64"),
            "task_index": scalar("int64"),
        },
    }
    (folder / "meta/info.json").write_text(json.dumps(info, indent=2))
    return info


def _record(
    policy: Callable[[np.ndarray], np.ndarray], scene: Any, seeds: list[int], threads: int, options: dict[str, Any]
) -> tuple[list[dict[str, np.ndarray]], int, str]:
    """Run the episodes; their frames, the frames per second and the description of the scene."""
    count = len(seeds)
    envs = make_vec_env(scene, count, threads=threads, autoreset_mode="Disabled", **options)
    observations, info = envs.reset(seed=seeds)
    native = envs._core.get()
    running = np.ones(count, bool)
    frames: list[list[tuple]] = [[] for _ in seeds]
    while running.any():
        actions = np.clip(np.asarray(policy(observations), np.float32), -1, 1)
        seen, known = observations, info["privileged"]
        native.step(actions, running)
        observations, info = native.observations(), native.info()
        rewards, terminated, truncated = native.ends()
        for index in np.flatnonzero(running):
            done = bool(terminated[index] or truncated[index])
            success = bool(info["success"][index])
            frames[index].append((seen[index], known[index], actions[index], rewards[index], done, success))
        running &= ~(terminated | truncated)
    names = ("observation", "privileged", "action", "reward", "done", "success")
    episodes = [dict(zip(names, map(np.stack, zip(*episode)))) for episode in frames]
    substeps = json.loads(envs.options)["substeps"]
    return episodes, max(1, round(1 / (substeps * envs.scene.dt))), envs.scene.description


def _vectors(rows: np.ndarray) -> Any:
    import pyarrow as pa

    flat = pa.array(np.ascontiguousarray(rows, np.float32).ravel())
    return pa.FixedSizeListArray.from_arrays(flat, rows.shape[1])


def _statistics(values: np.ndarray) -> dict[str, list[float]]:
    values = np.asarray(values, np.float64)
    return {
        "min": values.min(0).tolist(),
        "max": values.max(0).tolist(),
        "mean": values.mean(0).tolist(),
        "std": values.std(0).tolist(),
        "count": [len(values)],
    }
