{% set card = ['dataset', 'num_suits', 'cards_per_suit', 'num_players', 'card'] %}

with by_cluster as (
    {{ clusters(
        ref('int_ruter_sju_winner_cards_sums'), card, ['times_dealt', 'wins', 'lasts'], ['mean_place']
    ) }}
)

select
    {{ card | join(', ') }},
    sum(times_dealt)::bigint as times_dealt,
    sum(wins)::bigint as wins,
    {{ rate('win_rate', 'wins', 'times_dealt') }},
    win_rate * num_players as lift,
    win_rate_low * num_players as lift_low,
    win_rate_high * num_players as lift_high,
    {{ bounded_mean('mean_place', 'dataset, num_players') }},
    {{ rate('last_rate', 'lasts', 'times_dealt') }}
from by_cluster
group by {{ card | join(', ') }}
