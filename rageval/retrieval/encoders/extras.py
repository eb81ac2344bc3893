"""The one sentence for an encoder whose optional package is not installed."""

from __future__ import annotations

import importlib
from types import ModuleType

from rageval.errors import InputError


def need(module: str, extra: str) -> ModuleType:
    """Import an optional module, or say how to install it.

    Raises
    ------
    InputError
        If the module is not installed; the message is the install line.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise InputError(
            f"encoder={extra.replace('-', '_')} needs the package {module!r}: "
            f"pip install 'rageval[{extra}]'"
        ) from missing


def unavailable(model: str, fault: Exception) -> InputError:
    """Return the error for a model that cannot be loaded, by name or from a folder."""
    return InputError(f"encoder.model: {model!r} cannot be loaded: {fault}")
