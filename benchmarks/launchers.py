"""What handing cells out costs: trivial cells of the sample, each command a process of its own.

Starts a Ray cluster of two nodes on this machine. Where hydra-ray-launcher is installed it is timed
too, with the key set to null that keeps it from an existing cluster.

    python -m benchmarks.launchers --cells 3 24 48
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_THEIRS = """\
_target_: hydra_plugins.hydra_ray_launcher.ray_launcher.RayLauncher
ray:
  init: {{address: "{address}", object_store_memory: null, log_to_driver: false}}
  remote: {{num_cpus: 1}}
"""


def main() -> None:
    """Print seconds by launcher and number of cells."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, nargs="+", default=[3, 24, 48])
    cells = parser.parse_args().cells
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, words in _launchers(cluster.address, Path(folder)).items():
                taken = [_seconds(words, count, Path(folder)) for count in cells]
                print(f"{name:<28}", *(f"{seconds:6.1f} s" for seconds in taken))
    finally:
        cluster.shutdown()


def _launchers(address: str, folder: Path) -> dict[str, list[str]]:
    found = {
        "rageval": ["hydra/launcher=rageval"],
        "joblib, 2 processes": ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2"],
        "ray, 2 nodes": ["hydra/launcher=ray", f"hydra.launcher.address={address}"],
    }
    if importlib.util.find_spec("hydra_plugins.hydra_ray_launcher"):
        place = folder / "conf" / "hydra" / "launcher"
        place.mkdir(parents=True)
        (place / "theirs.yaml").write_text(_THEIRS.format(address=address))
        found["hydra-ray-launcher"] = [f"--config-dir={folder / 'conf'}", "hydra/launcher=theirs"]
    return found


def _seconds(words: list[str], cells: int, folder: Path) -> float:
    sweep = ["-m", *words, "+retriever=bm25", f"window.k=range(1,{cells + 1})"]
    command = [sys.executable, "-m", "rageval", *sweep, "latency.sample=0", "tracking=off"]
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if f"{cells} cells: {cells} done" not in done.stdout:
        raise SystemExit(f"{' '.join(words)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
