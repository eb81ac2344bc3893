"""Which file of each group of conf/ was chosen."""

from __future__ import annotations

from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode

from rageval.config.refusals import no_retriever


def chosen() -> dict[str, str]:
    """Return the choice made in each group; groups without one are left out."""
    found = HydraConfig.get().runtime.choices
    return {group: str(name) for group, name in found.items() if name is not None}


def sweeping() -> bool:
    """Say whether this is one cell of a sweep."""
    return HydraConfig.get().mode == RunMode.MULTIRUN


def require_retriever() -> None:
    """Make sure that a retriever was named.

    Raises
    ------
    InputError
        If none was; the choices are listed.
    """
    if "retriever" not in chosen():
        raise no_retriever(choices_of("retriever"))


def choices_of(group: str) -> list[str]:
    """Return what can be chosen in a group, a user's own files among it."""
    return sorted(GlobalHydra.instance().config_loader().get_group_options(group))
