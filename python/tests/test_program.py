"""The command that the wheel installs."""

import os
import signal
import subprocess
import sys
import time

PROGRAM = [sys.executable, "-m", "tightfit._program"]


def test_the_command_runs_and_returns_the_programs_exit_codes():
    listed = subprocess.run([*PROGRAM, "scenes"], capture_output=True, text=True, check=True)
    assert "peg-in-hole" in listed.stdout
    refused = subprocess.run([*PROGRAM, "run", "no-such-scene"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "no-such-scene" in refused.stderr
    misused = subprocess.run([*PROGRAM, "run", "--no-such-option"], capture_output=True, text=True, check=False)
    assert misused.returncode == 2


def test_ctrl_c_ends_a_long_call():
    script = (
        "import tightfit, signal, sys\n"
        # a shell starts background jobs with Ctrl-C ignored
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sim = tightfit.Simulation('peg-in-hole', record=False)\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    sim.step(10**9)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(7)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=30) == 7
