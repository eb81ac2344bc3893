"""For services: a pipeline from the configuration that was evaluated, or from the registry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rageval.config.compose import compose
from rageval.config.loading import open_pipeline
from rageval.errors import InputError
from rageval.registry.loading import load
from rageval.retrieval.pipeline import Ask, Found, Pipeline

_MODELS = "models:/"


@dataclass(frozen=True)
class Handle:
    """A pipeline that is ready to be asked."""

    pipeline: Pipeline

    def retrieve(
        self, question: str, asker: str | None = None, history: Sequence[str] = ()
    ) -> list[Found]:
        """Return the window for one question: at most k chunks, best first.

        Raises
        ------
        InputError
            If the asker is unknown.
        RuntimeError
            If the retriever fails on this question.
        """
        return self.pipeline.retrieve(Ask(question, asker, tuple(history)))


def pipeline(
    source: str | Sequence[str],
    config_dir: Path | None = None,
    tracking_uri: str | None = None,
    **settings: Any,  # noqa: ANN401  what MLflow calls model_config
) -> Handle:
    """Return what answers questions: a registered version, or a configuration, with its index.

    Parameters
    ----------
    source
        `models:/NAME@ALIAS` or `models:/NAME/VERSION`, or the overrides of a command line.
    config_dir
        The `--config-dir` of the command line; of overrides alone.
    tracking_uri
        Address of the registry; None = MLFLOW_TRACKING_URI, or else the store under mlruns/.
    settings
        Of a registered version: another `corpus` or `access` path, `allow_corpus_change`, `allow`
        for modules of your own classes, and `secrets`.

    Raises
    ------
    InputError
        If the configuration, the version or the corpus is wrong.
    UnreachableError
        If the retriever's backend or the registry cannot be reached.
    """
    if isinstance(source, str):
        if not source.startswith(_MODELS):
            raise InputError(f"{source!r} is neither {_MODELS}NAME@ALIAS nor a list of overrides")
        return Handle(load(source, settings, tracking_uri))
    if settings:
        raise InputError(f"{next(iter(settings))}: it is a setting of a registered version alone")
    return Handle(open_pipeline(compose(source, config_dir)))
