"""uvicorn's websockets, of which one that says goodbye right after what is no text is ended in silence."""

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState


class Websocket(WebSocketsSansIOProtocol):
    """The server's side of a websocket."""

    def data_received(self, data: bytes) -> None:
        """Take what came. uvicorn answers text that is not UTF-8 with a goodbye, which it may not say if the
        other side's is in the same bytes."""
        try:
            super().data_received(data)
        except InvalidState:
            self.transport.close()
