"""What went wrong with a store, in the words that say whose turn it is."""

from __future__ import annotations

import errno
import re

from rageval.errors import UnreachableError
from rageval.escaping.redaction import without_accounts

# What a store that answers may say; anything else is a store that does not work.
ANSWERS = {
    "RESOURCE_DOES_NOT_EXIST", "RESOURCE_ALREADY_EXISTS", "RESOURCE_CONFLICT", "NOT_FOUND",
    "INVALID_PARAMETER_VALUE", "INVALID_STATE", "BAD_REQUEST", "ALREADY_EXISTS",
}  # fmt: skip
NO_ACCESS = {"PERMISSION_DENIED", "UNAUTHENTICATED", "CUSTOMER_UNAUTHORIZED"}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)
_LONGEST = 300  # characters of what a store says
_CREDENTIALS = (
    "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN, say who asks"
)


class TrackingError(UnreachableError):
    """The tracking store does not answer, or refuses what it is asked for."""

    refused: bool = False  # it answered: what was asked is wrong, and not the store away


def tracking_error(shown: str, fault: BaseException, doing: str = "") -> TrackingError:
    """Return the error for a call of a store that failed.

    `shown` is the store's address as a user may see it; `doing` is what it was asked to do, as an
    infinitive: "to finish run …".
    """
    code = getattr(fault, "error_code", None)
    asked = f", asked {doing}" if doing else ""
    if isinstance(fault, TrackingError):
        return fault
    if code in NO_ACCESS:
        told = f"refuses access{asked}: {first_line(fault)}; {_CREDENTIALS}"
    elif code in ANSWERS:
        told = f"refuses {doing or 'what it was asked'}: {first_line(fault)}"
    elif isinstance(fault, OSError) and fault.errno in _NO_ROOM:
        told = f"cannot be written{asked}: {fault.strerror}"
    else:
        away = "cannot be used" if shown.startswith("sqlite:") else "does not answer"
        told = f"{away}{asked}: {first_line(fault)}"
    found = TrackingError(f"tracking store {shown} {told}")
    found.refused = code in ANSWERS
    return found


def first_line(fault: BaseException) -> str:
    r"""Return the first line of what a fault says, or its kind; pages of a web server are cut.

    Examples
    --------
    >>> first_line(ValueError("one\ntwo")), first_line(KeyError())
    ('one', 'KeyError')
    """
    text = without_accounts(str(fault).strip()) or type(fault).__name__
    # SQLAlchemy says first in which of its steps something happened, and then what.
    said = [row for row in text.splitlines() if "Query-invoked autoflush" not in row] or [text]
    line = re.sub(r"\s+", " ", said[0])
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
