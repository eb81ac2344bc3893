"""Letting Hydra compose a verb's configuration and run the verb on it, once or for every cell."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextvars import ContextVar

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from rageval.config.places import shipped
from rageval.config.refusals import explained
from rageval.config.resolvers import register
from rageval.errors import RagevalError

UNFINISHED = 4
Job = Callable[[DictConfig], int]  # composed configuration → exit code
_codes: ContextVar[list[int]] = ContextVar("rageval_codes")


def launch(config: str, overrides: Sequence[str], job: Job) -> int:
    """Run a job on what Hydra composes and return the worst of its exit codes.

    Raises
    ------
    InputError
        If Hydra refuses the overrides.
    """
    register()
    take_names()
    codes: list[int] = []
    token = _codes.set(codes)
    begun: list[bool] = []

    def task(composed: DictConfig) -> int:
        register()  # again: a launcher may have started another process
        begun.append(True)
        codes.append(UNFINISHED)  # what stays if the job breaks
        codes[-1] = _code(job, composed)
        return codes[-1]

    sys.argv[1:] = overrides
    # Hydra prints a traceback and leaves unless it is told to raise.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    main = hydra.main(version_base="1.3", config_path=str(shipped("conf")), config_name=config)
    try:
        main(task)()
    except (HydraException, OmegaConfBaseException, YAMLError, ValueError, OSError) as fault:
        if begun:
            raise
        raise explained(fault) from fault
    finally:
        _codes.reset(token)
    return max(codes, default=0)


def take_names() -> None:
    """Let the files of conf/hydra/ be what their names mean, whatever plugins are installed.

    Hydra would mix a file with the configuration that a plugin of the same name brings.
    """
    Plugins.instance()  # looks for all plugins, once
    known = ConfigStore.instance().repo.get("hydra", {})
    for file in (shipped("conf") / "hydra").glob("*/*.yaml"):
        known.get(file.parent.name, {}).pop(file.name, None)


def tell(jobs: Sequence[JobReturn]) -> None:
    """Note how the jobs of a launcher ended, in whatever process, and print what broke them."""
    for job in jobs:
        if job.status is JobStatus.FAILED:
            told = "".join(traceback.format_exception(job._return_value))
            sys.stderr.write(f"✗ failed: {' '.join(job.overrides or ())}\n{told}")
        note(UNFINISHED if job.status is JobStatus.FAILED else job.return_value or 0)


def note(code: int) -> None:
    """Let an exit code count."""
    _codes.get().append(code)


def _code(job: Job, composed: DictConfig) -> int:
    try:
        return job(composed)
    except RagevalError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
