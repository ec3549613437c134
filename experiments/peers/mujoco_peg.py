"""The environment PegInHole over MuJoCo: the same episodes, set-points, springs, observations and rewards.

Every episode starts as Tightfit draws it from its seed: pose, friction, errors of the assumed positions. Each thread has a model of
its own, since friction belongs to the model, and takes the environments one after the other; MuJoCo releases the interpreter's lock.

Rotation matrices turn from the part to the world; quaternions are w, x, y, z.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
import tightfit

from drives import DRIVES
from mujoco_engine import model_of

POLICY_STEP = 0.07  # s
MOST_STEPS = 143
SCALES = np.array([1e-3, 1e-3, 1e-3, *np.radians([0.5, 0.5, 2.0])])  # of an action
LEADS = np.array([5e-3, 5e-3, 5e-3, *np.radians([5.0, 5.0, 30.0])])
WORKSPACE = 10e-3  # largest distance of the set-point from the axis
START_HEIGHT, HIGHEST_START, ABOVE_START = 3e-3, 1e-3, 5e-3
DEPTH, LATERAL, KEYPOINT = 20e-3, 2.5e-3, 50e-3
POSITION_NOISE, FORCE_NOISE, TORQUE_NOISE = 1e-5, 0.1, 0.005
REWARD_LENGTH, REWARD_SUCCESS, REWARD_STEP, REWARD_FORCE_N, REWARD_FORCE = 10e-3, 5.0, 0.01, 20.0, 0.05


class Peg:
    """One environment: its state in MuJoCo and its episode."""

    def __init__(self, model: mujoco.MjModel, index: int) -> None:
        self.data = mujoco.MjData(model)
        self.draws = tightfit.make_env("PegInHole")
        self.index = index
        self.spent = 0.0  # thread time in mj_step

    def reset(self, seed: int | None) -> None:
        _, info = self.draws.reset(seed=seed)
        drawn = info["privileged"].astype(float)
        self.noise = np.random.default_rng([self.index, int(1e6 * abs(drawn[0])), int(1e6 * abs(drawn[1]))])
        self.goal = np.concatenate([drawn[:3] * 1e-3, np.radians(drawn[3:6])])
        self.start_angle = self.goal[5]
        self.estimate, self.in_hand, self.friction = drawn[6:9] * 1e-3, drawn[9:12] * 1e-3, drawn[12]
        self.data.qpos[:3], self.data.qpos[3:] = self.goal[:3], quaternion_of(self.goal)
        for state in (self.data.qvel, self.data.qacc_warmstart, self.data.xfrc_applied):
            state[:] = 0.0
        self.data.time = 0.0
        self.steps, self.last_action = 0, np.zeros(6)
        self.force, self.torque, self.peak = np.zeros(3), np.zeros(3), 0.0
        self.potential = potential(self.numbers())

    def numbers(self) -> np.ndarray:
        """Position, tilt and angle of the part [m, rad]."""
        return chart(self.data.qpos)

    def step(self, model: mujoco.MjModel, action: np.ndarray, follow=None) -> tuple[float, bool, bool]:
        """Take one policy step; the reward, and whether success or time ended the episode."""
        model.geom_friction[:, 0] = self.friction
        action = np.clip(action.astype(float), -1.0, 1.0)
        part, before = self.numbers(), self.goal
        goal = np.clip(before + action * SCALES, part - LEADS, part + LEADS)
        goal[:2] = np.clip(goal[:2], -WORKSPACE, WORKSPACE)
        goal[2] = np.clip(goal[2], -DEPTH - LEADS[2], START_HEIGHT + HIGHEST_START + ABOVE_START)
        self.goal, self.last_action = goal, action
        self.advance(model, before, goal, follow)
        self.steps += 1
        now = self.numbers()
        success = bool(now[2] <= -DEPTH and np.hypot(now[0], now[1]) < LATERAL)
        later = potential(now)
        beyond = np.clip((self.peak - REWARD_FORCE_N) / REWARD_FORCE_N, 0.0, 10.0)
        reward = (later - self.potential) / REWARD_LENGTH - REWARD_STEP - REWARD_FORCE * beyond
        self.potential = later
        return reward + REWARD_SUCCESS * success, success, not success and self.steps >= MOST_STEPS

    def advance(self, model: mujoco.MjModel, start: np.ndarray, end: np.ndarray, follow) -> None:
        """Integrate a policy step; the springs' wrench is given explicitly at the start of every step."""
        drive, data, dt = DRIVES["peg"], self.data, model.opt.timestep
        count = round(POLICY_STEP / dt)
        path = [start + (end - start) * k / count for k in range(count + 1)]
        goals = [quaternion_of(row) for row in path]
        spin_error, spin_goal, matrix = np.zeros(3), np.zeros(3), np.zeros(9)
        force, torque, self.peak = np.zeros(3), np.zeros(3), 0.0
        mass, moment = drive.damping * drive.mass, drive.damping * drive.moment
        centers = [row[:3] + matrix_of(quaternion) @ drive.center for row, quaternion in zip(path, goals)]
        for k in range(count):
            mujoco.mju_quat2Mat(matrix, data.qpos[3:])
            rotation = matrix.reshape(3, 3)
            arm = rotation @ drive.center
            velocity = data.qvel[:3] + cross(rotation @ data.qvel[3:], arm)
            mujoco.mju_subQuat(spin_error, goals[k], data.qpos[3:])
            mujoco.mju_subQuat(spin_goal, goals[k + 1], goals[k])
            goal_velocity = (centers[k + 1] - centers[k]) / dt
            push = drive.stiffness * (centers[k] - data.qpos[:3] - arm) + mass * (goal_velocity - velocity)
            turn = drive.turning * spin_error + moment * (spin_goal / dt - data.qvel[3:])
            data.xfrc_applied[1, :3], data.xfrc_applied[1, 3:] = push, rotation @ turn
            clock = time.thread_time()
            mujoco.mj_step(model, data)
            self.spent += time.thread_time() - clock
            contact = data.qfrc_constraint
            force += contact[:3]
            torque += rotation @ contact[3:] - cross(arm, contact[:3])
            self.peak = max(self.peak, float(np.linalg.norm(contact[:3])))
            if follow is not None:
                follow(data.qpos)
        self.force, self.torque = force / count, torque / count

    def observe(self) -> np.ndarray:
        """Observation and privileged observation, in the units of Tightfit."""
        point, noise = self.numbers(), self.noise.standard_normal(9)
        rotation = matrix_of(self.data.qpos[3:])
        assumed = point[:3] + self.estimate + rotation @ self.in_hand + POSITION_NOISE * noise[:3]
        angles = np.degrees([point[3], point[4], point[5] - self.start_angle])
        lead = self.goal - point
        remaining = 1.0 - self.steps / MOST_STEPS
        return np.concatenate([
            assumed * 1e3, angles, self.data.qvel[:3] * 1e3, np.degrees(rotation @ self.data.qvel[3:]),
            self.force + FORCE_NOISE * noise[3:6], self.torque + TORQUE_NOISE * noise[6:],
            lead[:3] * 1e3, np.degrees(lead[3:]), self.last_action,
            point[:3] * 1e3, angles, self.estimate * 1e3, self.in_hand * 1e3,
            [self.friction, 0.0, -point[2] * 1e3, remaining],
        ]).astype(np.float32)


