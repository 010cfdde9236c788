-- The mart players counts its distinct matches: one that goes on is here once for each build.
{{ config(materialized='incremental') }}

with

seats as (
    select * from {{ of_new_hands(ref('int_seats')) }}
),

final as (
    select distinct
        game,
        dataset,
        match_id,
        player_name,
        player_kind
    from seats
    where match_id is not null
)

select * from final
