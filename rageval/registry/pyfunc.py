"""Loading a registered version: `mlflow.pyfunc.load_model("models:/rageval-handbook@champion")`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rageval.config.restoring import Overrides, restore
from rageval.errors import InputError
from rageval.retrieval.pipeline import Ask, Pipeline
from rageval.tracking.reading import CONFIG


@dataclass(frozen=True)
class Answers:
    """A registered retrieval that answers questions."""

    pipeline: Pipeline

    def predict(
        self,
        model_input: Any,  # noqa: ANN401  whatever MLflow passes on
        params: Any = None,  # noqa: ANN401  part of MLflow's signature
    ) -> list[list[dict[str, Any]]]:
        """Return the window of each question: its chunks, each with document, span, text and score.

        `model_input` is a list of questions, each a string or a mapping with `question`, `asker`
        and `history`, or a data frame with such columns.
        """
        return [
            [asdict(found) for found in self.pipeline.retrieve(ask)] for ask in _asks(model_input)
        ]


def _load_pyfunc(path: str, model_config: Mapping[str, Any] | None = None) -> Answers:
    """Load the retrieval that a version was registered with; MLflow calls this.

    `model_config` may name another `corpus` or `access` path, set `allow_corpus_change` for a
    corpus that lives on, `allow` modules of your own classes, and give the `secrets` of the
    configuration.

    Raises
    ------
    InputError
        If the corpus is missing or not the one that was registered, or a class is not allowed.
    """
    return Answers(restored(path, model_config or {}))


def restored(path: str, settings: Mapping[str, Any]) -> Pipeline:
    """Return the pipeline that a folder of a registered version holds, settings as above."""
    overrides = Overrides(
        corpus=settings.get("corpus"),
        access=settings.get("access"),
        digest=None
        if settings.get("allow_corpus_change")
        else (Path(path) / "corpus.sha256").read_text(),
        allow=tuple(settings.get("allow") or ()),
        secrets=settings.get("secrets") or {},
    )
    return restore((Path(path) / CONFIG).read_text(), overrides)


def _asks(model_input: Any) -> list[Ask]:  # noqa: ANN401  what MLflow passes on
    rows = model_input.to_dict("records") if hasattr(model_input, "columns") else model_input
    return [_ask(row) for row in ([rows] if isinstance(rows, str | Mapping) else rows)]


def _ask(row: str | Mapping[str, Any]) -> Ask:
    if isinstance(row, str):
        return Ask(row)
    given = {key: value for key, value in row.items() if not _absent(value)}
    if not isinstance(given.get("question"), str):
        raise InputError(f"a question must be text, or a mapping with 'question': got {row!r}")
    history: Sequence[str] = given.get("history", ())
    return Ask(given["question"], given.get("asker") or None, tuple(history))


def _absent(cell: object) -> bool:
    """Say whether a cell is empty: a data frame fills what a row does not have with NaN."""
    return cell is None or (isinstance(cell, float) and math.isnan(cell))
