"""``python -m cardlog``: the command line."""

from cardlog.pipelines.terminal.cli import main

if __name__ == "__main__":
    main()
