{{ config(materialized='incremental') }}

with

seats as (
    select * from {{ of_new_hands(ref('int_seats')) }}
),

final as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        count(*) as hands,
        count(*) filter (where status = 'complete') as complete_hands,
        count(*) filter (where is_won) as hands_won,
        {{ sums('mean_score_difference', 'team_score - other_score') }},
        {{ sums('mean_place', 'place', "status = 'complete'") }},
        sum(net)::bigint as net
    from seats
    group by all
)

select * from final
