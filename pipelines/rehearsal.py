"""Dry runs: an ingest into a copy of a store that has links in place of its data files."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.storage.erasures import BOOK, TOMBSTONES
from cardlog.pipelines.storage.layout import RECORDS
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.resolutions import RESOLVED
from cardlog.pipelines.storage.store import Store, StoreError


@contextmanager
def rehearsed(store: Store) -> Iterator[Store]:
    """A copy of a store's tables of record to try an ingest on, which does not change the store.

    Raises StoreError if the store is not on this machine.
    """
    if not store.is_local:
        raise StoreError(f"a dry run needs a store on this machine; copy {store.root}, or try an empty store")
    with scratch.folder() as folder, at_work(store):
        root, copy = Path(store.root), Path(folder, "store")
        for name in RECORDS:
            if (root / name).is_dir():
                shutil.copytree(root / name, copy / name, copy_function=_link)
        for name in (BOOK, TOMBSTONES, RESOLVED):
            if (root / name).is_file():
                shutil.copy(root / name, copy / name)
        yield Store(str(copy))


def _link(source: str, target: str) -> None:
    """Link a data file, which never changes, and copy an entry of a log."""
    if "_delta_log" in Path(target).parts:
        shutil.copyfile(source, target)
    else:
        Path(target).symlink_to(source)
