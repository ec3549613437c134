"""How much start error and friction does the scripted expert tolerate?

    python python/examples/randomisation_study.py
"""

from __future__ import annotations

import sys

from tightfit.experts import PegExpert, evaluate


def main(episodes: int) -> None:
    print("estimate error [mm]  friction  success [%]  largest force [N]")
    for error in (0.0, 0.25, 0.5, 1.0):
        for friction in (0.05, 0.3):
            ranges = {"estimate_mm": [error, error, 0.25], "friction": [friction, friction]}
            result = evaluate(PegExpert(), "PegInHole", episodes=episodes, randomisation=ranges)
            success, force = 100 * result["success_rate"], result["peak_force"]
            print(f"{error:19.2f}  {friction:8.2f}  {success:11.1f}  {force:17.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
