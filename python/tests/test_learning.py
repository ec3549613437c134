"""Tests that need torch, Stable-Baselines3, Ray, pandas or pyarrow: `cargo xtask test --learning`."""

import json
import runpy
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import tightfit
from tightfit.experts import EXPERTS, PegExpert, evaluate

pytestmark = pytest.mark.learning

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def test_logs_become_data_frames_and_arrow_tables():
    sim = tightfit.Simulation("peg-in-hole")
    sim.step(10)
    frame, table = sim.to_pandas(), sim.to_arrow()
    assert len(frame) == table.num_rows == 10 and list(frame.columns) == table.column_names


def test_foxglove_reads_the_mcap_file_of_a_run_that_was_guided_by_hand(tmp_path):
    from mcap.reader import make_reader

    sim = tightfit.Simulation("peg-in-hole")
    for _ in range(5):
        sim.guide("peg", [1e-3, 0.0, 5e-3])
        sim.step()
    sim.write_mcap(tmp_path / "run.mcap")
    with (tmp_path / "run.mcap").open("rb") as file:
        messages = [(channel.topic, json.loads(message.data)) for _, channel, message in make_reader(file).iter_messages()]
    poses = [data for topic, data in messages if topic == "/tf"]
    last = {transform["child_frame_id"]: transform["translation"] for transform in poses[-1]["transforms"]}
    np.testing.assert_allclose([last["peg"][axis] for axis in "xyz"], sim.pose("peg")[0], atol=1e-7)


def test_torch_reads_observations_without_a_copy():
    import torch

    envs = tightfit.make_vec_env("PegInHole", 4)
    observations, _ = envs.reset(seed=1)
    tensor = torch.from_dlpack(observations)
    assert tensor.data_ptr() == observations.ctypes.data and tensor.shape == (4, 30)


@pytest.mark.parametrize("algorithm", ["PPO", "SAC"])
def test_stable_baselines_trains_on_the_native_batch(algorithm):
    import stable_baselines3

    from tightfit.sb3 import StableVecEnv

    envs = StableVecEnv("PegInHole", 4, threads=1, episode_s=0.35)
    envs.seed(3)
    options = {"n_steps": 8, "batch_size": 16} if algorithm == "PPO" else {"learning_starts": 16, "buffer_size": 200}
    model = getattr(stable_baselines3, algorithm)("MlpPolicy", envs, **options)
    model.learn(64)
    assert model.num_timesteps >= 64
    observations = envs.reset()
    for _ in range(5):
        observations, rewards, over, infos = envs.step(np.zeros((4, 6), np.float32))
    assert over.all() and all(info["TimeLimit.truncated"] for info in infos)
    assert infos[0]["terminal_observation"].shape == (30,)


def test_datasets_have_the_layout_of_lerobot(tmp_path):
    import pandas
    import pyarrow.parquet as pq

    from tightfit.dataset import export

    info = export(tmp_path / "set", PegExpert(), seeds=range(3), threads=1)
    assert info == json.loads((tmp_path / "set/meta/info.json").read_text())
    data = pq.read_table(tmp_path / "set/data/chunk-000/file-000.parquet")
    episodes = pq.read_table(tmp_path / "set/meta/episodes/chunk-000/file-000.parquet").to_pydict()
    assert data.num_rows == info["total_frames"] == episodes["dataset_to_index"][-1] == sum(episodes["length"])
    assert set(data.column_names) == set(info["features"])
    assert pandas.read_parquet(tmp_path / "set/meta/tasks.parquet").index[0].startswith("A 49.97 mm peg")
    ends = np.flatnonzero(data["next.done"].to_numpy())
    assert (ends + 1).tolist() == episodes["dataset_to_index"]
    with pytest.raises(FileExistsError):
        export(tmp_path / "set", PegExpert(), seeds=range(1))


def test_the_ppo_example_runs_and_writes_its_curve(tmp_path, monkeypatch):
    arguments = ["--updates", "2", "--envs", "8", "--horizon", "16", "--episodes", "4", "--minibatches", "2"]
    monkeypatch.setattr(sys, "argv", ["learn_peg.py", "--out", str(tmp_path), *arguments])
    runpy.run_path(str(EXAMPLES / "learn_peg.py"), run_name="__main__")
    assert (tmp_path / "curve.png").exists() and (tmp_path / "policy.pt").exists()
    assert len((tmp_path / "curve.csv").read_text().splitlines()) == 3


def test_a_killed_ray_node_loses_no_generation_and_changes_no_bit():
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    from tightfit.cluster import evaluate_on_cluster, minimise, rollout

    def sphere(candidate):
        time.sleep(0.3)
        return float(np.sum((candidate - 1.0) ** 2))

    seeds = list(range(12))
    alone = rollout(PegExpert(), "PegInHole", seeds)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    try:
        ray.init(address=cluster.address, log_to_driver=False)
        generations = []

        def follow(generation, candidates, values):
            generations.append((generation, candidates.tobytes(), values.tobytes()))
            if generation == 1:
                # in the middle of the next generation, while its candidates are evaluated
                threading.Timer(0.4, cluster.remove_node, (nodes.pop(),), {"allow_graceful": False}).start()

        best = minimise(sphere, [0.0] * 4, 0.5, generations=6, seed=5, follow=follow)
        assert [number for number, *_ in generations] == list(range(6))
        search, again = tightfit.CmaEs([0.0] * 4, 0.5, seed=5), []
        for generation in range(6):
            candidates = search.ask()
            values = np.array([float(np.sum((candidate - 1.0) ** 2)) for candidate in candidates])
            search.tell(values.tolist())
            again.append((generation, candidates.tobytes(), values.tobytes()))
        assert generations == again and np.isfinite(best[0])
        spread = evaluate_on_cluster(PegExpert(), "PegInHole", seeds, chunk=3)
        for name, values in alone.items():
            np.testing.assert_array_equal(values, spread[name])
    finally:
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.parametrize("name", ["PegInHole", "NutThread"])
def test_experts_reach_their_rates_without_penetration(name):
    result = evaluate(EXPERTS[name](), name, episodes=10, audit=True)
    assert result["success_rate"] >= 0.95, result
    assert result["audited"] <= 5e-6, result


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("insertion.py", ["force.png"]),
        ("randomisation_study.py", ["2"]),
        ("compare_presets.py", ["peg-in-hole", "0.1"]),
        ("own_parts.py", []),
        ("evaluate_expert.py", ["PegInHole", "--episodes", "2"]),
        ("stable_baselines.py", ["64"]),
    ],
)
def test_the_examples_run(name, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")


def test_the_cells_of_the_notebook_run(monkeypatch):
    import matplotlib

    matplotlib.use("Agg")
    names: dict = {}
    for cell in json.loads((EXAMPLES / "tour.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert "<iframe" in names["sim"]._repr_html_()
    assert names["result"]["success_rate"] == 1.0
