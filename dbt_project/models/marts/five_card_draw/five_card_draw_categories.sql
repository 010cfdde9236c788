with

players as (
    select * from {{ ref('five_card_draw_players') }}
    where hand_status = 'complete'
),

classes as (
    select distinct
        category_no,
        category
    from {{ ref('five_card_draw_classes') }}
),

dealt as (
    select
        category_before as category,
        count(*) as hands_dealt
    from players
    where category_before is not null
    group by all
),

held as (
    select
        category_after as category,
        count(*) as hands_held,
        count(*) filter (where folded) as hands_folded,
        count(*) filter (where shown) as hands_shown,
        count(*) filter (where mucked) as hands_mucked,
        count(*) filter (where chips_won > chips_put_in) as hands_won,
        avg(net) as mean_net
    from players
    where category_after is not null
    group by all
),

final as (
    select
        classes.category_no,
        classes.category,
        coalesce(dealt.hands_dealt, 0) as hands_dealt,
        coalesce(held.hands_held, 0) as hands_held,
        coalesce(held.hands_folded, 0) as hands_folded,
        coalesce(held.hands_shown, 0) as hands_shown,
        coalesce(held.hands_mucked, 0) as hands_mucked,
        coalesce(held.hands_won, 0) as hands_won,
        held.hands_won / held.hands_held as win_rate,
        held.mean_net
    from classes
    left join dealt on classes.category = dealt.category
    left join held on classes.category = held.category
)

select * from final
