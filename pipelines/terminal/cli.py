"""The entry point of the command line. `app` has its commands; they load after the process of a query, which
loads other libraries at the same time."""

import sys
from typing import NoReturn

from cardlog.pipelines.sql import nursery


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command line and exit; arguments after ``--`` go to Beam."""
    if (sys.argv[1:] if arguments is None else arguments)[:1] == ["query"]:
        nursery.prepare()
    from cardlog.pipelines.terminal import app

    app.main(arguments)


if __name__ == "__main__":
    main()
