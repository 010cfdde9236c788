with seats as (
    select * from {{ ref('stg_seats') }}
),

by_cluster as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where hand_status = 'complete') as complete_hands,
        count(*) filter (where won) as hands_won,
        {{ sums('mean_score_difference', 'team_score - other_score') }},
        {{ sums('mean_place', 'place', "hand_status = 'complete'") }},
        sum(net)::bigint as net
    from seats
    group by all
),

matches as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        count(distinct match_id) as matches
    from seats
    group by all
),

figures as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        sum(hands)::bigint as hands,
        sum(complete_hands)::bigint as complete_hands,
        sum(hands_won)::bigint as hands_won,
        {{ rate('share_won', 'hands_won', 'complete_hands') }},
        {{ bounded_mean('mean_score_difference', 'game, dataset') }},
        {{ bounded_mean('mean_place', 'game, dataset') }},
        sum(net)::bigint as net
    from by_cluster
    group by game, dataset, player_name, player_kind
)

select
    figures.game,
    figures.dataset,
    figures.player_name,
    figures.player_kind,
    figures.hands,
    figures.complete_hands,
    matches.matches,
    figures.hands_won,
    figures.share_won,
    figures.share_won_low,
    figures.share_won_high,
    figures.mean_score_difference,
    figures.mean_score_difference_low,
    figures.mean_score_difference_high,
    figures.mean_place,
    figures.mean_place_low,
    figures.mean_place_high,
    figures.net
from figures
inner join matches
    on
        figures.game = matches.game
        and figures.dataset is not distinct from matches.dataset
        and figures.player_name is not distinct from matches.player_name
        and figures.player_kind is not distinct from matches.player_kind
