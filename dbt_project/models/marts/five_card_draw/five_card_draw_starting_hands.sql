with

players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete' and known_from_deal
),

classes as (
    select * from {{ ref('five_card_draw_classes') }}
),

final as (
    select
        players.dataset,
        classes.category_no,
        classes.category,
        classes.leading_rank,
        count(*) as hands,
        count(*) filter (where players.raises > 0) as hands_raised,
        {{ rate('raise_rate', 'hands_raised', 'hands') }},
        count(*) filter (where players.folded) as hands_folded,
        {{ rate('fold_rate', 'hands_folded', 'hands') }},
        count(*) filter (where players.chips_won > players.chips_put_in) as hands_won,
        {{ rate('win_rate', 'hands_won', 'hands') }},
        {{ mean('mean_net', 'players.net') }}
    from players
    inner join classes on players.rank_before = classes.rank
    group by all
)

select * from final
