with by_cluster as (
    {{ clusters(
        ref('int_kaiser_human_vs_computer_sums'),
        ['dataset', 'player', 'partner'],
        ['hands', 'bids', 'contracts', 'contracts_made', 'hands_defending'],
        [
            'mean_bid', 'mean_points_as_declarer', 'mean_score_as_declarer', 'mean_points_defending',
            'mean_points', 'mean_score', 'mean_tricks'
        ]
    ) }}
)

select
    dataset,
    player,
    partner,
    sum(hands)::bigint as hands,
    sum(bids)::bigint as bids,
    {{ rate('bid_rate', 'bids', 'hands') }},
    {{ bounded_mean('mean_bid') }},
    sum(contracts)::bigint as contracts,
    sum(contracts_made)::bigint as contracts_made,
    {{ rate('made_rate', 'contracts_made', 'contracts') }},
    {{ bounded_mean('mean_points_as_declarer') }},
    {{ bounded_mean('mean_score_as_declarer') }},
    sum(hands_defending)::bigint as hands_defending,
    {{ bounded_mean('mean_points_defending') }},
    {{ bounded_mean('mean_points') }},
    {{ bounded_mean('mean_score') }},
    {{ bounded_mean('mean_tricks') }}
from by_cluster
group by dataset, player, partner
