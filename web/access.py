"""Access control: the server answers the browser that opened the printed address, and no other site's page.

Every program on this machine can reach a loopback port, and so can any web page that a browser here shows. So
each request needs the token of the printed address, which becomes a cookie; ``Host`` must be an address of
this server, which prevents DNS rebinding; and ``Origin``, if the browser sends it, must be this server.
Behind a tunnel or a proxy, the user names the addresses that browsers see. The key of a seat at a table opens
that table and nothing else.
"""

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple, Self
from urllib.parse import quote, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect, WebSocketDisconnected

from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.text.texts import chosen, language
from cardlog.schemas.errors import CardlogError
from cardlog.web.pages import page

TOKEN: Final = "token"
"""The parameter of the printed address."""
JOIN: Final = "/join/"
"""Prefix of a friend's link to a table, which contains a key."""
SAFE_METHODS: Final = ("GET", "HEAD")
MOST_BODY: Final = 2**20
"""Bytes of a request's body; larger ones are refused."""
REFUSED: Final = 1008
"""Close code of a websocket that is refused."""
NOT_ALLOWED: Final = 4401
"""Close code of a table's websocket for those who have neither token nor seat. The websocket is accepted
first: otherwise the browser does not get the code."""
HEALTH: Final = "/health"
"""The address at which a monitor asks whether the server works, without a token and by any name."""
IS_HOST: Final = "cardlog.is_host"
"""Key in a request's scope: whether the request has the site's token."""
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every response."""
GONE: Final = (ClientDisconnect, WebSocketDisconnect, WebSocketDisconnected)
"""Raised when the client has disconnected, which is no error: there is nobody left to answer."""
KEY: Final = "share-key"
"""The file with the key that signs links, in the folder of the tables."""

Admits = Callable[[Mapping[str, str], str], Awaitable[bool]]


class BadOrigin(CardlogError):
    """An origin can't be understood; the text is for the user."""


class Origin(NamedTuple):
    """The beginning of an address as a browser sees it, without the path."""

    scheme: str
    name: str
    port: int

    @classmethod
    def of(cls, text: str) -> Self:
        """The origin in a text such as ``https://cards.example``, as browsers write it. Raises BadOrigin."""
        match = _ORIGIN.fullmatch(text)
        try:
            scheme, name, port = match.groups() if match else ("", "", "")
            scheme, name = scheme.lower(), name.encode("idna").decode().lower()
            if name.startswith("["):
                name = str(ipaddress.IPv6Address(name[1:-1]))
            port = int(port or DEFAULT_PORTS[scheme])
        except (KeyError, ValueError):
            port = 0
        if not 0 < port < 2**16:
            raise BadOrigin(
                f"{text}: an origin is http:// or https://, a host and, if it is not the usual one, a port, "
                "such as https://cards.example or http://localhost:9000"
            )
        return cls(scheme, name, port)

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}"

    @property
    def host(self) -> str:
        """What a browser sends as ``Host``."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return name if self.port == DEFAULT_PORTS[self.scheme] else f"{name}:{self.port}"


DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_ORIGIN: Final = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[^][:/?#@*\\\s]+)(?::([0-9]{1,5}))?", re.IGNORECASE)


@dataclass(frozen=True)
class Access:
    """What a request must have.

    host
        Where the server listens, as given by the user.
    origins
        What browsers see as the server's address where that is another one: behind a tunnel, a proxy or a
        mapped port, or by a name.
    """

    host: str
    port: int
    origins: tuple[Origin, ...] = ()
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def cookie(self) -> str:
        """Name of the cookie. Servers at other ports of this machine get it too, so they need other names."""
        return f"cardlog-{self.origins[0].port if self.origins else self.port}"

    @property
    def address(self) -> str:
        """The address to open."""
        name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        origin = self.origins[0] if self.origins else Origin("http", name, self.port)
        return f"{origin}/?{urlencode({TOKEN: self.token})}"

    def origins_for(self, host: str) -> list[Origin]:
        """The origins that a page of this server can have if a request has this ``Host``, the most probable
        first; none if ``Host`` is not this server.

        A proxy may send its own address instead of the browser's, so a named origin may come with a loopback
        ``Host``.
        """
        own = _parsed(f"http://{host}")
        if own is None:
            return []
        named = [origin for origin in self.origins if origin in (own, _parsed(f"https://{host}"))]
        if not self._is_own(own):
            return named
        named = named or list(self.origins)
        return [*named, own] if _is_loopback(own.name) else [own, *named]

    def _is_own(self, origin: Origin) -> bool:
        """Whether it is where the server listens: its port, and a name that no other site can make point
        here."""
        if origin.port != self.port:
            return False
        if origin.name in {self.host.lower(), "localhost", "127.0.0.1", "::1"}:
            return True
        is_any = self.host in ("0.0.0.0", "::")
        return is_any and bool(_ip_address(origin.name) or origin.name == socket.gethostname().lower())

    def is_token(self, token: str) -> bool:
        """Whether a token is the right one, compared in constant time."""
        return hmac.compare_digest(token.encode(), self.token.encode())


def _ip_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, which needs no name server that could lie; None for a name."""
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_loopback(name: str) -> bool:
    """Whether a host is this machine and no other, so that a link to it is of no use elsewhere."""
    address = _ip_address(name)
    return name == "localhost" if address is None else address.is_loopback


