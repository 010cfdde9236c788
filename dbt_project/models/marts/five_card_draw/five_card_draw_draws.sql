with

players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete' and cards_exchanged is not null
),

final as (
    select
        cards_exchanged,
        count(*) as draws,
        count(*) filter (where rank_before is not null and rank_after is not null) as draws_known,
        count(*) filter (where rank_after < rank_before) as draws_improved,
        count(*) filter (where rank_after > rank_before) as draws_worsened,
        draws_improved / nullif(draws_known, 0) as improved_rate,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where chips_won > chips_put_in) as hands_won,
        hands_won / draws as win_rate,
        avg(net) as mean_net
    from players
    group by all
)

select * from final
