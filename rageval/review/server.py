"""The page's server: on this machine alone, and only for who holds its token."""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable
from dataclasses import dataclass

from flask import Flask, Response, abort, jsonify, render_template, request
from pydantic import ValidationError
from werkzeug.exceptions import HTTPException
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from rageval.errors import InputError, UnreachableError
from rageval.escaping.redaction import without_accounts
from rageval.review.decision import Decision
from rageval.review.session import Session
from rageval.schema.validation import sentences

_HERE = "127.0.0.1"
_GUARDS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",  # the address holds the token; `token=` would be redacted
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


class _Quiet(WSGIRequestHandler):
    """Answers without a line for each call: the terminal is for what is meant for the user."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Page:
    """A server that is ready to run."""

    server: BaseWSGIServer
    token: str

    @property
    def address(self) -> str:
        """Return what to open in a browser."""
        return f"http://{_HERE}:{self.server.server_port}/?review={self.token}"

    def run(self) -> None:
        """Answer until somebody ends it: `q` in the page, or Ctrl-C."""
        self.server.serve_forever()

    def end(self) -> None:
        """Stop answering."""
        self.server.shutdown()


def open_page(session: Session, port: int, token: str) -> Page:
    """Return the page of a session on a port of this machine; 0 = any that is free.

    Raises
    ------
    InputError
        If the port is taken.
    """
    ended: list[Callable[[], None]] = []
    app = application(session, token, lambda: threading.Thread(target=ended[0]).start())
    try:
        server = make_server(_HERE, port, app, request_handler=_Quiet)
    except (OSError, SystemExit) as fault:  # werkzeug leaves the program where a port is taken
        raise InputError(f"port: {port} cannot be used on {_HERE}: is it taken?") from fault
    ended.append(server.shutdown)
    return Page(server, token)


def application(session: Session, token: str, end: Callable[[], None]) -> Flask:
    """Return the routes of a session, each closed to who does not hold the token."""
    app, routes = Flask("rageval.review"), _Routes(session, token, end)
    app.before_request(routes.allow)
    app.after_request(_guarded)
    app.register_error_handler(InputError, _wrong)
    app.register_error_handler(UnreachableError, _wrong)
    app.register_error_handler(ValidationError, _invalid)
    app.register_error_handler(Exception, _failed)
    for rule, method, answer in (
        ("/", "GET", routes.page),
        ("/cases", "GET", routes.cases),
        ("/cases/<name>", "GET", routes.case),
        ("/cases/<name>", "POST", routes.decide),
        ("/cases/<name>/search", "GET", routes.search),
        ("/documents/<path:name>", "GET", routes.document),
        ("/end", "POST", routes.finish),
    ):
        app.add_url_rule(rule, answer.__name__, answer, methods=[method])
    return app


@dataclass(frozen=True)
class _Routes:
    """What each address answers."""

    session: Session
    token: str
    end: Callable[[], None]

    def allow(self) -> None:
        """Refuse who does not hold the token, or came by another name of this machine.

        Other pages in the same browser can reach this address, too; the token they do not know.
        """
        given = request.headers.get("X-Token") or request.args.get("review", "")
        if request.host.partition(":")[0] not in (_HERE, "localhost"):
            abort(403)
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            abort(403)

    def page(self) -> str:
        """Return the page itself."""
        return render_template("review.html.j2", name=self.session.name, token=self.token)

    def cases(self) -> Response:
        """Return all cases in short."""
        return jsonify(self.session.overview())

    def case(self, name: str) -> Response:
        """Return a case with its suggestions."""
        return jsonify(self.session.case(name))

    def search(self, name: str) -> Response:
        """Return what the pool finds for other words."""
        return jsonify(self.session.found(request.args.get("words", ""), name))

    def decide(self, name: str) -> Response:
        """Write a judgement and return the case as it is now."""
        self.session.decide(name, Decision.model_validate_json(request.get_data()))
        return jsonify(self.session.case(name))

    def document(self, name: str) -> Response:
        """Return a document in passages."""
        return jsonify(self.session.document(name))

    def finish(self) -> Response:
        """End the server, after this answer."""
        self.end()
        return jsonify(ended=True)


def _wrong(fault: Exception) -> tuple[Response, int]:
    return jsonify(faults=str(fault).splitlines()), 400


def _failed(fault: Exception) -> HTTPException | tuple[Response, int]:
    """Name what a retriever or the disk raised; the page goes on."""
    if isinstance(fault, HTTPException):
        return fault
    return jsonify(faults=[without_accounts(f"{type(fault).__name__}: {fault}")]), 400


def _invalid(fault: ValidationError) -> tuple[Response, int]:
    return jsonify(faults=list(sentences(fault, "judgement", Decision))), 400


def _guarded(answer: Response) -> Response:
    """Let a browser load, frame, keep and pass on nothing of the page."""
    answer.headers.update(_GUARDS)
    return answer
