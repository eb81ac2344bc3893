"""A server that speaks the part of Elasticsearch's and OpenSearch's documented REST that we use.

No real one can be installed where these tests run. It keeps documents, evaluates `match`, `terms`,
`exists` and `bool` queries, and scores a match by how often the words of the question occur.
"""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit


def words(text):
    return re.findall(r"\w+", text.lower())


def score(query, source):
    """Return the score of a document, 0 where it does not match."""
    (kind, body), *more = query.items()
    assert not more, f"a query has one clause: {query}"
    if kind == "match":
        (field, value), *_ = body.items()
        asked = value["query"] if isinstance(value, dict) else value
        return float(sum(words(source[field]).count(word) for word in set(words(asked))))
    if kind == "terms":
        (field, values), *_ = body.items()
        held = source.get(field) or []
        return float(bool(set(values) & set(held if isinstance(held, list) else [held])))
    if kind == "exists":
        return float(bool(source.get(body["field"])))
    assert kind == "bool", f"unknown query: {kind}"
    must = [score(part, source) for part in body.get("must", ())]
    fits = all(must) and all(score(part, source) for part in body.get("filter", ()))
    fits = fits and not any(score(part, source) for part in body.get("must_not", ()))
    should = [score(part, source) for part in body.get("should", ())]
    if should and sum(map(bool, should)) < body.get("minimum_should_match", 0):
        fits = False
    return (sum(must) or 1.0) if fits else 0.0


class Engine:
    """Indices by name: documents by id."""

    def __init__(self):
        self.indices, self.requests = {}, []

    def answer(self, method, path, body):
        parts = [unquote(part) for part in path.strip("/").split("/") if part]
        if not parts:
            return 200, {"version": {"number": "8.15.0", "distribution": "test"}}
        name = parts[0]
        if parts[1:] == ["_bulk"]:
            lines = [json.loads(line) for line in body.splitlines() if line]
            for action, source in zip(lines[::2], lines[1::2], strict=True):
                self.indices[name][action["index"]["_id"]] = source
            return 200, {"errors": False, "items": []}
        if method == "PUT":
            self.indices[name] = {}
            return 200, {"acknowledged": True, "index": name}
        if name not in self.indices:
            error = {"type": "index_not_found_exception", "reason": f"no such index [{name}]"}
            return 404, {"error": {**error, "root_cause": [error]}, "status": 404}
        if method == "DELETE":
            del self.indices[name]
        if parts[1:] == ["_search"]:
            return 200, self.searched(name, json.loads(body))
        return 200, {}

    def searched(self, name, asked):
        rows = [
            {"_index": name, "_id": key, "_score": found, "_source": source}
            for key, source in self.indices[name].items()
            if (found := score(asked["query"], source))
        ]
        rows.sort(key=lambda row: -row["_score"])
        return {"hits": {"total": {"value": len(rows)}, "hits": rows[: asked["size"]]}}


@contextmanager
def engine():
    """Serve an engine; yield it with its address."""
    kept = Engine()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self):
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            kept.requests.append((self.command, self.path, body, dict(self.headers)))
            status, content = kept.answer(self.command, urlsplit(self.path).path, body)
            data = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("X-Elastic-Product", "Elasticsearch")
            asked = self.headers.get("accept") or ""
            kind = asked.split(",")[0] if "compatible-with" in asked else "application/json"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield kept, f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
