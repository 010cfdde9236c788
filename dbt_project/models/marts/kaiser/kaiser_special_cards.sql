{% set way = ['dataset', 'card', 'taken_by', 'played_as'] %}

with by_cluster as (
    {{ clusters(
        ref('int_kaiser_special_cards_sums'),
        way + ['card_points', 'taken_by_bidders'],
        ['hands', 'captured', 'hands_made'],
        ['mean_trick_no', 'mean_bidder_points']
    ) }}
),

by_side as (
    {{ clusters(
        'by_cluster', ['dataset', 'card', 'taken_by_bidders'], ['hands', 'hands_made'], ['mean_bidder_points']
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
        {{ way | join(', ') }},
        card_points,
        taken_by_bidders,
        sum(hands)::bigint as hands,
        sum(captured)::bigint as captured,
        sum(hands_made)::bigint as hands_made,
        {{ bounded_mean('mean_trick_no') }},
        {{ bounded_mean('mean_bidder_points') }},
        {{ rate('made_rate', 'hands_made', 'hands') }}
    from by_cluster
    group by {{ way | join(', ') }}, card_points, taken_by_bidders
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
    inner join of_card on {{ same(['dataset', 'card'], 'by_taker', 'of_card') }}
    left join by_cluster
        on {{ same(way, 'by_taker', 'by_cluster') }} and of_card.cluster = by_cluster.cluster
),

share_of_card as (
    select
        {{ way | join(', ') }},
        sum(hands_of_card)::bigint as hands_of_card,
        {{ rate('share_of_card', 'hands', 'hands_of_card') }}
    from shares
    group by {{ way | join(', ') }}
),

compared as (
    select
        by_taker.*,
        share_of_card.* exclude ({{ way | join(', ') }}),
        {{ difference('points_swing', 'mean_bidder_points', 'by_taker', 'other_sides') }},
        {{ difference('made_swing', 'made_rate', 'by_taker', 'other_sides') }}
    from by_taker
    inner join share_of_card on {{ same(way, 'by_taker', 'share_of_card') }}
    left join other_sides
        on
            {{ same(['dataset', 'card'], 'by_taker', 'other_sides') }}
            and by_taker.taken_by_bidders <> other_sides.taken_by_bidders
)

select {{ contracted_columns() }}
from compared
