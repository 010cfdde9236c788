{% set separate = "by_kind.won_by <> 'ordinary'" %}

with by_cluster as (
    {{ clusters(
        ref('int_kaiser_dealer_bids_sums'),
        ['dataset', 'won_by', 'contract'],
        ['hands', 'hands_no_trump', 'hands_made'],
        ['mean_points', 'mean_score']
    ) }}
),

by_kind as (
    select
        dataset,
        won_by,
        contract,
        sum(hands)::bigint as hands,
        sum(hands_no_trump)::bigint as hands_no_trump,
        sum(hands_made)::bigint as hands_made,
        {{ rate('made_rate', 'hands_made', 'hands') }},
        {{ bounded_mean('mean_points') }},
        {{ bounded_mean('mean_score') }}
    from by_cluster
    group by dataset, won_by, contract
)

select
    by_kind.*,
    {{ difference('made_rate_over_ordinary', 'made_rate', 'by_kind', 'ordinary', separate) }},
    {{ difference('mean_points_over_ordinary', 'mean_points', 'by_kind', 'ordinary', separate) }},
    {{ difference('mean_score_over_ordinary', 'mean_score', 'by_kind', 'ordinary', separate) }}
from by_kind
left join by_kind as ordinary
    on
        by_kind.dataset is not distinct from ordinary.dataset
        and by_kind.contract = ordinary.contract
        and ordinary.won_by = 'ordinary'
