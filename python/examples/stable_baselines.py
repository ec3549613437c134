"""Train with Stable-Baselines3 on the native batch.

    python python/examples/stable_baselines.py 200000
"""

from __future__ import annotations

import sys

from stable_baselines3 import PPO

from tightfit.experts import evaluate
from tightfit.sb3 import StableVecEnv


def main(steps: int) -> None:
    envs = StableVecEnv("PegInHole", 64)
    model = PPO("MlpPolicy", envs, n_steps=64, batch_size=512, learning_rate=5e-4, verbose=1)
    model.learn(steps)
    result = evaluate(lambda seen: model.predict(seen, deterministic=True)[0], "PegInHole", episodes=50)
    print(f"success on 50 unseen seeds: {100 * result['success_rate']:.0f} %")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
