with

sums as (
    select * from {{ ref('int_kaiser_special_cards_sums') }}
),

sides as (
    select
        dataset,
        card,
        taken_by_bidders,
        sum(hands) as hands,
        sum(hands_made) as hands_made,
        {{ mean_of_sums('mean_bidder_points') }}
    from sums
    group by all
),

other_sides as (
    select
        *,
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from sides
),

takers as (
    select
        dataset,
        card,
        card_points,
        taken_by,
        taken_by_bidders,
        played_as,
        sum(hands)::bigint as hands,
        sum(captured)::bigint as captured,
        sum(hands_made)::bigint as hands_made,
        {{ mean_of_sums('mean_trick_no') }},
        {{ mean_of_sums('mean_bidder_points') }}
    from sums
    group by all
),

by_taker as (
    select
        *,
        sum(hands) over (partition by dataset, card)::bigint as hands_of_card,
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from takers
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
        by_taker.hands_of_card,
        {{ rate('share_of_card', 'by_taker.hands', 'by_taker.hands_of_card') }},
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
        {{ difference('points_swing', 'mean_bidder_points', 'by_taker', 'other_sides') }},
        {{ difference('made_swing', 'made_rate', 'by_taker', 'other_sides') }}
    from by_taker
    left join other_sides
        on
            by_taker.dataset is not distinct from other_sides.dataset
            and by_taker.card = other_sides.card
            and by_taker.taken_by_bidders <> other_sides.taken_by_bidders
)

select * from final
