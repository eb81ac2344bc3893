"""Letting Hydra compose a verb's configuration and run the verb on it, once or for every cell."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import hydra
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from rageval.config.places import shipped
from rageval.config.refusals import explained
from rageval.config.resolvers import register
from rageval.errors import RagevalError

_UNFINISHED = 4
Job = Callable[[DictConfig], int]  # composed configuration → exit code


def launch(config: str, overrides: Sequence[str], job: Job) -> int:
    """Run a job on what Hydra composes and return the worst of its exit codes.

    Raises
    ------
    InputError
        If Hydra refuses the overrides.
    """
    register()
    codes: list[int] = []
    begun: list[DictConfig] = []

    def task(composed: DictConfig) -> None:
        begun.append(composed)
        codes.append(_UNFINISHED)  # what stays if the job breaks
        codes[-1] = _code(job, composed)

    sys.argv[1:] = overrides
    # Hydra prints a traceback and leaves unless it is told to raise.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    main = hydra.main(version_base="1.3", config_path=str(shipped("conf")), config_name=config)
    try:
        main(task)()
    except (HydraException, OmegaConfBaseException, ValueError, OSError) as fault:
        if begun:
            raise
        raise explained(fault) from fault
    return max(codes, default=0)


def _code(job: Job, composed: DictConfig) -> int:
    try:
        return job(composed)
    except RagevalError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
