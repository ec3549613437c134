"""Insert a peg with an arm under impedance control and plot the contact force.

    python python/examples/insertion.py force.png
"""

from __future__ import annotations

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import tightfit


def main(path: str) -> None:
    sim = tightfit.Simulation("peg-in-hole-arm")
    outcome = sim.run()
    log = sim.log()
    print(f"depth {1e3 * outcome['depth']:.2f} mm, {sim.assessment['grade']}")
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
    time = log["time_s"]
    for axis in "xyz":
        above.plot(time, log[f"peg.contact_force_{axis}_n"], label=axis)
    above.set(ylabel="contact force [N]")
    above.legend()
    below.plot(time, 1e6 * log["penetration_m"])
    below.set(xlabel="time [s]", ylabel="penetration [µm]")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "force.png")
