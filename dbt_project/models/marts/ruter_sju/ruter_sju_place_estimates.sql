-- Equal hands of a data set are few, so each mean is drawn towards that of all hands with as many end
-- cards, as if twenty more hands had finished like those; and that one likewise towards the mean of all
-- hands. The interval is that of the mean of these hands and the twenty, with the deviation of places among
-- all hands.

with hands as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        kind,
        num_extremes,
        num_center,
        num_opener,
        count(*) as hands,
        count(*) filter (where place = 1) as wins,
        sum(place) as places,
        sum(place * place) as squares
    from {{ ref('int_ruter_sju_dealt_hands') }}
    where is_for_estimate
    group by all
),

tables as (
    select
        dataset,
        num_suits,
        cards_per_suit,
        num_players,
        kind,
        sum(hands)::bigint as hands_at_tables,
        sum(places) / hands_at_tables as place,
        {{ deviation_of_sums('hands_at_tables', 'sum(places)', 'sum(squares)') }} as deviation,
        sum(wins) / hands_at_tables as win_rate
    from hands
    group by dataset, num_suits, cards_per_suit, num_players, kind
),

ends as (
    select
        hands.dataset,
        hands.num_suits,
        hands.cards_per_suit,
        hands.num_players,
        hands.kind,
        hands.num_extremes,
        {{ drawn_towards('tables.place', 'sum(hands.places)', 'sum(hands.hands)') }} as place,
        {{ drawn_towards('tables.win_rate', 'sum(hands.wins)', 'sum(hands.hands)') }} as win_rate,
        any_value(tables.hands_at_tables) as hands_at_tables,
        any_value(tables.deviation) as deviation
    from hands
    inner join tables
        on
            hands.dataset is not distinct from tables.dataset
            and hands.num_suits = tables.num_suits
            and hands.cards_per_suit = tables.cards_per_suit
            and hands.num_players = tables.num_players
            and hands.kind = tables.kind
    group by
        hands.dataset, hands.num_suits, hands.cards_per_suit, hands.num_players, hands.kind,
        hands.num_extremes
),

estimated as (
    select
        hands.dataset,
        hands.num_suits,
        hands.cards_per_suit,
        hands.num_players,
        hands.kind,
        hands.num_extremes,
        hands.num_center,
        hands.num_opener,
        any_value(hands.hands) as hands,
        any_value(hands.hands) + {{ prior_hands() }} as hands_and_prior,
        any_value(ends.hands_at_tables) as hands_at_tables,
        any_value(ends.deviation) as deviation,
        {{ drawn_towards('ends.place', 'sum(hands.places)', 'sum(hands.hands)') }}
            as estimated_place,
        {{ drawn_towards('ends.win_rate', 'sum(hands.wins)', 'sum(hands.hands)') }} as estimated_win_rate
    from hands
    inner join ends
        on
            hands.dataset is not distinct from ends.dataset
            and hands.num_suits = ends.num_suits
            and hands.cards_per_suit = ends.cards_per_suit
            and hands.num_players = ends.num_players
            and hands.kind = ends.kind
            and hands.num_extremes = ends.num_extremes
    group by
        hands.dataset, hands.num_suits, hands.cards_per_suit, hands.num_players, hands.kind,
        hands.num_extremes, hands.num_center, hands.num_opener
),

intervals as (
    select
        *,
        t_quantile(hands_at_tables - 1) * deviation / sqrt(hands_and_prior) as place_error,
        estimated_win_rate * hands_and_prior as wins_and_prior
    from estimated
)

select
    dataset,
    num_suits,
    cards_per_suit,
    num_players,
    kind,
    num_extremes,
    num_center,
    num_opener,
    hands,
    estimated_place,
    case
        when place_error is not null then greatest(estimated_place - place_error, 1)
    end as estimated_place_low,
    case
        when place_error is not null then least(estimated_place + place_error, num_players)
    end as estimated_place_high,
    estimated_win_rate,
    wilson_end(-1, wins_and_prior, hands_and_prior) as estimated_win_rate_low,
    wilson_end(1, wins_and_prior, hands_and_prior) as estimated_win_rate_high
from intervals
