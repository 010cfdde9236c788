with

special_cards as (
    select * from {{ ref('int_kaiser_special_cards') }}
),

by_side as (
    select
        dataset,
        card,
        taken_by_bidders,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        {{ mean('mean_bidder_points', 'declarer_points') }},
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from special_cards
    group by all
),

by_taker as (
    select
        dataset,
        card,
        card_points,
        taken_by,
        taken_by_bidders,
        played_as,
        count(*) as hands,
        count(*) filter (where captured) as captured,
        count(*) filter (where made) as hands_made,
        {{ mean('mean_trick_no', 'trick_no') }},
        {{ mean('mean_bidder_points', 'declarer_points') }},
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from special_cards
    group by all
),

final as (
    select
        by_taker.dataset,
        by_taker.card,
        by_taker.card_points,
        by_taker.taken_by,
        by_taker.taken_by_bidders,
        by_taker.played_as,
        by_taker.hands,
        sum(by_taker.hands) over (partition by by_taker.dataset, by_taker.card)::bigint as hands_of_card,
        {{ rate('share_of_card', 'by_taker.hands', 'hands_of_card') }},
        by_taker.captured,
        by_taker.mean_trick_no,
        by_taker.mean_trick_no_low,
        by_taker.mean_trick_no_high,
        by_taker.mean_bidder_points,
        by_taker.mean_bidder_points_low,
        by_taker.mean_bidder_points_high,
        by_taker.hands_made,
        by_taker.made_rate,
        by_taker.made_rate_low,
        by_taker.made_rate_high,
        {{ difference('points_swing', 'mean_bidder_points', 'by_taker', 'other_side') }},
        {{ difference('made_swing', 'made_rate', 'by_taker', 'other_side') }}
    from by_taker
    left join by_side as other_side
        on
            by_taker.dataset is not distinct from other_side.dataset
            and by_taker.card = other_side.card
            and by_taker.taken_by_bidders <> other_side.taken_by_bidders
)

select * from final
