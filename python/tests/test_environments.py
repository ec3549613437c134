"""Laws of the environments: Gymnasium's checker, autoreset, seeds, buffers, bits."""

import multiprocessing
import os
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import tightfit
from tightfit.environments import NAMES, OBSERVATIONS, PRIVILEGED

SHORT = {"episode_s": 0.35}  # five policy steps


def actions_of(count, steps, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (steps, count, 6)).astype(np.float32)


def test_the_default_scene_of_an_environment_is_registered():
    assert all(f"tightfit/{name}-v0" in gymnasium.registry for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_accepts_every_env(name):
    env = gymnasium.make(f"tightfit/{name}-v0", **SHORT)
    check_env(env.unwrapped, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("name", NAMES)
def test_env_and_vector_env_have_the_same_bits_on_one_and_two_threads(name):
    count, steps = (3, 12) if name.startswith("Peg") else (2, 6)
    actions = actions_of(count, steps)
    hashes, observations = [], []
    for threads in (1, 2):
        envs = tightfit.make_vec_env(name, count, threads=threads)
        first, _ = envs.reset(seed=11)
        rows = [first] + [envs.step(actions[step])[0] for step in range(steps)]
        observations.append(np.stack(rows))
        hashes.append(envs.state_hashes.tolist())
    np.testing.assert_array_equal(observations[0], observations[1])
    assert hashes[0] == hashes[1]
    for index in range(count):
        env = tightfit.make_env(name)
        rows = [env.reset(seed=11 + index)[0]] + [env.step(actions[step, index])[0] for step in range(steps)]
        np.testing.assert_array_equal(np.stack(rows), observations[0][:, index])
        assert env.state_hash == hashes[0][index]


def test_the_second_episode_of_a_seed_is_another_one_and_repeats():
    env = tightfit.make_env("PegInHole")
    first = env.reset(seed=3)[0]
    second = env.reset()[0]
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(env.reset(seed=3)[0], first)
    np.testing.assert_array_equal(env.reset()[0], second)


def test_without_a_seed_two_environments_differ():
    one, other = tightfit.make_env("PegInHole"), tightfit.make_env("PegInHole")
    assert not np.array_equal(one.reset()[0], other.reset()[0])


def test_next_step_mode_resets_in_the_step_after_the_end_and_ignores_its_action():
    envs = gymnasium.make_vec("tightfit/PegInHole-v0", num_envs=3, **SHORT)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    envs.reset(seed=5)
    actions = np.zeros((3, 6), np.float32)
    for step in range(5):
        _, _, terminated, truncated, _ = envs.step(actions)
    assert truncated.all() and not terminated.any()
    actions[1] = np.nan  # ignored: the episode of this environment is over
    observations, rewards, terminated, truncated, info = envs.step(actions)
    assert not (terminated | truncated).any() and (rewards == 0).all() and (info["episode_step"] == 0).all()
    env = tightfit.make_env("PegInHole", **SHORT)
    env.reset(seed=5)
    np.testing.assert_array_equal(env.reset()[0], observations[0])


def test_same_step_mode_returns_the_final_observation():
    envs = tightfit.make_vec_env("PegInHole", 2, autoreset_mode=AutoresetMode.SAME_STEP, **SHORT)
    reference = tightfit.make_vec_env("PegInHole", 2, autoreset_mode="Disabled", **SHORT)
    first, _ = envs.reset(seed=5)
    reference.reset(seed=5)
    for step in range(5):
        actions = actions_of(2, 1, step)[0]
        observations, _, _, truncated, info = envs.step(actions)
        expected, *_ = reference.step(actions)
    assert truncated.all() and info["_final_obs"].all() and info["_final_info"].all()
    for index in range(2):
        np.testing.assert_array_equal(info["final_obs"][index], expected[index])
    assert (info["final_info"]["episode_step"] == 5).all() and (info["episode_step"] == 0).all()
    assert not np.array_equal(observations, expected)


def test_disabled_mode_refuses_to_step_past_the_end_and_resets_by_mask():
    envs = tightfit.make_vec_env("PegInHole", 3, autoreset_mode="Disabled", **SHORT)
    start, _ = envs.reset(seed=5)
    zero = np.zeros((3, 6), np.float32)
    for _ in range(5):
        last, *_ = envs.step(zero)
    with pytest.raises(tightfit.EnvironmentError, match="reset_mask"):
        envs.step(zero)
    mask = np.array([True, False, True])
    observations, _ = envs.reset(seed=5, options={"reset_mask": mask})
    np.testing.assert_array_equal(observations[mask], start[mask])
    np.testing.assert_array_equal(observations[~mask], last[~mask])
    for wrong in (np.ones(2, bool), np.ones(3), [True] * 3, np.zeros(3, bool)):
        with pytest.raises(tightfit.EnvironmentError, match="reset_mask"):
            envs.reset(options={"reset_mask": wrong})


def test_no_step_overwrites_an_array_that_an_earlier_one_returned():
    envs = tightfit.make_vec_env("PegInHole", 2)
    observations, info = envs.reset(seed=1)
    kept = [(observations, observations.copy()), (info["privileged"], info["privileged"].copy())]
    for actions in actions_of(2, 4):
        observations, rewards, terminated, truncated, info = envs.step(actions)
        for array in (observations, rewards, terminated, truncated, info["depth"], info["privileged"]):
            kept.append((array, array.copy()))
    for array, copy in kept:
        np.testing.assert_array_equal(array, copy)
        assert array.flags.owndata or array.base is not None


def test_spaces_and_infos_have_the_documented_shapes():
    envs = gymnasium.make_vec("tightfit/NutThread-v0", num_envs=2, threads=1)
    assert envs.single_action_space.shape == (6,) and envs.action_space.shape == (2, 6)
    assert envs.single_observation_space.shape == (len(OBSERVATIONS),)
    observations, info = envs.reset(seed=0)
    assert observations.dtype == np.float32 and observations in envs.observation_space
    assert info["privileged"].shape == (2, len(PRIVILEGED))
    *_, info = envs.step(envs.action_space.sample())
    expected = {"success", "engaged", "depth", "turns", "penetration", "peak_force", "unconverged", "limits"}
    assert expected <= set(info) and all(len(info[name]) == 2 for name in expected)


def test_one_switch_turns_all_draws_off():
    one, other = (tightfit.make_vec_env("PegInHole", 3, randomisation=False) for _ in range(2))
    first, second = one.reset(seed=1)[0], other.reset(seed=99)[0]
    np.testing.assert_array_equal(first, second)
    assert (first[0] == first[1]).all()


def test_draws_lie_in_their_ranges_and_can_be_replaced():
    ranges = {"friction": [0.2, 0.3], "clearance_mm": [0.05, 0.08], "start_mm": [1.0, 0.0, 0.0]}
    envs = tightfit.make_vec_env("PegInHole", 64, randomisation=ranges)
    _, info = envs.reset(seed=1)
    privileged = dict(zip(PRIVILEGED, info["privileged"].T))
    assert (0.2 <= privileged["friction"]).all() and (privileged["friction"] <= 0.3).all()
    assert (0.0499 < privileged["clearance_mm"]).all() and (privileged["clearance_mm"] < 0.0801).all()
    assert np.ptp(privileged["clearance_mm"]) > 0.02
    assert np.abs(privileged["true_position_y_mm"]).max() < 1e-4 < np.ptp(privileged["true_position_x_mm"])
    threads = tightfit.make_vec_env("NutThread", 2, randomisation={"pitch_mm": [4.0, 5.0]})
    threads.reset(seed=1)
    threads.step(np.zeros((2, 6)))


def test_actions_of_any_memory_layout_are_the_same_actions():
    actions = actions_of(4, 2)
    hashes = set()
    for change in (
        lambda a: a,
        lambda a: a.astype(np.float64),
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.tolist(),
        lambda a: (a.setflags(write=False), a)[1],
    ):
        envs = tightfit.make_vec_env("PegInHole", 4, threads=1)
        envs.reset(seed=2)
        for step in range(2):
            envs.step(change(actions[step].copy()))
        hashes.add(tuple(envs.state_hashes.tolist()))
    assert len(hashes) == 1


def test_bad_input_is_refused_with_a_reason():
    envs = tightfit.make_vec_env("PegInHole", 2, threads=1)
    with pytest.raises(tightfit.EnvironmentError, match="has not been reset"):
        envs.step(np.zeros((2, 6)))
    envs.reset(seed=1)
    before = envs.state_hashes
    for wrong, text in (
        (np.zeros((3, 6)), "shape"),
        (np.zeros(6), "shape"),
        (np.full((2, 6), np.nan), "finite"),
        (np.full((2, 6), np.inf), "finite"),
        (np.array([["a"] * 6] * 2), "type"),
        (np.zeros((2, 6), complex), "type"),
    ):
        with pytest.raises(tightfit.EnvironmentError, match=text):
            envs.step(wrong)
    np.testing.assert_array_equal(envs.state_hashes, before)
    with pytest.raises(tightfit.EnvironmentError, match="seeds"):
        envs.reset(seed=[1])
    with pytest.raises(tightfit.EnvironmentError, match="range"):
        envs.reset(seed=-1)
    with pytest.raises(tightfit.EnvironmentError, match="unknown field `lead`"):
        tightfit.make_env("PegInHole", lead=3)
    with pytest.raises(tightfit.EnvironmentError, match="substeps = 0: allowed: 1 to 1000"):
        tightfit.make_env("PegInHole", substeps=0)
    with pytest.raises(tightfit.EnvironmentError, match="has no task"):
        tightfit.make_env("block-on-table")
    with pytest.raises(tightfit.EnvironmentError, match="pitch_mm"):
        tightfit.make_env("PegInHole", randomisation={"pitch_mm": [4, 5]})
    with pytest.raises(tightfit.EnvironmentError, match="num_envs"):
        tightfit.make_vec_env("PegInHole", 0)
    envs.close()
    with pytest.raises(tightfit.EnvironmentError, match="closed"):
        envs.step(np.zeros((2, 6)))
    env = tightfit.make_env("PegInHole")
    with pytest.raises(tightfit.EnvironmentError, match="reset"):
        env.step(np.zeros(6))


def test_an_environment_of_ones_own_scene_file(tmp_path):
    path = tmp_path / "fit.toml"
    drive = (
        '[drive]\npart = "key"\nstiffness_n_m = [2000, 2000, 2000]\nturning_stiffness_nm_rad = [2, 2, 2]\n'
        'damping_per_s = 50\nwaypoints = [{ time_s = 0, position_mm = [0, 0, 2] }]\n'
    )
    task = '[task]\nkind = "insert"\ninto = "pocket"\ndepth_mm = 10\nengaged_mm = 1\n'
    path.write_text(tightfit.Scene.find("square-key").toml + drive + task)
    env = tightfit.make_env(path)
    env.reset(seed=1)
    _, reward, _, _, info = env.step(np.array([0, 0, -1, 0, 0, 0]))
    assert np.isfinite(reward) and info["penetration"] < 5e-6


def test_pickled_environments_start_anew_with_the_same_options():
    env = pickle.loads(pickle.dumps(tightfit.make_env("PegInHole", substeps=3)))
    assert '"substeps": 3' in env.options
    envs = pickle.loads(pickle.dumps(tightfit.make_vec_env("NutThread", 2, threads=1)))
    assert envs.num_envs == 2


def _step_in_child(envs, queue):
    try:
        envs.step(np.zeros((2, 6)))
        queue.put("stepped")
    except tightfit.EnvironmentError as error:
        queue.put(str(error))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize(("threads", "text"), [(1, "stepped"), (2, "fork")])
def test_a_forked_environment_works_on_one_thread_and_refuses_on_several(threads, text):
    envs = tightfit.make_vec_env("PegInHole", 2, threads=threads)
    envs.reset(seed=1)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_step_in_child, args=(envs, queue))
    child.start()
    assert text in queue.get(timeout=60)
    child.join()


def test_the_shaped_reward_telescopes_and_success_ends_the_episode():
    from tightfit.experts import PegExpert

    env = tightfit.make_env("PegInHole", reward_step=0.0, reward_force=0.0)
    observation, info = env.reset(seed=4)
    expert, total, over = PegExpert(1), 0.0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(expert(observation[None])[0])
        total, over = total + reward, terminated or truncated
    assert terminated and info["success"] and info["depth"] >= 0.02
    # success pays 5; the potential starts at most 30 mm from the target
    assert 5.0 < total < 8.0
    with pytest.raises(tightfit.EnvironmentError, match="over"):
        env.step(np.zeros(6))


def test_devices_are_named_and_only_they_have_observations_in_their_memory():
    with pytest.raises(tightfit.EnvironmentError, match="device = 'tpu': allowed: 'cpu', 'cuda'"):
        tightfit.make_vec_env("PegInHole", 2, device="tpu")
    envs = tightfit.make_vec_env("PegInHole", 2, threads=1)
    envs.reset(seed=1)
    with pytest.raises(tightfit.EnvironmentError, match="make them with device='cuda'"):
        envs.device_observations()
