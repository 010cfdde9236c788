"""Ingest: read logs, judge every hand, and add the legal ones to the events, all or nothing.

`read` → `compare` → `commit`: their functions compute; `in_threads` calls them in this process, and
`transforms` wires them for Beam.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable

from cardlog.pipelines.ingest.commit import commit, finish
from cardlog.pipelines.ingest.compare import compare_bucket, looked_for, new_by_bucket, stored_by_bucket
from cardlog.pipelines.ingest.elements import NewIds, Run, StoredIds, Verdict
from cardlog.pipelines.ingest.match_positions import NewPositions, StoredPositions, Taken
from cardlog.pipelines.ingest.read import read_item
from cardlog.pipelines.ingest.sources import Item, SourceFile
from cardlog.pipelines.threads import on_all_cores


def ingest_id_of(files: Iterable[SourceFile]) -> str:
    """The name of the ingest of some files in this order: 32 hex digits."""
    names = [
        f"{file.format}\0{source.dataset}\0{source.final}\0{source.source_id}"
        for file in files
        for source in [file.source]
    ]
    return hashlib.blake2b("\n".join(names).encode(), digest_size=16).hexdigest()


def in_threads(run: Run, files: list[SourceFile], items: list[Item], stored: list[str]) -> None:
    """Do a whole ingest in this process, step after step, as `transforms.ingest_pipeline` wires them."""
    read = on_all_cores(lambda item: list(read_item(run, item)), items)
    drafts = [draft for item in read for draft in item]
    hands: list[NewIds | StoredIds | NewPositions | StoredPositions] = [
        new for draft in drafts for _, new in new_by_bucket(draft)
    ]
    wanted = looked_for(drafts)
    known = on_all_cores(lambda path: list(stored_by_bucket(run, path, wanted)), stored if hands else ())
    hands += [ids for found in known for _, ids in found]
    verdicts: dict[str, list[Verdict | Taken]] = defaultdict(list)
    # So few hands are compared as one bucket: each would read the stored hands anew.
    for key, verdict in compare_bucket(run, hands):
        verdicts[key].append(verdict)
    commit(run, files, on_all_cores(lambda draft: finish(run, draft, verdicts[draft.key]), drafts))
