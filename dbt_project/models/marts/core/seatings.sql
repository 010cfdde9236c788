{% set grain = ['game', 'dataset', 'player_kind', 'partner_kind', 'human_opponents', 'computer_opponents'] %}

with by_cluster as (
    {{ clusters(
        ref('int_seatings_sums'),
        grain,
        ['hands', 'hands_won'],
        ['mean_score_difference', 'mean_place', 'mean_net']
    ) }}
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_won)::bigint as hands_won,
    {{ rate('win_rate', 'hands_won', 'hands') }},
    {{ bounded_mean('mean_score_difference', 'game, dataset') }},
    {{ bounded_mean('mean_place', 'game, dataset') }},
    {{ mean('mean_net') }}
from by_cluster
group by {{ grain | join(', ') }}
