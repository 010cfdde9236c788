with players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete' and known_from_deal
),

by_cluster as (
    select
        players.dataset,
        classes.category_no,
        classes.category,
        classes.leading_rank,
        {{ cluster('players') }},
        count(*) as hands,
        count(*) filter (where players.raises > 0) as hands_raised,
        count(*) filter (where players.folded) as hands_folded,
        count(*) filter (where players.chips_won > players.chips_put_in) as hands_won,
        {{ sums('mean_net', 'players.net') }}
    from players
    inner join {{ ref('five_card_draw_classes') }} as classes on players.rank_before = classes.rank
    group by all
)

select
    dataset,
    category_no,
    category,
    leading_rank,
    sum(hands)::bigint as hands,
    sum(hands_raised)::bigint as hands_raised,
    {{ rate('raise_rate', 'hands_raised', 'hands') }},
    sum(hands_folded)::bigint as hands_folded,
    {{ rate('fold_rate', 'hands_folded', 'hands') }},
    sum(hands_won)::bigint as hands_won,
    {{ rate('win_rate', 'hands_won', 'hands') }},
    {{ mean('mean_net') }}
from by_cluster
group by dataset, category_no, category, leading_rank
