"""The door for services: a pipeline from the same configuration that is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rageval.config.compose import compose
from rageval.config.loading import open_pipeline
from rageval.retrieval.pipeline import Ask, Found, Pipeline


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


def pipeline(overrides: Sequence[str], config_dir: Path | None = None) -> Handle:
    """Compose a configuration, index its corpus and return what answers questions.

    `overrides` are those of the command line, `config_dir` is its `--config-dir`.

    Raises
    ------
    InputError
        If the configuration or the corpus is wrong.
    UnreachableError
        If the retriever's backend cannot be reached.
    """
    return Handle(open_pipeline(compose(overrides, config_dir)))
