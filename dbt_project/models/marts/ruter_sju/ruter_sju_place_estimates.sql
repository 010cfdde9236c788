-- Equal hands are few, so each mean is drawn towards that of all hands with as many end cards, as if twenty
-- more hands had finished like those; and that one likewise towards the mean of all hands.

with

hands as (
    select * from {{ ref('int_ruter_sju_dealt_hands') }}
    where is_for_estimate
),

tables as (
    select
        num_suits,
        cards_per_suit,
        num_players,
        kind,
        avg(place) as place,
        avg((place = 1)::integer) as win_rate
    from hands
    group by all
),

ends as (
    select
        hands.num_suits,
        hands.cards_per_suit,
        hands.num_players,
        hands.kind,
        hands.num_extremes,
        {{ drawn_towards('tables.place', 'sum(hands.place)') }} as place,
        {{ drawn_towards('tables.win_rate', 'count(*) filter (where hands.place = 1)') }} as win_rate
    from hands
    inner join tables
        on
            hands.num_suits = tables.num_suits
            and hands.cards_per_suit = tables.cards_per_suit
            and hands.num_players = tables.num_players
            and hands.kind = tables.kind
    group by hands.num_suits, hands.cards_per_suit, hands.num_players, hands.kind, hands.num_extremes
),

final as (
    select
        hands.num_suits,
        hands.cards_per_suit,
        hands.num_players,
        hands.kind,
        hands.num_extremes,
        hands.num_center,
        hands.num_opener,
        count(*) as hands,
        {{ drawn_towards('ends.place', 'sum(hands.place)') }} as estimated_place,
        {{ drawn_towards('ends.win_rate', 'count(*) filter (where hands.place = 1)') }}
            as estimated_win_rate
    from hands
    inner join ends
        on
            hands.num_suits = ends.num_suits
            and hands.cards_per_suit = ends.cards_per_suit
            and hands.num_players = ends.num_players
            and hands.kind = ends.kind
            and hands.num_extremes = ends.num_extremes
    group by
        hands.num_suits, hands.cards_per_suit, hands.num_players, hands.kind, hands.num_extremes,
        hands.num_center, hands.num_opener
)

select * from final
