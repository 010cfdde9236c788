{{ config(materialized='incremental') }}

with openings as (
    select
        hand_id,
        match_id,
        source_id,
        source_line,
        dataset,
        detail,
        json_array_length(detail, '$.players')::tinyint as num_players
    from {{ new_rows(ref('stg_events')) }}
    where game = 'ruter_sju' and seq = 0
),

statuses as (
    select
        hand_id,
        status,
        ingest_no
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'ruter_sju'
)

select
    openings.hand_id,
    openings.match_id,
    openings.source_id,
    openings.source_line,
    openings.dataset,
    statuses.status,
    openings.detail ->> '$.settings.dialect' as dialect,
    (openings.detail ->> '$.settings.suits')::tinyint as num_suits,
    (openings.detail ->> '$.settings.cards_per_suit')::tinyint as cards_per_suit,
    (((openings.detail ->> '$.settings.cards_per_suit')::integer + 1) // 2)::tinyint as middle,
    openings.num_players,
    statuses.ingest_no
from openings
inner join statuses on openings.hand_id = statuses.hand_id
