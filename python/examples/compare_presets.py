"""Run one scene with three sets of methods and print outcome, penetration and speed.

    python python/examples/compare_presets.py bolting
"""

from __future__ import annotations

import sys

import tightfit


def main(scene: str, seconds: float | None = None) -> None:
    print(f"{'preset':10} {'grade':24} {'audited [µm]':>12} {'force difference [N]':>21} {'real-time factor':>17}")
    for result in tightfit.compare(scene, seconds=seconds):
        print(
            f"{result['preset']:10} {result['assessment']['grade']:24} {1e6 * result['audited']:12.2f} "
            f"{result['force_difference']:21.3f} {result['real_time_factor']:17.0f}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:2] or ["peg-in-hole"], *map(float, sys.argv[2:3]))
