"""What simulations show in notebooks and browsers, and tables for other libraries."""

from __future__ import annotations

import html
import tempfile
import webbrowser
from pathlib import Path
from typing import Any


def to_pandas(simulation: Any) -> Any:
    """Return the recorded steps as a data frame."""
    import pandas

    return pandas.DataFrame(simulation.log())


def to_arrow(simulation: Any) -> Any:
    """Return the recorded steps as an Arrow table."""
    import pyarrow

    return pyarrow.table(simulation.log())


def show(simulation: Any, path: str | Path | None, open_browser: bool) -> Path:
    """Write the report page and open it."""
    if path is None:
        path = Path(tempfile.mkdtemp(prefix="tightfit-")) / f"{simulation.scene.name}.html"
    path = Path(path)
    path.write_text(simulation.report_html(), encoding="utf-8")
    if open_browser:
        webbrowser.open(path.resolve().as_uri())
    return path


def page(simulation: Any) -> str | None:
    """Return the report as a frame for notebooks."""
    if simulation.step_count == 0:
        return None
    text = html.escape(simulation.report_html(), quote=True)
    return f'<iframe srcdoc="{text}" style="width:100%;height:640px;border:0"></iframe>'
