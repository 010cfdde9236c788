"""The process that ingests finished hands for a server, so that its players need not wait meanwhile.

It reads requests from standard input, one JSON object a line, and answers each with a line: an empty one, or
what went wrong. It ends with its input, also if the server was killed.
"""

import json
import os
import signal
import sys

from cardlog.pipelines import runs
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.names import EVENTS_FORMAT

DATASET = "play"


def main() -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it here as well as to the server
    os.nice(10)
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # an answer is nothing but an answer
    for line in sys.stdin:
        answer = ingested(**json.loads(line)) + "\n"
        try:
            os.write(answers, answer.encode())
        except BrokenPipeError:  # the server was killed meanwhile
            return


def ingested(store: str, paths: list[str]) -> str:
    """Ingest files into a store; returns what went wrong, if anything did."""
    try:
        runs.ingest(Store(store), paths, format_name=EVENTS_FORMAT, dataset=DATASET)
    except Exception as error:
        return str(for_user(error) or repr(error)).replace("\n", " ")
    return ""


if __name__ == "__main__":
    main()
