"""An S3 server in memory, moto's, that can be made to fail.

POST a JSON object to ``/cardlog-faults``: ``refuse`` is the share of requests answered with 503 SlowDown, ``cut``
that of connections cut instead of an answer, and ``cut_after`` of those cut once the request was carried out.
"""

import json
import random
import socket
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, run_simple

from cluster.machines import CONTROL

_SLOW_DOWN: Final = (
    b'<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your rate</Message></Error>'
)

Answer = Callable[..., Any]


class Faulty:
    """A WSGI application that passes requests on to another, or fails."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._faults: dict[str, float] = {}
        self._chance = random.Random(0)

    def __call__(self, environ: dict[str, Any], answer: Answer) -> Iterable[bytes]:
        """Answer a request, or fail."""
        if environ["PATH_INFO"] == CONTROL:
            return self._control(environ, answer)
        if self._chance.random() < self._faults.get("refuse", 0):
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            answer("503 Slow Down", [("Content-Type", "application/xml")])
            return [_SLOW_DOWN]
        if self._chance.random() < self._faults.get("cut", 0):
            return self._cut(environ)
        found = self._application(environ, answer)
        if self._chance.random() < self._faults.get("cut_after", 0):
            return self._cut(environ)
        return found

    def _control(self, environ: dict[str, Any], answer: Answer) -> Iterable[bytes]:
        self._faults = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        answer("204 No Content", [])
        return []

    @staticmethod
    def _cut(environ: dict[str, Any]) -> Iterable[bytes]:
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        raise ConnectionAbortedError("cut, as it was asked for")


class _Silent(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        pass


def main(host: str, port: str) -> None:
    """Serve for ever."""
    application = Faulty(DomainDispatcherApplication(create_backend_app))
    run_simple(host, int(port), application, threaded=True, request_handler=_Silent)


if __name__ == "__main__":
    main(*sys.argv[1:])
