{% set grain = ['dataset', 'dialect', 'declarer_position', 'trump'] %}

with complete_hands as (
    select * from {{ ref('hands') }}
    where game = 'belote' and status = 'complete'
),

recomputed as (
    select * from {{ ref('belote_recomputed_points') }}
),

positioned as (
    select
        complete_hands.*,
        recomputed.dialect,
        recomputed.hand_value,
        recomputed.swept_by,
        seat_relations.to_dealer as declarer_position
    from complete_hands
    inner join recomputed on complete_hands.hand_id = recomputed.hand_id
    inner join {{ ref('seat_relations') }} as seat_relations
        on (complete_hands.declarer - complete_hands.dealer + 4) % 4 = seat_relations.steps
),

by_cluster as (
    select
        {{ grain | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        count(*) filter (where swept_by = declarer_team) as hands_swept,
        {{ sums('mean_points', 'declarer_points') }},
        {{ sums('mean_hand_value', 'hand_value') }},
        {{ sums('mean_score', 'declarer_score') }}
    from positioned
    group by all
)

select
    {{ grain | join(', ') }},
    sum(hands)::bigint as hands,
    sum(hands_made)::bigint as hands_made,
    sum(hands_swept)::bigint as hands_swept,
    {{ rate('made_rate', 'hands_made', 'hands') }},
    {{ bounded_mean('mean_points') }},
    {{ bounded_mean('mean_hand_value') }},
    {{ bounded_mean('mean_score') }}
from by_cluster
group by {{ grain | join(', ') }}
