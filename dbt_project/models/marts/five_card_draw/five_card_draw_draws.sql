with

players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete' and cards_exchanged is not null
),

final as (
    select
        dataset,
        cards_exchanged,
        count(*) as draws,
        count(*) filter (where rank_before is not null and rank_after is not null) as draws_known,
        count(*) filter (where rank_after < rank_before) as draws_improved,
        count(*) filter (where rank_after > rank_before) as draws_worsened,
        {{ rate('improved_rate', 'draws_improved', 'draws_known') }},
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where chips_won > chips_put_in) as hands_won,
        {{ rate('win_rate', 'hands_won', 'draws') }},
        {{ mean('mean_net', 'net') }}
    from players
    group by all
)

select * from final
