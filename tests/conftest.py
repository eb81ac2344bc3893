"""What several tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def realdata() -> Path:
    """The folder of the public collections; a test that needs it is skipped without."""
    folder = os.environ.get("RAGEVAL_TEST_DATA")
    if not folder:
        pytest.skip("RAGEVAL_TEST_DATA does not name the folder of the public collections")
    return Path(folder)
