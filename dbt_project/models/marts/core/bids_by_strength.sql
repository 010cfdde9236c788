{% set grain = ['game', 'dataset', 'strength', 'longest_suit'] %}

with by_cluster as (
    {{ clusters(
        ref('int_bids_by_strength_sums'),
        grain,
        ['hands', 'auctions', 'bids', 'contracts', 'contracts_made', 'passes'],
        ['mean_lead_declaring', 'mean_lead_passing']
    ) }}
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(auctions)::bigint as auctions,
    sum(bids)::bigint as bids,
    {{ rate('bid_rate', 'bids', 'auctions') }},
    sum(contracts)::bigint as contracts,
    sum(contracts_made)::bigint as contracts_made,
    {{ rate('made_rate', 'contracts_made', 'contracts') }},
    {{ bounded_mean('mean_lead_declaring', 'game, dataset') }},
    sum(passes)::bigint as passes,
    {{ bounded_mean('mean_lead_passing', 'game, dataset') }}
from by_cluster
group by {{ grain | join(', ') }}
