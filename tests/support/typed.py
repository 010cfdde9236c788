"""A command at a terminal of its own, as a person uses it: keys are typed, and the screen is read."""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path

SECONDS = 60.0
"""A command that says nothing for so long fails the test."""
_CONTROLS = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x07")


class Typed:
    """A `cardlog` command with a controlling terminal.

    screen
        All that was printed, without colours and other control sequences.
    raw
        The same as the terminal got it.
    """

    def __init__(self, *arguments: str, cwd: Path, columns: int = 80, **environment: str) -> None:
        self.raw = b""
        self._seen = 0
        program = "from cardlog.pipelines.terminal import cli; cli.main()"
        self.pid, self._tty = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.chdir(cwd)
            kept = {
                name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "PAGER")
            }
            root = str(Path(__file__).parents[2])
            os.execve(
                sys.executable,
                [sys.executable, "-c", program, *arguments],
                {**kept, "PYTHONPATH": root, "TERM": "xterm", **environment},
            )

    @property
    def screen(self) -> str:
        return _CONTROLS.sub(b"", self.raw).decode(errors="replace").replace("\r\n", "\n")

    def until(self, text: str) -> str:
        """Wait for a text; returns what was printed since the text before, up to it."""
        while text not in self.screen[self._seen :]:
            assert self._read(), f"{text!r} does not come:\n{self.screen}"
        before, self._seen = self._seen, self.screen.index(text, self._seen) + len(text)
        return self.screen[before : self._seen]

    def type(self, keys: str, until: str) -> str:
        """Type keys and wait for a text."""
        os.write(self._tty, keys.encode())
        return self.until(until)

    def interrupt(self, until: str) -> str:
        """Press Ctrl-C and wait for a text; again if it does not come, since a prompt takes it as a key."""
        while until not in self.screen[self._seen :]:
            os.write(self._tty, b"\x03")
            while select.select([self._tty], [], [], 2.0)[0] and until not in self.screen[self._seen :]:
                assert self._read(), self.screen
        return self.until(until)

    def end(self) -> int:
        """Wait for its end; returns the exit code."""
        while self._read():
            pass
        os.close(self._tty)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            if select.select([self._tty], [], [], 1.0)[0]:
                try:
                    more = os.read(self._tty, 65536)
                except OSError:
                    return False  # as Linux says that the other end is closed
                self.raw += more
                return bool(more)
        return False
