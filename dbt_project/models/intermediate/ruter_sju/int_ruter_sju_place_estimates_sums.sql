{{ config(materialized='incremental') }}

with

hands as (
    select * from {{ of_new_hands(ref('int_ruter_sju_dealt_hands')) }}
    where is_for_estimate
),

final as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        kind,
        num_extremes,
        num_center,
        num_opener,
        count(*) as hands,
        count(*) filter (where place = 1) as wins,
        {{ sums('mean_place', 'place') }}
    from hands
    group by all
)

select * from final
