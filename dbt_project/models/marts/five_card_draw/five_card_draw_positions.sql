{% set grain = ['dataset', 'dialect', 'players_in_hand', 'dealing_position'] %}

with players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete'
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where raises > 0) as hands_raised,
        count(*) filter (where all_in) as hands_all_in,
        count(*) filter (where chips_won > chips_put_in) as hands_won,
        {{ sums('mean_net', 'net') }}
    from players
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_folded)::bigint as hands_folded,
    sum(hands_raised)::bigint as hands_raised,
    sum(hands_all_in)::bigint as hands_all_in,
    sum(hands_won)::bigint as hands_won,
    {{ rate('win_rate', 'hands_won', 'hands') }},
    sum(mean_net_total)::bigint as net,
    {{ mean('mean_net') }}
from by_cluster
group by {{ grain | join(', ') }}
