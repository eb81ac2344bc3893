"""A real MLflow server on the loopback interface, that can be killed and started again."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request

PATIENCE = 60  # seconds until it must be healthy


class Server:
    """`mlflow server` with a database of its own; artifacts go through it."""

    def __init__(self, folder, database=None):
        self.folder = folder
        self.database = database or f"sqlite:///{folder / 'server.db'}"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.uri = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        """Start it and wait until it is healthy."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
        quiet = {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false", "MLFLOW_DISABLE_TELEMETRY": "true"}
        with (self.folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable, "-m", "mlflow", "server", "--host", "127.0.0.1",
                    "--port", str(self.port), "--workers", "1",
                    "--backend-store-uri", self.database,
                    "--artifacts-destination", str(self.folder / "artifacts"),
                ],
                env={**clean, **quiet}, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not self.healthy():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self.folder / "server.log").read_text()[-2000:])
            time.sleep(0.2)

    def healthy(self):
        """Say whether it answers."""
        try:
            with urllib.request.urlopen(f"{self.uri}/health", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def kill(self):
        """End it at once, with what it started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def age(self, model):
        """Let a registered model be as old as one can be."""
        with sqlite3.connect(self.folder / "server.db") as base:
            base.execute(
                "UPDATE registered_models SET creation_time = 0, last_updated_time = 0 "
                "WHERE name = ?",
                [model],
            )
        base.close()
