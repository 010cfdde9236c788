"""Ingest: read logs, judge every hand, and add the legal ones to the events, all or nothing.

The functions of `read`, `compare` and `commit` compute; `in_threads` calls them in this process, and
`transforms` wires them for Beam.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Final

from cardlog.pipelines.ingest.commit import commit, finish
from cardlog.pipelines.ingest.compare import compare_bucket, looked_for, new_by_bucket, stored_by_bucket
from cardlog.pipelines.ingest.elements import Draft, IngestRun, NewNames, StoredNames, Verdict
from cardlog.pipelines.ingest.read import read_item
from cardlog.pipelines.ingest.sources import ReadItem, SourceFile
from cardlog.pipelines.runtime.processes import in_processes
from cardlog.pipelines.runtime.threads import on_all_cores

MOST_BYTES_IN_THREADS: Final = 64 * 2**20
"""Size of sources up to which they are read in threads: starting processes takes seconds."""
IN_ARRAYS: Final = frozenset({"playedhand-csv"})
"""Formats whose readers leave the work to NumPy and Arrow, which release Python's lock: read in threads."""


def ingest_id_of(files: Iterable[SourceFile], marks: Iterable[str] = ()) -> str:
    """The name of the ingest of some files in this order: 32 hex digits.

    marks
        What else distinguishes it from other ingests of the same files.
    """
    names = [
        f"{file.format}\0{source.dataset}\0{source.final}\0{source.source_id}\0{source.options.text}".removesuffix(
            "\0"
        )
        for file in files
        for source in [file.source]
    ]
    return hashlib.blake2b("\n".join([*names, *marks]).encode(), digest_size=16).hexdigest()


def _drafts(run: IngestRun, item: ReadItem) -> list[Draft]:
    return list(read_item(run, item))


def in_threads(run: IngestRun, files: list[SourceFile], items: list[ReadItem], stored: list[str]) -> None:
    """Run a whole ingest on this machine, in the same steps as `transforms.ingest_pipeline`. Large logs whose
    readers hold Python's lock are read by a process for each core."""
    size = sum(item.size for item in items if item.file.format not in IN_ARRAYS)
    on_cores = in_processes if size > MOST_BYTES_IN_THREADS else on_all_cores
    drafts = list(chain.from_iterable(on_cores(partial(_drafts, run), items)))
    names: list[NewNames | StoredNames] = [
        new for draft in drafts for _, new in new_by_bucket(draft, run.digits)
    ]
    wanted = looked_for(drafts)
    known = on_all_cores(lambda path: list(stored_by_bucket(run, path, wanted)), stored if names else ())
    names += [held for _, held in chain.from_iterable(known)]
    verdicts = defaultdict[str, list[Verdict]](list)
    for key, verdict in compare_bucket(run, names):
        verdicts[key].append(verdict)
    commit(run, files, on_all_cores(lambda draft: finish(run, draft, verdicts[draft.key]), drafts))
