with

special_cards as (
    select * from {{ ref('int_kaiser_special_cards') }}
),

by_side as (
    select
        card,
        taken_by_bidders,
        avg(declarer_points) as mean_bidder_points,
        avg(made::integer) as made_rate
    from special_cards
    group by all
),

by_taker as (
    select
        card,
        card_points,
        taken_by,
        taken_by_bidders,
        played_as,
        count(*) as hands,
        count(*) filter (where captured) as captured,
        avg(trick_no) as mean_trick_no,
        avg(declarer_points) as mean_bidder_points,
        avg(made::integer) as made_rate
    from special_cards
    group by all
),

final as (
    select
        by_taker.card,
        by_taker.card_points,
        by_taker.taken_by,
        by_taker.taken_by_bidders,
        by_taker.played_as,
        by_taker.hands,
        by_taker.hands / sum(by_taker.hands) over (partition by by_taker.card) as share_of_card,
        by_taker.captured,
        by_taker.mean_trick_no,
        by_taker.mean_bidder_points,
        by_taker.made_rate,
        by_taker.mean_bidder_points - other_side.mean_bidder_points as points_swing,
        by_taker.made_rate - other_side.made_rate as made_swing
    from by_taker
    left join by_side as other_side
        on
            by_taker.card = other_side.card
            and by_taker.taken_by_bidders <> other_side.taken_by_bidders
)

select * from final