class Guard:
    """Middleware that lets through what `Access` allows, sets the language, and adds `HEADERS` to every
    response.

    admits
        ``admits(cookies, path)`` says whether a client without the token may open an address.
    """

    def __init__(self, app: ASGIApp, access: Access, admits: Admits) -> None:
        self._app, self._access, self._admits = app, access, admits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request or a websocket."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        connection = HTTPConnection(scope)
        if scope["path"] == HEALTH and _only_reads(connection):
            await self._app(scope, receive, send_with_headers)  # says nothing about the store
            return
        language.set(chosen(connection.headers.get("accept-language", "")))
        refusal = self._invalid(connection) or await self._unauthorized(connection)
        if refusal is None:
            with suppress(*GONE):
                await self._app(scope, receive, send_with_headers)
        elif scope["type"] == "http":
            refusal.headers["Connection"] = "close"  # strangers do not keep any
            await refusal(scope, receive, send_with_headers)
        else:
            await receive()
            code = REFUSED
            if refusal.status_code == 401 and scope["path"].startswith("/play/"):
                await send({"type": "websocket.accept"})
                code = NOT_ALLOWED
            await send({"type": "websocket.close", "code": code})

    def _invalid(self, connection: HTTPConnection) -> Response | None:
        """The response to a request that nobody may make, whatever its token. If there is none, the request
        gets the address that the browser sees."""
        headers = connection.headers
        origins, sent = self._access.origins_for(headers.get("host", "")), headers.get("origin")
        if not origins:
            return PlainTextResponse("This server has another address; 'serve --origin' adds one.", 421)
        origin = origins[0] if sent is None and _only_reads(connection) else _parsed(sent or "")
        if origin is None or origin not in origins:
            text = "Pages of other sites may not ask this server; 'serve --origin' adds its own."
            return PlainTextResponse(text, 403)
        _set_origin(connection.scope, origin)
        length = headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or int(length) > MOST_BODY:
            return PlainTextResponse("The request is too large.", 413)
        return None

    async def _unauthorized(self, connection: HTTPConnection) -> Response | None:
        """The response instead of the page, if the client may not see it or has the token in its address."""
        cookies, path = connection.cookies, connection.scope["path"]
        is_page = connection.scope["type"] == "http"
        tokens = connection.query_params.getlist(TOKEN)
        if self._access.is_token(cookies.get(self._access.cookie, "")):
            connection.scope[IS_HOST] = True
            return _without_token(connection) if tokens and _only_reads(connection) else None
        if not is_page or _only_reads(connection):
            joins = is_page and path.startswith(JOIN)
            if joins or await self._admits(cookies, path):
                return None
        if not is_page:
            return PlainTextResponse("", 401)
        if not (any(map(self._access.is_token, tokens)) and _only_reads(connection)):
            return _closed_page(connection)
        redirect = _without_token(connection)
        redirect.set_cookie(
            self._access.cookie,
            self._access.token,
            secure=connection.url.scheme == "https",
            httponly=True,
            samesite="strict",
            path="/",
        )
        return redirect


def _parsed(text: str) -> Origin | None:
    """An origin; None for a text that is none."""
    try:
        return Origin.of(text)
    except BadOrigin:
        return None


def _set_origin(scope: Scope, origin: Origin) -> None:
    """Give a request the address that the browser sees, from which links and redirects are made."""
    if scope["type"] == "http":
        scope["scheme"] = origin.scheme
    MutableHeaders(scope=scope)["host"] = origin.host


def _only_reads(connection: HTTPConnection) -> bool:
    """Whether it is a request for a page, which changes nothing."""
    return connection.scope["type"] == "http" and connection.scope["method"] in SAFE_METHODS


def _path_of(connection: HTTPConnection) -> str:
    """The path with one leading slash; with two it would be the address of another server."""
    return quote("/" + connection.scope["path"].lstrip("/"))


def _without_token(connection: HTTPConnection) -> Response:
    """A redirect to the same address without the token, so that it does not stay in the address bar."""
    parameters = [item for item in connection.query_params.multi_items() if item[0] != TOKEN]
    return RedirectResponse(_path_of(connection) + ("?" + urlencode(parameters) if parameters else ""), 303)


def _closed_page(connection: HTTPConnection) -> Response:
    """The page for a browser without the cookie, which has a link to the address that was asked for.

    The cookie is SameSite=Strict: a browser does not send it with a link on another site, but with this one.
    """
    query = connection.scope["query_string"].decode("latin-1")
    return page(None, "closed.html", {"here": _path_of(connection) + (f"?{query}" if query else "")}, 401)


class Links:
    """Links that open one hand and nothing else, signed with a key.

    folder
        Where the key is kept; both are made with the first link.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, hand_id: str, *, anonymous: bool) -> str:
        """The link to a hand."""
        path = self._folder / KEY
        if not path.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, secrets.token_bytes(32))
        return f"/shared/{hand_id}/{self._signature(hand_id, anonymous)}"

    def reads(self, path: str) -> tuple[str, bool] | None:
        """The hand that a link opens, and whether without names; None if it is no link of this server."""
        match = re.fullmatch(r"/shared/([0-9a-f]{8,64})/([0-9a-f]{64})", path)
        if match is None or not (self._folder / KEY).exists():
            return None
        hand_id, signature = match.groups()
        for anonymous in (False, True):
            if hmac.compare_digest(signature, self._signature(hand_id, anonymous)):
                return hand_id, anonymous
        return None

    def _signature(self, hand_id: str, anonymous: bool) -> str:
        key = (self._folder / KEY).read_bytes()
        return hmac.new(key, f"{hand_id} {anonymous}".encode(), sha256).hexdigest()
