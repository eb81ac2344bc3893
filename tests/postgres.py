"""A real PostgreSQL server on the loopback interface, with a cluster of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

USER, PASSWORD = "rageval", "s3cret"


def programs():
    """Return the folder of initdb and pg_ctl, or None."""
    places = [Path(p) for p in os.environ.get("PATH", "").split(os.pathsep)]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((p for p in places if (p / "initdb").exists() and (p / "pg_ctl").exists()), None)


class Postgres:
    """A cluster in a temporary folder; as root it is run by the user `postgres`."""

    def __init__(self, bin_folder):
        self.bin = bin_folder
        self.folder = Path(tempfile.mkdtemp(prefix="rageval-postgres-"))
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres", "postgres")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        word = self.folder / "password"
        word.write_text(PASSWORD)
        word.chmod(0o644)
        self._run("initdb", "-D", self.data, "-U", USER, "--auth=scram-sha-256",
                  f"--pwfile={word}", "-E", "UTF8")  # fmt: skip
        self.start()

    @property
    def data(self):
        return str(self.folder / "data")

    @property
    def url(self):
        return f"postgresql+psycopg://{USER}:{PASSWORD}@127.0.0.1:{self.port}/postgres"

    def start(self):
        listen = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder}"
        self._run("pg_ctl", "-D", self.data, "-w", "-o", listen, "-l",
                  str(self.folder / "log"), "start")  # fmt: skip

    def stop(self):
        self._run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")

    def _run(self, program, *words):
        command = [str(self.bin / program), *words]
        if os.getuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, capture_output=True, cwd="/")
