"""What `${…}` means in conf/ beyond OmegaConf's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import InterpolationResolutionError

from rageval.config.places import shipped
from rageval.errors import InputError
from rageval.escaping.redaction import remember
from rageval.golden.source import name_from, stated_name
from rageval.split.lock import LOCK, read_lock

_NOTHING = "\0"  # no default was given: a value that no environment holds
_MAY_READ = frozenset({"secrets", "hydra"})  # Hydra's own node decides nothing that is measured


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
    return name_from(Path(path))


def set_name(path: str) -> str:
    """Return the name in a golden file's `set:` line, else its stem: `${set_name:golden.yaml}`.

    Examples
    --------
    >>> set_name("data/My Set.csv")
    'my_set'
    """
    return stated_name(Path(path)) or stem(path)


def lock_beside(path: str) -> str:
    """Return the path of a golden file's lock: `${lock_beside:${dataset.questions}}`.

    It is split.lock beside the file, or NAME.split.lock if that belongs to another golden file.

    Examples
    --------
    >>> lock_beside("sets/golden.yaml")
    'sets/split.lock'
    """
    beside = Path(path).with_name(LOCK)
    try:
        owner = read_lock(beside).file
    except InputError:
        owner = ""  # reading it to split the set reports what is wrong with it
    other = owner and owner != Path(path).name
    return str(Path(path).with_name(f"{Path(path).stem}.{LOCK}") if other else beside)


def sibling(path: str, name: str) -> str:
    """Return the path of a file beside another; configurations kept by version 0.1.0 use it.

    Examples
    --------
    >>> sibling("sets/golden.yaml", "split.lock")
    'sets/split.lock'
    """
    return str(Path(path).with_name(name))


def environment(name: str, default: str | None = _NOTHING, *, _node_: Any) -> str | None:  # noqa: ANN401  a node of OmegaConf
    """Return an environment variable, for values below `secrets` and of Hydra's own alone.

    It takes the place of OmegaConf's `oc.env`, so that no way of writing a reference gets round it.

    Raises
    ------
    InterpolationResolutionError
        If it is asked elsewhere, or the variable is not set and no default is given.
    """
    path = str(_node_._get_full_key(None))
    if path.partition(".")[0] not in _MAY_READ:
        raise InterpolationResolutionError(
            f"{path}: reads the environment ({name}); what is evaluated is written down, and only "
            "values below `secrets` may be read from there"
        )
    if default is _NOTHING and name not in os.environ:
        raise InterpolationResolutionError(f"{path}: environment variable {name!r} is not set")
    value = os.environ.get(name, default)
    if path.startswith("secrets"):
        remember([value])
    return value


def register() -> None:
    """Make them known to OmegaConf; doing it again changes nothing."""
    for resolver in (sample, stem, set_name, lock_beside, sibling):
        OmegaConf.register_new_resolver(resolver.__name__, resolver, replace=True)
    OmegaConf.register_new_resolver("oc.env", environment, replace=True)
