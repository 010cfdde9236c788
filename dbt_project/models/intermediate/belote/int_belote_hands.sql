with hands as (
    select * from {{ ref('stg_playedhand') }}
    where game = 'belote'
)

select
    hands.hand_id,
    hands.dialect,
    dialects.karo_led_frees_everyone,
    dialects.beat_in_every_suit,
    dialects.ace_ends_runs,
    dialects.eight_is_belot,
    dialects.by_value_only,
    dialects.ties_to_dealer,
    dialects.all_are_shown,
    hands.ingest_no
from hands
left join {{ ref('belote_dialects') }} as dialects on hands.dialect = dialects.dialect
