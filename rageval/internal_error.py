"""A bug of ours: one sentence for the user, and a report file for the person who fixes it."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from rageval.escaping.redaction import without_accounts
from rageval.version import __version__

INTERNAL_ERROR = 70  # the exit code; never 1, which is a failed gate


def reported(fault: BaseException, words: Sequence[str]) -> str:
    """Write a report to the working folder, or else to the temporary one.

    Parameters
    ----------
    fault
        What was raised.
    words
        The command line. Secrets in it, and in the traceback, are left out.

    Returns
    -------
    str
        A sentence that names the report.
    """
    kind = type(fault).__name__
    trace = "".join(traceback.format_exception(fault))
    content = f"rageval {__version__}, Python {sys.version}\n{shlex.join(words)}\n\n{trace}"
    name = f"rageval-error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    for folder in (Path.cwd(), Path(tempfile.gettempdir())):
        try:
            (folder / name).write_text(without_accounts(content), encoding="utf-8")
        except OSError:
            continue
        return f"internal error ({kind}): a bug in rageval; the report is in {folder / name}"
    return f"internal error ({kind}): a bug in rageval; no report could be written"
