"""The hands in quarantine, one row each, as SQL over the rows of all ingests.

A log that grows brings its bad hands again at every ingest. What counts is what the latest ingest has found
of a hand, and whether the hand has been stored since.

Rows are of one hand if they have its id, and for conflicts its text, since two different hands may contradict
the stored one. Some hands have no id, and that of one that the end of a transcript cut off may change as that
grows. Of these, the rows of one path that begin in the same line and with the same text are of one hand.

It is stored if its id is, unless it is a conflict, whose id is that of another hand; without a lasting id,
also if a hand begins in its lines: in the same source, or in a later one that has grown from it, which is of
the same path, at least as long, and brought all its good hands again.
"""

from typing import Final

NAME: Final = "quarantined_hands"
"""The view's name."""
READS: Final = ("quarantine", "ingests", "events")
"""The tables that it reads."""
WAITING, CONFIRMED, REPLACED, STORED = "waiting", "confirmed", "replaced", "stored"
MEANINGS: Final = {
    WAITING: "one ingest has found it, and it is not stored",
    CONFIRMED: "a later ingest has found the same again",
    REPLACED: "a later ingest has found it with another text or for another reason, which is what is here",
    STORED: "the hand has been stored since",
}
"""The values of its column `status`."""

_SELECT: Final = """
with hands as (
    select hand_id, source_id, source_line from {schema}.events where seq = 0
),

grown as (
    select earlier.source_id, earlier.format, earlier.dataset, later.source_id as later_id
    from {schema}.ingests as earlier
    join {schema}.ingests as later using (format, dataset, source_path)
    where later.attempt > earlier.attempt and later.lines_read >= earlier.lines_read
    and later.duplicates >= earlier.hands_stored + earlier.duplicates
),

found as (
    select
        *,
        hand_id is null or (reason = 'incomplete' and format != 'cardlog-jsonl') as is_by_place,
        coalesce(hand_id, concat_ws(chr(0), format, dataset, source_path, first_line, raw))
            || case when reason = 'conflict' then message || raw else '' end as hand_key,
        reason || message || raw as verdict,
        row(attempt, ingest_id) as turn
    from {schema}.quarantine
),

of_keys as (
    select
        *,
        max(turn) over hand as last_turn,
        min(turn) over hand as first_turn,
        min(verdict) over hand = max(verdict) over hand as is_same,
        row_number() over (
            partition by hand_key, turn, case when reason = 'incomplete' then '' else verdict end
            order by source_path desc, first_line desc
        ) as copy
    from found
    window hand as (partition by hand_key)
),

latest as (
    select of_keys.*
    from of_keys
    where turn = last_turn and (hand_id is null or copy = 1)
    and not exists (
        select 1
        from found as later
        where of_keys.is_by_place and later.turn > of_keys.turn
        and later.format = of_keys.format and later.dataset = of_keys.dataset
        and later.source_path = of_keys.source_path and later.first_line = of_keys.first_line
        and starts_with(later.raw, of_keys.raw)
    )
),

begun as (
    select distinct latest.quarantine_id, latest.ingest_id
    from latest
    left join grown using (source_id, format, dataset)
    join hands
        on hands.source_id in (latest.source_id, grown.later_id)
        and hands.source_line between latest.first_line and latest.last_line
    where latest.is_by_place
)

select
    {columns},
    case
        when reason != 'conflict' and hand_id in (select hand_id from hands) then '{stored}'
        when (quarantine_id, ingest_id) in (select (quarantine_id, ingest_id) from begun) then '{stored}'
        when turn = first_turn then '{waiting}'
        when is_same then '{confirmed}'
        else '{replaced}'
    end as status
from latest
"""

MEANING: Final = (
    "One row per hand in quarantine, as the latest ingest found it: the columns of `quarantine`, and `status`"
)


def select(schema: str, columns: str) -> str:
    """The query for the hands in quarantine.

    schema
        Has the tables in `READS`, only with rows that count.
    columns
        Those of `quarantine`.
    """
    return _SELECT.format(
        schema=schema, columns=columns,
        waiting=WAITING, confirmed=CONFIRMED, replaced=REPLACED, stored=STORED,
    )  # fmt: skip
