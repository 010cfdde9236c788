with complete_hands as (
    select * from {{ ref('int_pinochle_hands') }}
    where status = 'complete'
),

by_cluster as (
    select
        dataset,
        dialect,
        is_stuck,
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where thrown_in) as hands_thrown_in,
        count(*) filter (where thrown_in and is_played) as hands_played_on,
        count(*) filter (where thrown_in and made) as hands_made,
        {{ sums('mean_contract', 'contract', 'thrown_in') }},
        {{ sums('mean_score', 'declarer_score', 'thrown_in') }}
    from complete_hands
    group by all
)

select
    dataset,
    dialect,
    is_stuck,
    sum(hands)::bigint as hands,
    sum(hands_thrown_in)::bigint as hands_thrown_in,
    {{ rate('thrown_in_rate', 'hands_thrown_in', 'hands') }},
    sum(hands_played_on)::bigint as hands_played_on,
    sum(hands_made)::bigint as hands_made,
    {{ bounded_mean('mean_contract') }},
    {{ bounded_mean('mean_score') }}
from by_cluster
group by dataset, dialect, is_stuck
