"""The one sentence for a component whose optional package is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType

from rageval.errors import InputError


def need(module: str, extra: str, choice: str = "") -> ModuleType:
    """Import an optional module, or say how to install it.

    `choice` is what a user chose that needs it, such as `retriever=qdrant`; an encoder is named
    after its extra.

    Raises
    ------
    InputError
        If the module is not installed; the message is the install line.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise InputError(
            f"{choice or 'encoder=' + extra.replace('-', '_')} needs the package {module!r}: "
            f"pip install 'rageval[{extra}]'"
        ) from missing


def unavailable(model: str, fault: Exception) -> InputError:
    """Return the error for a model that cannot be loaded, by name or from a folder."""
    return InputError(f"encoder.model: {model!r} cannot be loaded: {fault}")
