with melds as (
    select * from {{ ref('pinochle_melds_shown') }}
    where hand_status = 'complete'
),

by_cluster as (
    select
        dataset,
        player_name,
        player_kind,
        {{ cluster() }},
        count(*) as hands,
        count(*) filter (where points > 0) as hands_with_meld,
        {{ sums('mean_points', 'points') }},
        {{ sums('mean_cards', 'card_count') }},
        {{ sums('mean_points_declaring', 'points', 'is_declaring') }}
    from melds
    group by all
)

select
    dataset,
    player_name,
    player_kind,
    sum(hands)::bigint as hands,
    sum(hands_with_meld)::bigint as hands_with_meld,
    {{ rate('meld_rate', 'hands_with_meld', 'hands') }},
    {{ bounded_mean('mean_points') }},
    max(mean_points_most) as most_points,
    {{ bounded_mean('mean_cards') }},
    sum(mean_points_declaring_n)::bigint as hands_declaring,
    {{ bounded_mean('mean_points_declaring') }}
from by_cluster
group by dataset, player_name, player_kind
