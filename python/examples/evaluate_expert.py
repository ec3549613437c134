"""Evaluate the scripted expert of an environment, every simulation step audited.

    python python/examples/evaluate_expert.py NutThread --first-seed 5000000
"""

from __future__ import annotations

import argparse

from tightfit.experts import EXPERTS, describe, evaluate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", nargs="?", default="PegInHole", choices=EXPERTS)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=0, help="0: one per core")
    options = parser.parse_args()
    expert = EXPERTS[options.env](options.episodes)
    unseen = {"episodes": options.episodes, "first_seed": options.first_seed, "threads": options.threads}
    result = evaluate(expert, options.env, audit=True, **unseen)
    print(f"{options.env}: {describe(result)}")
    if "Nut" in options.env:
        print(f"turns at the end: {result['turns'].min():.3f} to {result['turns'].max():.3f}")
    failed = [options.first_seed + int(index) for index in (~result["success"]).nonzero()[0]]
    if failed:
        print(f"seeds that failed: {failed}")


if __name__ == "__main__":
    main()
