"""Learn peg insertion by PPO, in one file.

    python python/examples/learn_peg.py --out learned

The actor sees what a robot could know; the critic also sees the privileged observation. Before and after training the mean action
is evaluated on 200 seeds that training never uses, and every simulation step of the trained one is audited. The learning curve is
written as a picture and as a table.
"""

from __future__ import annotations

import argparse
import csv
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import tightfit
from tightfit.experts import describe, evaluate

OBSERVED, PRIVILEGED = len(tightfit.environments.OBSERVATIONS), len(tightfit.environments.PRIVILEGED)
EPISODE_UPDATES = 3  # updates that an episode of 143 policy steps spans


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--env", default="PegInHole", help="built-in environment or scene file with a task")
    parser.add_argument("--out", type=Path, default=Path("learned"), help="folder of policy, curve and table")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=30.0, help="stop training after this time")
    parser.add_argument("--processor-minutes", type=float, default=float("inf"), help="stop training after this processor time")
    parser.add_argument("--updates", type=int, default=24)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--horizon", type=int, default=64, help="policy steps per environment and update")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--minibatches", type=int, default=8)
    parser.add_argument("--rate", type=float, default=5e-4, help="learning rate at the start; it falls to 0")
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--lambda", dest="trace", type=float, default=0.95)
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.0)
    parser.add_argument("--episodes", type=int, default=200, help="unseen seeds of an evaluation")
    parser.add_argument("--first-unseen-seed", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=0, help="threads of the simulation; 0: one per core")
    return parser


