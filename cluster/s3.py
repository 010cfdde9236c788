"""An S3 server in memory, moto's, that can be made to fail.

POST a JSON object to ``/cardlog-faults``: ``refuse`` is the share of requests answered with 503 SlowDown, ``cut``
the share of connections that are cut instead, and ``cut_after`` of those that are cut once the request was
carried out.
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

StartResponse = Callable[..., Any]


class Faulty:
    """A WSGI application that passes requests on to another, or fails."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._faults: dict[str, float] = {}
        self._rng = random.Random(0)

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request, or fail."""
        if environ["PATH_INFO"] == CONTROL:
            return self._control(environ, start_response)
        if self._rng.random() < self._faults.get("refuse", 0):
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start_response("503 Slow Down", [("Content-Type", "application/xml")])
            return [_SLOW_DOWN]
        if self._rng.random() < self._faults.get("cut", 0):
            return self._cut(environ)
        body: Iterable[bytes] = self._application(environ, start_response)
        if self._rng.random() < self._faults.get("cut_after", 0):
            return self._cut(environ)
        return body

    def _control(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        self._faults = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
        start_response("204 No Content", [])
        return []

    @staticmethod
    def _cut(environ: dict[str, Any]) -> Iterable[bytes]:
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
        raise ConnectionAbortedError("cut on request")


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
