{% set side = [
    'game', 'dataset', 'is_pair', 'player_name', 'player_kind', 'partner_name', 'partner_kind'
] %}

with sides as (
    select
        *,
        {{ cluster(unit='match_id') }}
    from {{ ref('int_match_sides') }}
    where is_over
),

by_cluster as (
    select
        {{ side | join(', ') }},
        cluster,
        count(*) as matches,
        count(*) filter (where is_won) as matches_won
    from sides
    group by all
),

of_all as (
    select
        {{ side | join(', ') }},
        sum(matches)::bigint as matches,
        sum(matches_won)::bigint as matches_won,
        {{ rate('win_rate', 'matches_won', 'matches') }}
    from by_cluster
    group by {{ side | join(', ') }}
),

-- The last hundred are found without sorting all.
last_results as (
    select
        {{ side | join(', ') }},
        arg_max(
            struct_pack(is_won := is_won, cluster := cluster),
            (added_date is not null, added_date, match_id, -seat),
            100
        ) as results
    from sides
    group by all
),

lasts as (
    select
        * exclude (results),
        unnest(results) as one_result
    from last_results
),

lasts_by_cluster as (
    select
        {{ side | join(', ') }},
        one_result['cluster'] as cluster,  -- noqa: RF04
        count(*) as last_matches,
        count(*) filter (where one_result['is_won']) as last_matches_won
    from lasts
    group by all
),

of_last as (
    select
        {{ side | join(', ') }},
        sum(last_matches)::bigint as last_matches,
        sum(last_matches_won)::bigint as last_matches_won,
        {{ rate('last_win_rate', 'last_matches_won', 'last_matches') }}
    from lasts_by_cluster
    group by {{ side | join(', ') }}
)

select
    of_all.*,
    of_last.* exclude ({{ side | join(', ') }})
from of_all
inner join of_last on {{ same(side, 'of_all', 'of_last') }}