class Scale(nn.Module):
    """Subtract the running mean and divide by the running deviation."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width, dtype=torch.float64))
        self.register_buffer("square", torch.ones(width, dtype=torch.float64))
        self.register_buffer("count", torch.tensor(1e-4, dtype=torch.float64))

    def add(self, batch: torch.Tensor) -> None:
        batch = batch.double()
        share = len(batch) / (self.count + len(batch))
        change = batch.mean(0) - self.mean
        self.square += share * (batch.var(0, unbiased=False) - self.square + change**2 * (1 - share))
        self.mean += share * change
        self.count += len(batch)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return ((batch - self.mean) / (self.square.sqrt() + 1e-6)).float().clamp(-10, 10)


def layer(inputs: int, outputs: int, gain: float = 2**0.5) -> nn.Linear:
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = Scale(OBSERVED + PRIVILEGED)
        self.actor = nn.Sequential(layer(OBSERVED, 128), nn.Tanh(), layer(128, 128), nn.Tanh(), layer(128, 6, 0.01))
        width = OBSERVED + PRIVILEGED
        self.critic = nn.Sequential(layer(width, 128), nn.Tanh(), layer(128, 128), nn.Tanh(), layer(128, 1, 1.0))
        self.log_deviation = nn.Parameter(torch.full((6,), -0.7))

    def distribution(self, both: torch.Tensor) -> torch.distributions.Normal:
        mean = self.actor(self.scale(both)[:, :OBSERVED])
        return torch.distributions.Normal(mean, self.log_deviation.exp().expand_as(mean))

    def value(self, both: torch.Tensor) -> torch.Tensor:
        return self.critic(self.scale(both)).squeeze(-1)

    @torch.no_grad()
    def act(self, observations: np.ndarray) -> np.ndarray:
        """Return the mean action, for evaluation."""
        both = torch.zeros(len(observations), OBSERVED + PRIVILEGED)
        both[:, :OBSERVED] = torch.from_numpy(observations)
        return self.distribution(both).mean.clamp(-1, 1).numpy()


def joined(observations: np.ndarray, info: dict) -> torch.Tensor:
    return torch.from_numpy(np.concatenate([observations, info["privileged"]], axis=1))


def final_values(agent: Agent, info: dict, truncated: np.ndarray) -> np.ndarray:
    """Values of the last observations of episodes that time ended."""
    values = np.zeros(len(truncated), np.float32)
    if truncated.any():
        last = np.stack([info["final_obs"][index] for index in np.flatnonzero(truncated)])
        both = np.concatenate([last, info["final_info"]["privileged"][truncated]], axis=1)
        values[truncated] = agent.value(torch.from_numpy(both)).numpy()
    return values


def train(envs: Any, agent: Agent, options: argparse.Namespace) -> tuple[list[tuple], float, float]:
    """Train an agent; the curve of policy steps, seconds, success and reward, the seconds, and the seconds of processor time."""
    optimiser = torch.optim.Adam(agent.parameters(), lr=options.rate, eps=1e-5)
    shape = (options.horizon, options.envs)
    seen = torch.zeros(*shape, OBSERVED + PRIVILEGED)
    actions, noise = torch.zeros(*shape, 6), torch.zeros(*shape)
    rewards, ends, values = (torch.zeros(shape) for _ in range(3))
    observations, info = envs.reset(seed=options.seed)
    recent: list[np.ndarray] = []
    curve, start, processor, simulating = [], time.monotonic(), time.process_time(), 0.0
    for update in range(options.updates):
        share = max(1 - update / options.updates, 0.0)
        optimiser.param_groups[0]["lr"] = options.rate * share
        ended = np.zeros(2, int)  # episodes that ended in this update, and how many of them by success
        with torch.no_grad():
            for step in range(options.horizon):
                both = joined(observations, info)
                agent.scale.add(both)
                distribution = agent.distribution(both)
                action = distribution.sample()
                seen[step], actions[step] = both, action
                noise[step], values[step] = distribution.log_prob(action).sum(-1), agent.value(both)
                clock = time.monotonic()
                observations, reward, terminated, truncated, info = envs.step(action.numpy().clip(-1, 1))
                simulating += time.monotonic() - clock
                over = terminated | truncated
                reward = reward + options.gamma * final_values(agent, info, truncated)
                rewards[step] = torch.from_numpy(reward)
                ends[step] = torch.from_numpy(over)
                ended += int(over.sum()), int(terminated.sum())
            advantages, later = torch.zeros(shape), torch.zeros(options.envs)
            after = agent.value(joined(observations, info))
            for step in reversed(range(options.horizon)):
                following = values[step + 1] if step + 1 < options.horizon else after
                error = rewards[step] + options.gamma * following * (1 - ends[step]) - values[step]
                later = error + options.gamma * options.trace * (1 - ends[step]) * later
                advantages[step] = later
        flat = [part.flatten(0, 1) for part in (seen, actions, noise, advantages, advantages + values)]
        count = len(flat[2])
        for _ in range(options.epochs):
            for rows in torch.randperm(count).chunk(options.minibatches):
                both, action, old, advantage, target = (part[rows] for part in flat)
                distribution = agent.distribution(both)
                ratio = (distribution.log_prob(action).sum(-1) - old).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
                value_loss = 0.5 * (agent.value(both) - target).square().mean()
                loss = policy_loss + 0.5 * value_loss - options.entropy * distribution.entropy().sum(-1).mean()
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimiser.step()
        seconds = time.monotonic() - start
        steps = (update + 1) * count
        # Episodes begin together, so single updates would count only the short ones.
        recent.append(ended)
        finished, succeeded = np.sum(recent[-EPISODE_UPDATES:], axis=0)
        rate = succeeded / finished if len(recent) >= EPISODE_UPDATES and finished else float("nan")
        curve.append((steps, seconds, rate, rewards.sum(0).mean().item()))
        if update % 2 == 1:
            print(
                f"{steps:9d} steps  {seconds:6.0f} s  success while exploring {100 * rate:5.1f} %  "
                f"{steps / seconds:6.0f} steps/s, of which simulation alone {steps / simulating:6.0f}",
                flush=True,
            )
        if seconds > options.minutes * 60 or time.process_time() - processor > options.processor_minutes * 60:
            break
    return curve, time.monotonic() - start, time.process_time() - processor


def main() -> None:
    options = arguments().parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(options.seed)
    # the networks are small: a second thread waits for the first most of the time
    torch.set_num_threads(1)
    envs = tightfit.make_vec_env(options.env, options.envs, threads=options.threads, autoreset_mode="SameStep")
    agent = Agent()
    unseen = {"episodes": options.episodes, "first_seed": options.first_unseen_seed}
    before = evaluate(agent.act, options.env, **unseen)
    print(f"untrained: {describe(before)}", flush=True)
    curve, seconds, processor = train(envs, agent, options)
    print(
        f"training took {seconds:.0f} s, {processor:.0f} s of processor time: {curve[-1][0] / processor:.0f} policy steps per second "
        "of it",
        flush=True,
    )
    torch.save(agent.state_dict(), options.out / "policy.pt")
    after = evaluate(agent.act, options.env, audit=True, **unseen)
    print(f"trained: {describe(after)}")
    write(options, curve, before["success_rate"], after["success_rate"])


def write(options: argparse.Namespace, curve: list[tuple], before: float, after: float) -> None:
    """Write the curve as a table and as a picture."""
    with (options.out / "curve.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("policy_steps", "seconds", "success", "reward"), *curve])
    draw(options, curve, before, after)


def draw(options: argparse.Namespace, curve: list, before: float, after: float) -> None:
    """Draw success against time."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot([row[1] / 60 for row in curve], [100 * row[2] for row in curve], label="while exploring")
    axes.axhline(100 * before, color="gray", linestyle=":", label=f"untrained, unseen seeds: {100 * before:.1f} %")
    axes.axhline(100 * after, color="tab:green", label=f"trained, unseen seeds: {100 * after:.1f} %")
    axes.set(xlabel="training time [min]", ylabel="success [%]", ylim=(-3, 103), title=f"PPO on {options.env}")
    axes.legend(loc="lower right")
    figure.savefig(options.out / "curve.png", dpi=150)


if __name__ == "__main__":
    main()
