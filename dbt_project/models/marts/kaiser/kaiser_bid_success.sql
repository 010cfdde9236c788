{% set grain = ['dataset', 'contract', 'trump', 'declarer_position', 'declarer'] %}

with complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'kaiser' and status = 'complete'
),

positioned as (
    select
        complete_hands.*,
        seat_relations.to_dealer as declarer_position
    from complete_hands
    inner join {{ ref('seat_relations') }} as seat_relations
        on (complete_hands.declarer - complete_hands.dealer + 4) % 4 = seat_relations.steps
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ sums('mean_points', 'declarer_points') }},
        {{ sums('mean_score', 'declarer_score') }}
    from positioned
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_made)::bigint as hands_made,
    {{ rate('made_rate', 'hands_made', 'hands') }},
    {{ bounded_mean('mean_points') }},
    {{ bounded_mean('mean_score') }}
from by_cluster
group by {{ grain | join(', ') }}
