"""What Hydra refuses, in one sentence."""

from __future__ import annotations

import re

from hydra.errors import MissingConfigException

from rageval.errors import InputError


def explained(fault: Exception) -> InputError:
    """Return Hydra's refusal of a command line as a sentence, with the choices where it has them."""
    cause = _deepest(fault)
    if isinstance(cause, MissingConfigException) and cause.options:
        group, _, name = str(cause.missing_cfg_file).rpartition("/")
        return InputError(f"{group}={name}: no such choice; there are: {', '.join(cause.options)}")
    text = re.sub(r"\s+", " ", str(cause)).strip()
    text = text.replace(
        "See https://hydra.cc/docs/1.2/advanced/override_grammar/basic for details", ""
    )
    return InputError(text.strip())


def no_retriever(options: list[str]) -> InputError:
    """Return what to say when no retriever is named."""
    return InputError(f"no retriever named; choose one: +retriever={'|'.join(options)}")


def _deepest(fault: BaseException) -> BaseException:
    while isinstance(fault.__cause__, Exception) and not isinstance(fault, MissingConfigException):
        fault = fault.__cause__
    return fault
