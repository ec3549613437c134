"""The command ``tightfit`` that the wheel installs."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the program with the arguments of the process and exit with its code."""
    from ._native import run_program

    # Python's handler would wait for the end of the call.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.exit(run_program(["tightfit", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
