{% set grain = ['dataset', 'dialect', 'contract', 'trump', 'is_stuck'] %}

with played as (
    select * from {{ ref('int_pinochle_hands') }}
    where status = 'complete' and not thrown_in
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ sums('mean_meld', 'declarer_meld') }},
        {{ sums('mean_counters', 'declarer_points') }},
        {{ sums('mean_score', 'declarer_score') }},
        {{ sums('mean_defender_meld', 'defender_meld') }},
        {{ sums('mean_defender_score', 'defender_score') }}
    from played
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_made)::bigint as hands_made,
    {{ rate('made_rate', 'hands_made', 'hands') }},
    {{ bounded_mean('mean_meld') }},
    {{ bounded_mean('mean_counters') }},
    {{ bounded_mean('mean_score') }},
    {{ bounded_mean('mean_defender_meld') }},
    {{ bounded_mean('mean_defender_score') }}
from by_cluster
group by {{ grain | join(', ') }}
