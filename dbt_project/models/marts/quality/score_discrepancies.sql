with quarantine as (
    select * from {{ ref('stg_quarantined_hands') }}
    where reason = 'score_mismatch' and status <> 'stored'
)

select
    quarantine_id,
    game,
    hand_id,
    message,
    source_format,
    dataset,
    source_id,
    source_path,
    first_line,
    last_line
from quarantine
