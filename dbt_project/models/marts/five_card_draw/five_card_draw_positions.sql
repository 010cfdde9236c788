with

players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete'
),

final as (
    select
        dataset,
        dialect,
        players_in_hand,
        dealing_position,
        count(*) as hands,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where raises > 0) as hands_raised,
        count(*) filter (where all_in) as hands_all_in,
        count(*) filter (where chips_won > chips_put_in) as hands_won,
        {{ rate('win_rate', 'hands_won', 'hands') }},
        sum(net)::bigint as net,
        {{ mean('mean_net', 'net') }}
    from players
    group by all
)

select * from final
