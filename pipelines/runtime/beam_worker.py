"""A worker process of Beam that does not write its log to stderr. Beam's own does, since a module that it
loads warns before there is a handler."""

import logging
import sys

logging.getLogger().addHandler(logging.NullHandler())

if __name__ == "__main__":
    from apache_beam.runners.worker import sdk_worker_main

    sdk_worker_main.main(sys.argv)
