"""Where the shipped configuration and sample lie: in the package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped(folder: str) -> Path:
    """Return a folder that travels with the package: `conf` or `examples`.

    Examples
    --------
    >>> (shipped("conf") / "config.yaml").is_file()
    True
    """
    packaged = _PACKAGE / folder
    return packaged if packaged.is_dir() else _PACKAGE.parent / folder