class MujocoPegs:
    """Many environments, with the calls of Tightfit's VectorEnv in the mode SameStep that the PPO example uses."""

    def __init__(self, count: int, step: float, threads: int = 2) -> None:
        self.models = [model_of("peg", step) for _ in range(threads)]
        self.pegs = [Peg(self.models[0], index) for index in range(count)]
        self.pool = ThreadPoolExecutor(threads)

    def reset(self, *, seed: int):
        for index, peg in enumerate(self.pegs):
            peg.reset(seed + index)
        return self._seen(np.stack([peg.observe() for peg in self.pegs]))

    def step(self, actions: np.ndarray):
        results: list = [None] * len(self.pegs)
        queue = iter(range(len(self.pegs)))  # both threads take from it; next() is one operation under the lock

        def work(model: mujoco.MjModel) -> None:
            for index in queue:
                peg = self.pegs[index]
                reward, success, late = peg.step(model, actions[index])
                last = now = peg.observe()
                if success or late:
                    peg.reset(None)
                    now = peg.observe()
                results[index] = (reward, success, late, last, now)

        list(self.pool.map(work, self.models))
        rewards, terminated, truncated, last, now = (np.stack(column) for column in zip(*results))
        observations, info = self._seen(now)
        final, known = self._seen(last)
        info["final_obs"], info["final_info"] = final, known
        return observations, rewards, terminated, truncated, info

    @staticmethod
    def _seen(rows: np.ndarray):
        return rows[:, :30], {"privileged": rows[:, 30:]}

    @property
    def spent(self) -> float:
        """Thread time in MuJoCo's step alone [s]."""
        return sum(peg.spent for peg in self.pegs)


