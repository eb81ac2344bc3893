"""Commands killed anywhere, and many at once: a sample here, all of it with RAGEVAL_NIGHTLY=1.

`tests/chaos.py` says how to run it by hand.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from postgres import Postgres, programs
from server import Server

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        os.environ.get("RAGEVAL_NIGHTLY") != "1", reason="takes many minutes: RAGEVAL_NIGHTLY=1"
    ),
]

NIGHTLY = os.environ.get("RAGEVAL_NIGHTLY") == "1"
KILLS = "50" if NIGHTLY else "1"
AT_ONCE = ("16", "4", "4", "2") if NIGHTLY else ("3", "2", "2", "1")


def chaos(program, *words):
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "chaos.py"), *words],
        env=program.environment, capture_output=True, text=True, check=False,
        timeout=7200 if NIGHTLY else 600,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_whatever_is_killed_the_next_command_works_and_nothing_is_lost_or_doubled(program):
    code, said = chaos(program, "kills", KILLS)
    assert code == 0, said


def test_many_commands_at_once_lose_double_and_half_promote_nothing(program):
    code, said = chaos(program, "at-once", *AT_ONCE)
    assert (code, "nothing lost, doubled or half promoted" in said) == (0, True), said


def test_the_same_on_a_server_with_postgresql(program, tmp_path):
    if not NIGHTLY:
        pytest.skip("takes minutes: RAGEVAL_NIGHTLY=1 runs it")
    if programs() is None:
        pytest.skip("PostgreSQL is not installed (initdb and pg_ctl)")
    postgres = Postgres(programs())
    try:
        server = Server(tmp_path, postgres.url)
        try:
            code, said = chaos(program, "at-once", *AT_ONCE, server.uri)
        finally:
            server.kill()
    finally:
        postgres.stop()
        shutil.rmtree(postgres.folder, ignore_errors=True)
    assert (code, "nothing lost, doubled or half promoted" in said) == (0, True), said
