"""Which data files of a table have rows that were there before, although a compact has moved rows since."""

from cardlog.pipelines.storage.log_entries import info_of, moves_of
from cardlog.pipelines.storage.store import Store


def seen_since(store: Store, name: str, at: int, version: int) -> tuple[set[str], dict[str, int]]:
    """The data files at a version of which all rows were there at an earlier one; and files that are in the
    table no more, with their rows, that have what is new in files with rows of both kinds.

    If such a file is gone, or another program has moved rows, some of the files that were seen are not in
    the table any more.
    """
    seen = set(store.paths(name, at))
    left: dict[str, int] = {}
    if seen <= set(store.paths(name, version)):
        return seen, left
    log = store.log(name)
    for after in range(at + 1, version + 1):
        for old, new in moves_of(info_of(log.entry(after))):
            fresh = set(old) - seen
            if len(fresh) == len(old):
                continue
            if fresh:
                sizes = store.sizes(name, after - 1)
                if not all(store.has(name, path) for path in fresh):
                    return seen, {}
                left |= {path: sizes[path] for path in fresh}
            seen = seen - set(old) | set(new)
    return seen, left
