"""A proxy before a real server, which misbehaves from a certain request on."""

import contextlib
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

MODES = ("hang", "500", "503 later", "403", "rubbish", "other json", "half", "drip")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def _answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = self._chunks()
        proxy = self.server.proxy
        proxy.asked.append(self.path)
        if proxy.mode and proxy.matches(self.path):
            proxy.tripped = True
        if proxy.tripped:
            self.close_connection = True
            getattr(self, "_" + proxy.mode.replace(" ", "_"))(body)
        else:
            self._pass(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

    def _chunks(self):
        found = b""
        while size := int(self.rfile.readline(), 16):
            found += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return found

    def _asked(self, body):
        """Let the real server answer."""
        real = http.client.HTTPConnection(self.server.proxy.host, timeout=30)
        hop = {"host", "connection", "transfer-encoding", "content-length", "accept-encoding"}
        headers = {k: v for k, v in self.headers.items() if k.lower() not in hop}
        real.request(self.command, self.path, body=body or None, headers=headers)
        answer = real.getresponse()
        content = answer.read()
        real.close()
        return answer.status, answer.headers.get("Content-Type", ""), content

    def _send(self, status, kind, content, promised=None, headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content) if promised is None else promised))
        for key, value in headers:
            self.send_header(key, value)
        self.end_headers()
        with contextlib.suppress(OSError):  # it did not wait
            self.wfile.write(content)

    def _pass(self, body):
        self._send(*self._asked(body))

    def _hang(self, body):
        self.server.proxy.over.wait(120)

    def _drip(self, body):
        """Answer a byte a second: the socket is never silent for long."""
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        with contextlib.suppress(OSError):
            while not self.server.proxy.over.wait(0.5):
                self.wfile.write(b" ")
                self.wfile.flush()

    def _500(self, body):
        self._send(500, "text/html", b"<html>it broke</html>")

    def _503_later(self, body):
        self._send(503, "text/plain", b"later", headers=[("Retry-After", "3600")])

    def _403(self, body):
        self._send(403, "text/html", b"<html>not you</html>")

    def _rubbish(self, body):
        self._send(200, "application/json", b"\x00\xff<rubbish")

    def _other_json(self, body):
        self._send(200, "application/json", b'{"experiment": {}, "run": 3, "runs": "x"}')

    def _half(self, body):
        """Do what is asked, and lose half of the answer."""
        status, kind, content = self._asked(body)
        self._send(status, kind, content[: len(content) // 2], promised=len(content) + 100)

    def log_message(self, *words):
        pass


class Proxy:
    """Where it listens, and how it misbehaves."""

    def __init__(self, uri):
        self.host = urlsplit(uri).netloc
        self.mode, self.tripped, self.asked = "", False, []
        self.matches = lambda path: False
        self.over = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.server.daemon_threads = True
        self.server.proxy = self
        self.uri = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def misbehave(self, mode, part=""):
        """Misbehave from the first request on whose path holds that part."""
        self.mode, self.tripped = mode, False
        self.over.clear()
        self.matches = lambda path: part in path

    def behave(self):
        """Pass on everything again."""
        self.mode, self.tripped = "", False
        self.over.set()

    def close(self):
        self.behave()
        self.server.shutdown()
        self.server.server_close()
