with by_cluster as (
    {{ clusters(
        ref('int_kaiser_special_cards_sums'),
        ['dataset', 'card', 'card_points', 'taken_by', 'taken_by_bidders', 'played_as'],
        ['hands', 'captured', 'hands_made'],
        ['mean_trick_no', 'mean_bidder_points']
    ) }}
),

by_side as (
    {{ clusters(
        'by_cluster',
        ['dataset', 'card', 'taken_by_bidders'],
        ['hands', 'hands_made'],
        ['mean_bidder_points']
    ) }}
),

other_sides as (
    select
        dataset,
        card,
        taken_by_bidders,
        {{ bounded_mean('mean_bidder_points') }},
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from by_side
    group by dataset, card, taken_by_bidders
),

by_taker as (
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
        {{ bounded_mean('mean_trick_no') }},
        {{ bounded_mean('mean_bidder_points') }},
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from by_cluster
    group by dataset, card, card_points, taken_by, taken_by_bidders, played_as
),

of_card as (
    select
        dataset,
        card,
        cluster,
        sum(hands)::bigint as hands_of_card
    from by_cluster
    group by all
),

-- A cluster in which nobody took the card in this way counts too.
shares as (
    select
        by_taker.dataset,
        by_taker.card,
        by_taker.taken_by,
        by_taker.played_as,
        of_card.hands_of_card,
        coalesce(by_cluster.hands, 0) as hands
    from by_taker
    inner join of_card
        on by_taker.dataset is not distinct from of_card.dataset and by_taker.card = of_card.card
    left join by_cluster
        on
            by_taker.dataset is not distinct from by_cluster.dataset
            and by_taker.card = by_cluster.card
            and by_taker.taken_by = by_cluster.taken_by
            and by_taker.played_as = by_cluster.played_as
            and of_card.cluster = by_cluster.cluster
),

share_of_card as (
    select
        dataset,
        card,
        taken_by,
        played_as,
        sum(hands_of_card)::bigint as hands_of_card,
        {{ rate('share_of_card', 'hands', 'hands_of_card') }}
    from shares
    group by dataset, card, taken_by, played_as
)

select
    by_taker.dataset,
    by_taker.card,
    by_taker.card_points,
    by_taker.taken_by,
    by_taker.taken_by_bidders,
    by_taker.played_as,
    by_taker.hands,
    share_of_card.hands_of_card,
    share_of_card.share_of_card,
    share_of_card.share_of_card_low,
    share_of_card.share_of_card_high,
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
inner join share_of_card
    on
        by_taker.dataset is not distinct from share_of_card.dataset
        and by_taker.card = share_of_card.card
        and by_taker.taken_by = share_of_card.taken_by
        and by_taker.played_as = share_of_card.played_as
left join other_sides
    on
        by_taker.dataset is not distinct from other_sides.dataset
        and by_taker.card = other_sides.card
        and by_taker.taken_by_bidders <> other_sides.taken_by_bidders
