"""The GitHub Action and the GitLab template: verdict, summary, and one comment, kept up to date."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[1]
SETTINGS = "+retriever=bm25 latency.sample=0 threshold=handbook"


def shell(lines, folder, program, **environment):
    path = f"{folder}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-e", "-c", lines],
        cwd=folder,
        env={**program.environment, "PATH": path, **environment},
        capture_output=True,
        text=True,
    )


# GitHub's own client, as far as the action uses it: comments in a file, calls noted.
GH = """#!/usr/bin/env python
import json, pathlib, sys
store = pathlib.Path("comments.json")
comments = json.loads(store.read_text()) if store.exists() else []
words = sys.argv[2:]
if "--jq" in words:
    mark = words[words.index("--jq") + 1].split('"')[1]
    print("\\n".join(str(c["id"]) for c in comments if c["body"].startswith(mark)))
    sys.exit()
body = pathlib.Path(words[words.index("-F") + 1].partition("@")[2]).read_text()
method = words[words.index("--method") + 1]
if method == "POST":
    comments.append({"id": len(comments) + 1, "body": body})
else:
    number = int(words[words.index("--method") + 2].rpartition("/")[2])
    next(c for c in comments if c["id"] == number)["body"] = body
store.write_text(json.dumps(comments))
"""


def test_the_action_gates_and_keeps_one_comment(tmp_path, program):
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"][1:]
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "comments.json").write_text('[{"id": 1, "body": "A person says something."}]')
    known = {
        "SETTINGS": SETTINGS, "BASELINE": "baseline.json", "PULL": "7", "GH_TOKEN": "t",
        "GITHUB_REPOSITORY": "o/r", "GITHUB_STEP_SUMMARY": "summary.md",
    }  # fmt: skip
    for floor in ("0.1", "0.99"):
        settings = f"{SETTINGS} threshold.floors.all.recall={floor}"
        codes = [
            shell(step["run"], tmp_path, program, **{**known, "SETTINGS": settings}).returncode
            for step in steps
        ]
        assert codes == [0 if floor == "0.1" else 1, 0, 0]
    person, ours = json.loads((tmp_path / "comments.json").read_text())
    assert person["body"] == "A person says something."
    assert ours["body"].startswith("<!-- rageval -->\n### ❌ gate FAILED")
    summary = (tmp_path / "summary.md").read_text()
    assert "gate PASSED" in summary
    assert "gate FAILED" in summary


class Notes(BaseHTTPRequestHandler):
    """The notes of a merge request, as GitLab's API has them."""

    def do_GET(self):
        self.answer(self.server.notes)

    def do_POST(self):
        self.server.notes.append({"id": 9, "body": self.body()})
        self.answer({})

    def do_PUT(self):
        number = int(self.path.rpartition("/")[2])
        next(n for n in self.server.notes if n["id"] == number)["body"] = self.body()
        self.answer({})

    def body(self):
        content = self.rfile.read(int(self.headers["Content-Length"])).decode()
        return content.partition("\r\n\r\n")[2].rpartition("\r\n--")[0]

    def answer(self, found):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(found).encode())

    def log_message(self, *args):
        pass


def test_the_template_gates_and_keeps_one_note(tmp_path, program):
    job = yaml.safe_load((ROOT / "examples/ci/rageval.gitlab-ci.yml").read_text())[".rageval"]
    server = ThreadingHTTPServer(("127.0.0.1", 0), Notes)
    server.notes = [{"id": 1, "body": "A person says something."}]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    known = {
        **job["variables"], "RAGEVAL_TOKEN": "t", "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "3",
        "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}", "no_proxy": "127.0.0.1",
    }  # fmt: skip
    try:
        for floor, code in (("0.1", 0), ("0.99", 1)):
            known["RAGEVAL_SETTINGS"] = f"{SETTINGS} threshold.floors.all.recall={floor}"
            done = shell("\n".join(job["script"]), tmp_path, program, **known)
            assert done.returncode == code, done
            done = shell("\n".join(job["after_script"]), tmp_path, program, **known)
            assert done.returncode == 0, done
    finally:
        server.shutdown()
        server.server_close()
    person, ours = server.notes
    assert person["body"] == "A person says something."
    assert ours["body"].startswith("<!-- rageval -->\n### ❌ gate FAILED")
    assert (tmp_path / job["artifacts"]["reports"]["junit"]).exists()
