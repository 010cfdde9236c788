{% set player = ['game', 'dataset', 'player_name', 'player_kind'] %}

-- All hands of a match are in one cluster, so the matches of clusters add up.
with by_cluster as (
    select
        {{ player | join(', ') }},
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where hand_status = 'complete') as complete_hands,
        count(distinct match_id) as matches,
        count(*) filter (where won) as hands_won,
        {{ sums('mean_score_difference', 'team_score - other_score') }},
        {{ sums('mean_place', 'place', "hand_status = 'complete'") }},
        sum(net)::bigint as net
    from {{ ref('stg_seats') }}
    group by all
)

select
    {{ player | join(', ') }},
    sum(hands)::bigint as hands,
    sum(complete_hands)::bigint as complete_hands,
    sum(matches)::bigint as matches,
    sum(hands_won)::bigint as hands_won,
    {{ rate('share_won', 'hands_won', 'complete_hands') }},
    {{ bounded_mean('mean_score_difference', 'game, dataset') }},
    {{ bounded_mean('mean_place', 'game, dataset') }},
    sum(net)::bigint as net
from by_cluster
group by {{ player | join(', ') }}
