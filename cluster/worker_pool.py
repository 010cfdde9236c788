"""Beam's pool of Python workers, on one address of this machine.

`apache_beam.runners.worker.worker_pool_main`, which serves a pool in production, listens on all addresses.
Here 127.0.0.1, 127.0.0.2 … stand for separate machines, each with a pool on the same port.
"""

import os
import signal
import sys
import threading
from pathlib import Path

import grpc
from apache_beam.portability.api import beam_fn_api_pb2_grpc
from apache_beam.runners.worker.worker_pool_main import BeamFnExternalWorkerPoolServicer
from apache_beam.utils import thread_pool_executor


def main(host: str, port: str) -> None:
    """Serve until SIGTERM."""
    # The pool starts workers with the command `python`.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    server = grpc.server(thread_pool_executor.shared_unbounded_instance(), options=[("grpc.so_reuseport", 0)])
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(
        BeamFnExternalWorkerPoolServicer(use_process=True), server
    )
    server.add_insecure_port(f"{host}:{port}")
    server.start()
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    stopped.wait()
    os._exit(0)  # the sender of the signal ends the workers, too: they are in the same process group


if __name__ == "__main__":
    main(*sys.argv[1:])
