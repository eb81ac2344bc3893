"""A guard before a server: it asks for a name and a password, and passes everything else on."""

import base64
import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Guard:
    """HTTP basic authentication before another port of this machine."""

    def __init__(self, port, user, password):
        expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.asked = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _pass_on(handler):
                self.asked.append(handler.path)
                body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
                if handler.headers.get("Authorization") != expected:
                    return handler._answer(401, {}, b"who are you?")
                inner = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                kept = {k: v for k, v in handler.headers.items() if k.lower() != "host"}
                inner.request(handler.command, handler.path, body, kept)
                answer = inner.getresponse()
                content = answer.read()
                inner.close()
                return handler._answer(answer.status, dict(answer.getheaders()), content)

            def _answer(handler, status, headers, content):
                handler.send_response(status)
                for name, value in headers.items():
                    if name.lower() not in {"content-length", "transfer-encoding", "connection"}:
                        handler.send_header(name, value)
                handler.send_header("Content-Length", str(len(content)))
                handler.end_headers()
                if handler.command != "HEAD":
                    handler.wfile.write(content)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _pass_on

            def log_message(handler, *words):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        """Stop."""
        self.server.shutdown()
        self.server.server_close()
