"""Words that begin with a dash: which ones there are, and what else was meant by another."""

from __future__ import annotations

from collections.abc import Sequence

from rageval.errors import InputError

_ALONE = frozenset(
    {"--help", "-h", "--hydra-help", "--version", "--resolve", "--run", "-r", "--multirun", "-m",
     "--shell-completion", "-sc"}
)  # fmt: skip
_WITH_VALUE = frozenset(
    {"--cfg", "-c", "--package", "-p", "--config-path", "-cp", "--config-name", "-cn",
     "--config-dir", "-cd", "--experimental-rerun", "--info", "-i"}
)  # fmt: skip
_CHOICES = {
    **dict.fromkeys(("--cfg", "-c"), ("job", "hydra", "all")),
    **dict.fromkeys(
        ("--info", "-i"), ("all", "config", "defaults", "defaults-tree", "plugins", "searchpath")
    ),
}


def require_options(words: Sequence[str]) -> None:
    """Make sure that every option is one of Hydra's or ours, with a value where it takes one.

    Raises
    ------
    InputError
        If an option is unknown; a setting typed as one is shown as it should be typed.
    """
    left = list(words)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if not word.startswith("-") or (name in _ALONE and not equals):
            continue
        if name not in _WITH_VALUE:
            raise InputError(_unknown(word, left))
        if not equals:
            value = left.pop(0) if left and not left[0].startswith("-") else ""
        _require_value(name, value)


def options_first(words: Sequence[str]) -> list[str]:
    """Return the words with options before settings, wherever they were typed.

    Hydra's parser wants the settings in one piece.

    Examples
    --------
    >>> options_first(["dataset.name=faq", "-cd", "conf", "gate.run=x", "--cfg=job"])
    ['-cd', 'conf', '--cfg=job', 'dataset.name=faq', 'gate.run=x']
    """
    left, options, settings = list(words), list[str](), list[str]()
    while left:
        word = left.pop(0)
        if not word.startswith("-"):
            settings.append(word)
            continue
        options.append(word)
        if word in _WITH_VALUE and left and not left[0].startswith("-"):
            options.append(left.pop(0))
    return [*options, *settings]


def _require_value(name: str, value: str) -> None:
    choices = _CHOICES.get(name, ())
    if not value and name not in ("--info", "-i"):
        raise InputError(f"{name} takes a value: {name} {choices[0] if choices else '…'}")
    if value and choices and value not in choices:
        raise InputError(f"{name} {value}: choose from: {', '.join(choices)}")


def _unknown(word: str, left: Sequence[str]) -> str:
    """Return what to say of an unknown option: a setting is typed without dashes."""
    name, equals, value = word.lstrip("-").partition("=")
    if not equals and left and not left[0].startswith("-") and "=" not in left[0]:
        value = left[0]
    if name.replace(".", "").replace("_", "").isalnum() and not name[:1].isdigit():
        return f"{word}: unknown option; settings are typed as KEY=VALUE: {name}={value or '…'}"
    return f"{word}: unknown option; settings are typed as KEY=VALUE"
