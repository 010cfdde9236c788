"""The hands in quarantine, one row each, as SQL over the rows of all ingests.

Every ingest of a growing log finds its bad hands again. What counts is the verdict of the latest ingest on a
hand, and whether the hand has been stored since.

Rows with the same id are of one hand; in conflicts their text must be the same too, since two different hands
may contradict the stored one. Some hands have no id, and the id of a hand that the end of a transcript cuts
off may change as the transcript grows. Their rows are of one hand if they have the same path and first line
and their texts begin alike.

A hand is stored if its id is. In a conflict the id belongs to another hand, unless one has replaced that
since, which was read from the same lines or by a later ingest. A hand without a lasting id is also stored if
a stored hand begins in its lines: in the same source, or in a later version of it, which has the same path,
is at least as long, and contains all its good hands.

A hand is resolved if somebody has said so since (`storage/resolutions.py`), of this verdict and this text.
"""

from collections.abc import Collection
from typing import Final

NAME: Final = "quarantined_hands"
"""The view's name."""
READS: Final = ("quarantine", "ingests", "events")
"""The tables it reads."""
WAITING, CONFIRMED, REPLACED = "waiting", "confirmed", "replaced"
STORED, RESOLVED = "stored", "resolved"
MEANINGS: Final = {
    WAITING: "one ingest has found it, and it is not stored",
    CONFIRMED: "a later ingest has found the same again",
    REPLACED: "a later ingest has found it with another text or for another reason, which are shown here",
    STORED: "the hand has been stored since",
    RESOLVED: "`quarantine resolve` has named it, and no ingest has found anything else since",
}
"""The values of its column `status`."""
DIGEST: Final = (
    "left(sha256(concat_ws(chr(0), format, dataset, "
    "coalesce(hand_id, source_path || chr(0) || first_line), reason, message, raw)), 32)"
)
"""The digest of the verdict on a hand, from the columns of `quarantine`."""

_SELECT: Final = """
with hands as (
    select hand_id, source_id, source_line, ingest_no from {schema}.events where seq = 0
),

grown as (
    select earlier.source_id, earlier.format, earlier.dataset, later.source_id as later_id
    from {schema}.ingests as earlier
    join {schema}.ingests as later using (format, dataset, source_path)
    where later.attempt > earlier.attempt and later.lines_read >= earlier.lines_read
    and later.duplicates >= earlier.hands_stored + earlier.duplicates
),

verdicts as (
    select
        *,
        hand_id is null or (reason = 'incomplete' and format != 'cardlog-jsonl') as is_by_place,
        coalesce(hand_id, concat_ws(chr(0), format, dataset, source_path, first_line, raw))
            || case when reason = 'conflict' then message || raw else '' end as hand_key,
        reason || message || raw as verdict,
        row(attempt, ingest_id) as ingest
    from {schema}.quarantine
),

latest as (
    select
        *,
        ingest = min(ingest) over hand as is_first,
        min(verdict) over hand = max(verdict) over hand as is_same
    from verdicts
    window hand as (partition by hand_key)
    qualify ingest = max(ingest) over hand
    and (hand_id is null or 1 = row_number() over (
        partition by hand_key, ingest, case when reason = 'incomplete' then '' else verdict end
        order by source_path desc, first_line desc
    ))
),

stored_by_place as (
    select distinct row(latest.quarantine_id, latest.ingest_id)
    from latest
    left join grown using (source_id, format, dataset)
    join hands
        on hands.source_id in (latest.source_id, grown.later_id)
        and hands.source_line between latest.first_line and latest.last_line
    where latest.is_by_place
),

stored_since as (
    select distinct row(latest.quarantine_id, latest.ingest_id)
    from latest
    join hands using (hand_id)
    where latest.reason != 'conflict'
    or (hands.source_id = latest.source_id
        and hands.source_line between latest.first_line and latest.last_line)
    or (hands.ingest_no > latest.attempt + 1
        and not exists (
            select 1 from {schema}.ingests
            where ingests.ingest_id = latest.ingest_id and ingests.source_id = hands.source_id
        ))
)

select
    {columns},
    case
        when (quarantine_id, ingest_id) in (from stored_since) then '{stored}'
        when (quarantine_id, ingest_id) in (from stored_by_place) then '{stored}'
        when {is_resolved} then '{resolved}'
        when is_first then '{waiting}'
        when is_same then '{confirmed}'
        else '{replaced}'
    end as status
from latest
where not exists (
    select 1
    from verdicts as later
    where latest.is_by_place and later.ingest > latest.ingest
    and later.format = latest.format and later.dataset = latest.dataset
    and later.source_path = latest.source_path and later.first_line = latest.first_line
    and starts_with(later.raw, latest.raw)
)
"""

MEANING: Final = (
    "One row per hand in quarantine, as the latest ingest found it: the columns of `quarantine`, and `status`"
)


def select(schema: str, columns: str, resolved: Collection[str] = ()) -> str:
    """The query for the hands in quarantine.

    schema
        The schema of the tables in `READS`, which must only have rows of committed attempts.
    columns
        The columns of `quarantine`.
    resolved
        The digests of resolved verdicts, of hexadecimal digits.
    """
    digests = ", ".join(f"'{digest}'" for digest in sorted(resolved))
    return _SELECT.format(
        schema=schema, columns=columns, is_resolved=f"{DIGEST} in ({digests})" if digests else "false",
        waiting=WAITING, confirmed=CONFIRMED, replaced=REPLACED, stored=STORED, resolved=RESOLVED,
    )  # fmt: skip
