"""Let Hydra compose a command's configuration and run it, once or for every cell."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar

import hydra
from hydra.core.config_store import ConfigStore
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn, JobStatus
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from rageval.config.places import shipped
from rageval.config.refusals import explained
from rageval.config.resolvers import register
from rageval.config.tree import SECRETS
from rageval.errors import RagevalError
from rageval.escaping.redaction import remember_node, remember_passwords
from rageval.files.limits import set_limits
from rageval.internal_error import INTERNAL_ERROR, reported
from rageval.report.answer import set_format, write_answer

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
        _remember_secrets(composed)
        codes[-1] = _code(job, composed)
        return codes[-1]

    sys.argv[1:] = overrides
    # Hydra prints a traceback and leaves unless it is asked to raise.
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
    code = max(codes, default=0)
    write_answer(code)
    return code


def _remember_secrets(composed: DictConfig) -> None:
    """Take the composed secrets, and the passwords in addresses, for secrets."""
    secrets = composed.get(SECRETS) or OmegaConf.create()
    with suppress(OmegaConfBaseException):  # reading the configuration reports it
        remember_node(OmegaConf.to_container(secrets, resolve=True))
    remember_passwords(OmegaConf.to_container(composed, resolve=False))


def take_names() -> None:
    """Let the files of conf/hydra/ be what their names mean, whatever plugins are installed.

    Hydra would mix a file with the configuration that a plugin of the same name brings.
    """
    Plugins.instance()  # looks for all plugins, once
    known = ConfigStore.instance().repo.get("hydra", {})
    for file in (shipped("conf") / "hydra").glob("*/*.yaml"):
        known.get(file.parent.name, {}).pop(file.name, None)


def tell(jobs: Sequence[JobReturn]) -> None:
    """Note how the jobs of a launcher ended, in whatever process, and report what broke them."""
    for job in jobs:
        if job.status is JobStatus.FAILED:
            words = list(job.overrides or ())
            sys.stderr.write(f"✗ {' '.join(words)}: {reported(job._return_value, words)}\n")
        note(INTERNAL_ERROR if job.status is JobStatus.FAILED else job.return_value or 0)


def note(code: int) -> None:
    """Let an exit code count."""
    _codes.get().append(code)


def _code(job: Job, composed: DictConfig) -> int:
    try:
        set_limits(OmegaConf.to_container(composed.get("limits") or OmegaConf.create()))
        set_format(composed.get("output"))
        return job(composed)
    except RagevalError as fault:
        sys.stderr.write(f"{fault}\n")
        return fault.exit_code
