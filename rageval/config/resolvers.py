"""What `${…}` means in conf/ beyond OmegaConf's own."""

from __future__ import annotations

import re
from pathlib import Path

from omegaconf import OmegaConf

from rageval.config.places import shipped


def sample(path: str) -> str:
    """Return the path of a file of the shipped sample: `${sample:handbook/golden.yaml}`.

    The path is relative where the sample lies below the working directory, so that a checkout's
    results name no machine.
    """
    found = shipped("examples") / path
    here = Path.cwd()
    return str(found.relative_to(here) if found.is_relative_to(here) else found)


def stem(path: str) -> str:
    """Return a path's last part without suffix, as an identifier: `${stem:${dataset.path}}`.

    Examples
    --------
    >>> stem("data/My Set.yaml")
    'my_set'
    """
    return re.sub(r"[^a-z0-9]+", "_", Path(path).stem.lower()).strip("_") or "set"


def sibling(path: str, name: str) -> str:
    """Return the path of a file beside another: `${sibling:${dataset.questions},split.lock}`.

    Examples
    --------
    >>> sibling("sets/golden.yaml", "split.lock")
    'sets/split.lock'
    """
    return str(Path(path).with_name(name))


def register() -> None:
    """Make them known to OmegaConf; doing it again changes nothing."""
    for resolver in (sample, stem, sibling):
        OmegaConf.register_new_resolver(resolver.__name__, resolver, replace=True)