def evaluate(policy, step: float, seeds: range, threads: int = 2) -> dict[str, np.ndarray]:
    """One episode per seed; success, and the deepest penetration of the exact parts after any of MuJoCo's steps [m]."""
    models = [model_of("peg", step) for _ in range(threads)]
    queue, results = iter(list(seeds)), {}

    def work(model: mujoco.MjModel) -> None:
        judge = tightfit.Simulation("peg-in-hole", record=False)
        for seed in queue:
            peg, deepest = Peg(model, seed), 0.0

            def follow(pose: np.ndarray) -> None:
                nonlocal deepest
                if pose[2] < 2e-3:  # above that the parts are apart
                    judge.set_motion("peg", pose[:3].tolist(), [*pose[4:], pose[3]])
                    deepest = max(deepest, judge.audit())

            peg.reset(seed)
            over = success = False
            while not over:
                action = policy(peg.observe()[None, :30])[0]
                _, success, late = peg.step(model, action, follow)
                over = success or late
            results[seed] = (success, deepest)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, models))
    success, deepest = zip(*(results[seed] for seed in seeds))
    return {"success": np.array(success), "penetration": np.array(deepest)}


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def quaternion_of(numbers: np.ndarray) -> np.ndarray:
    """Of the rotation exp([a b 0]) Rz(angle)."""
    a, b, angle = numbers[3:6]
    tilt = np.hypot(a, b)
    share = np.sin(tilt / 2) / tilt if tilt > 1e-12 else 0.5
    product = np.zeros(4)
    mujoco.mju_mulQuat(product, np.array([np.cos(tilt / 2), a * share, b * share, 0.0]),
                       np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]))
    return product


def matrix_of(quaternion: np.ndarray) -> np.ndarray:
    matrix = np.zeros(9)
    mujoco.mju_quat2Mat(matrix, quaternion)
    return matrix.reshape(3, 3)


def chart(pose: np.ndarray) -> np.ndarray:
    """Position, tilt about x and y, and angle about z of a pose; the peg turns by less than half a turn."""
    w, x, y, z = pose[3:]
    twist = 2 * np.arctan2(z, w)
    twist -= 2 * np.pi * np.round(twist / (2 * np.pi))
    c, s = np.cos(twist / 2), np.sin(twist / 2)
    # swing = rotation · Rz(−twist), without z by construction
    swing = np.array([w * c + z * s, x * c - y * s, y * c + x * s])
    swing *= np.sign(swing[0])
    sine = np.hypot(swing[1], swing[2])
    scale = 2 * np.arctan2(sine, swing[0]) / sine if sine > 1e-12 else 2.0
    return np.array([*pose[:3], swing[1] * scale, swing[2] * scale, twist])


def potential(numbers: np.ndarray) -> float:
    """−mean distance of two points of the part's axis from where they are at the target [m]."""
    axis = matrix_of(quaternion_of(numbers))[:, 2] * KEYPOINT
    error = numbers[:3] + np.array([0.0, 0.0, DEPTH])
    return -0.5 * float(np.linalg.norm(error) + np.linalg.norm(error + axis - np.array([0.0, 0.0, KEYPOINT])))
