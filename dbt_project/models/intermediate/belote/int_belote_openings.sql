-- Quotes in a player's name are escaped with a backslash, so the text occurs only once.
{{ config(materialized='incremental') }}

with

openings as (
    select
        hand_id,
        dataset,
        regexp_extract(detail, '"dialect":"([a-z]+)"', 1) as dialect
    from {{ ref('stg_events') }}
    where game = 'belote' and seq = 0
),

dialects as (
    select * from {{ ref('belote_dialects') }}
),

final as (
    select
        openings.hand_id,
        openings.dataset,
        openings.dialect,
        dialects.karo_led_frees_everyone,
        dialects.beat_in_every_suit,
        dialects.ace_ends_runs,
        dialects.eight_is_belot,
        dialects.by_value_only,
        dialects.ties_to_dealer,
        dialects.all_are_shown
    from openings
    left join dialects on openings.dialect = dialects.dialect
)

select * from final
