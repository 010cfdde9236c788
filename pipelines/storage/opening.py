"""Open a Delta table without the panics of Delta's library."""

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError


def open_table(uri: str, version: int | None) -> DeltaTable:
    """A table as it is now or was at a version.

    Raises DeltaError also where the library panics, which no ``except Exception`` catches: at a damaged
    checkpoint.
    """
    try:
        return DeltaTable(uri, version=version)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise DeltaError(f"its checkpoint is damaged; remove all checkpoints of its log: {error}") from error
