"""`mine review=true`: candidates are judged in a page on this machine."""

from __future__ import annotations

import secrets
import webbrowser
from functools import cache
from pathlib import Path

from rich.console import Console

from rageval.cli.commands.pooling import pipelines
from rageval.config.commands import MineConfig
from rageval.config.loading import load
from rageval.config.next_command import next_command
from rageval.mining.cases import Cases
from rageval.mining.pool import Suggestion, pooled
from rageval.report import console
from rageval.retrieval.pipeline import Ask, Pipeline
from rageval.review.server import open_page
from rageval.review.session import Session


def review(config: MineConfig, target: Console) -> int:
    """Show the page until it is ended, and return the exit code.

    Raises
    ------
    InputError
        If the file of candidates is none, or the port is taken.
    """
    dataset = load(config.dataset)
    path = Path(config.candidates)
    before = Cases.read(path, dataset.golden.name)
    if not before.cases:
        target.print(f"{path}: there is nothing to judge")
        console.say(
            target, "next: python -m rageval mine --help   to see how to read a question log"
        )
        return 0

    @cache
    def made() -> dict[str, Pipeline]:  # when somebody searches, and once
        return pipelines(config, dataset)

    def search(words: str, asker: str | None) -> list[Suggestion]:
        return pooled([Ask(words, asker)], made())[0]

    session = Session(path, dataset.golden.name, dataset.corpus, dataset.access, search)
    page = open_page(session, config.port, secrets.token_urlsafe(16))
    target.print(f"{len(before.todo)} of {len(before.cases)} cases to judge: {page.address}")
    target.print("q in the page or Ctrl-C here ends it")
    if config.open and target.is_terminal:
        webbrowser.open(page.address)
    try:
        page.run()
    except KeyboardInterrupt:
        target.print()
    left = len(Cases.read(path, dataset.golden.name).todo)
    target.print(f"{len(before.todo) - left} judged, {left} to judge")
    merge = next_command("mine", "merge=true")
    console.say(target, f"next: {merge}   adds the judged ones to the set")
    return 0
