{{ config(materialized='table', access='protected') }}

with seat_costs as (
    select
        priced.*,
        date_trunc('month', hands.added_date)::date as month
    from {{ ref('int_seat_costs') }} as priced
    inner join {{ ref('stg_playedhand') }} as hands on priced.hand_id = hands.hand_id
),

by_cluster as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        month,
        {{ cluster() }},
        count(*) as hands_analysed,
        {{ sums('mean_cost_of_a_hand', 'seat_cost', type='double') }}
    from seat_costs
    group by all
)

select
    game,
    dataset,
    player_name,
    player_kind,
    month,
    sum(hands_analysed)::bigint as hands_analysed,
    {{ bounded_mean('mean_cost_of_a_hand', 'game, dataset') }}
from by_cluster
group by game, dataset, player_name, player_kind, month
