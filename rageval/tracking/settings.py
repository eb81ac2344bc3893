"""Where results go, and which model of the registry holds the baseline."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from rageval.schema.fields import Flag, Name, Natural, Number, Record


class TrackingConfig(Record):
    """The tracking store."""

    enabled: Flag
    uri: Name | None  # None = MLFLOW_TRACKING_URI, or else sqlite under `root`
    experiment: Name
    root: Name  # folder of the embedded store, and of results that wait to be delivered
    timeout: Annotated[Number, Field(gt=0)] = 20  # seconds that a call of a server may take
    plots: Flag = False  # keep pictures with a run, too; its page draws its own


class HoldoutConfig(Record):
    """How often held-out questions may be scored."""

    budget: Natural  # scorings in a quarter of the year, promotions among them


def _alias(name: str) -> str:
    if not re.fullmatch(r"[\w-]+", name) or name == "latest" or re.fullmatch(r"v\d+", name):
        raise ValueError(
            "must be letters, digits, _ and -, and neither 'latest' nor 'v1' and so on"
        )
    return name


def _model(name: str) -> str:
    if re.search(r"""[/:'"`]""", name):
        raise ValueError("must not hold '/', ':' or quotation marks")
    return name


class RegistryConfig(Record):
    """The registered model and its aliases."""

    model: Annotated[Name, AfterValidator(_model)] | None  # None = rageval-<set>
    alias: Annotated[Name, AfterValidator(_alias)]  # of the baseline
    previous: Annotated[Name, AfterValidator(_alias)]  # of the baseline before it
    allow: tuple[Name, ...]  # what classes of a registered configuration may begin with

    def name(self, dataset: str) -> str:
        """Return the model's name for a set."""
        return self.model or f"rageval-{dataset}"
