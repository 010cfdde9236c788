-- Who can place what at each act, by the cards alone; where turns begin; and how far around the table the
-- game is. A set of cards is a number: bit 16 * suit + card.
{{ config(materialized='incremental') }}
{% set before = "over (partition by hand_id order by seq rows between unbounded preceding and 1 preceding)" %}
{% set previous = "over (partition by hand_id order by seq)" %}

with seats as (
    select * from {{ new_rows(ref('int_ruter_sju_seats')) }}
),

acts as (
    select
        events.hand_id,
        events.seq,
        events.seat,
        events.action,
        events.cards as card,
        cards.suit_no,
        cards.number,
        1::hugeint << (16 * cards.suit_no + cards.number) as card_bit,
        coalesce(cards.number in (1, hands.cards_per_suit), false) as is_end,
        hands.dialect,
        hands.ingest_no,
        hands.num_players,
        hands.num_suits,
        hands.cards_per_suit,
        hands.middle,
        seats.is_unchecked,
        seats.cards_dealt,
        seats.hand_cards
    from {{ new_rows(ref('stg_events')) }} as events
    inner join {{ new_rows(ref('int_ruter_sju_hands')) }} as hands on events.hand_id = hands.hand_id
    inner join seats on events.hand_id = seats.hand_id and events.seat = seats.seat
    left join {{ ref('ruter_sju_cards') }} as cards on events.cards = cards.card
    where events.game = 'ruter_sju' and events.kind = 'play'
),

tables as (
    select
        *,
        coalesce(bit_or(card_bit) {{ before }}, 0::hugeint) as placed,
        {% for suit in range(6) %}
        last_value(
            case when suit_no = {{ suit }} and number < middle then number end ignore nulls
        ) {{ before }} as under_{{ suit }},
        last_value(
            case when suit_no = {{ suit }} and number > middle then number end ignore nulls
        ) {{ before }} as over_{{ suit }},
        {% endfor %}
        cards_dealt - count(card) over (partition by hand_id, seat order by seq) as cards_left
    from acts
),

fitting as (
    select
        *,
        (
            0::hugeint
            {% for suit in range(6) %}
            | case
                when num_suits <= {{ suit }} then 0::hugeint
                when placed & (1::hugeint << middle) = 0
                    then {{ "1::hugeint << middle" if suit == 0 else "0::hugeint" }}
                when placed & (1::hugeint << ({{ 16 * suit }} + middle)) = 0
                    then 1::hugeint << ({{ 16 * suit }} + middle)
                else
                    (5::hugeint << ({{ 16 * suit }} + middle - 1))
                    | coalesce(1::hugeint << ({{ 16 * suit - 1 }} + nullif(under_{{ suit }}, 1)), 0::hugeint)
                    | coalesce(
                        1::hugeint << ({{ 16 * suit + 1 }} + nullif(over_{{ suit }}, cards_per_suit)),
                        0::hugeint
                    )
            end
            {% endfor %}
        ) & ~placed as fit
    from tables
),

-- R10: the program overlooks that a computer is out whose only card is the first suit's middle card. Where
-- hands are hidden, a human may have placed another before.
leaving as (
    select
        *,
        coalesce(
            card is not null
            and cards_left = 0
            and not (dialect = 'original' and not is_unchecked and suit_no = 0 and number = middle),
            false
        ) as is_leaving
    from fitting
),

counted as (
    select
        *,
        bit_count(fit & hand_cards)::tinyint as choices,
        coalesce(count(*) filter (where is_leaving) {{ before }}, 0)::tinyint as seats_out,
        lag(seat) {{ previous }} as seat_before,
        coalesce(lag(is_end) {{ previous }}, false) as end_before
    from leaving
),

turns as (
    select
        *,
        lag(choices) {{ previous }} as choices_before,
        seat = seat_before
        and end_before
        and (
            is_unchecked
            or seats_out < num_players - 1
            or coalesce(lag(choices) {{ previous }} > 1, true)
        ) as is_going_on
    from counted
),

steps as (
    select
        *,
        case
            when seat_before is null then 1
            when is_going_on then 0
            else (seat - seat_before - 1 + num_players) % num_players + 1
        end as steps
    from turns
)

select
    hand_id,
    seq,
    seat,
    action,
    card,
    suit_no,
    number,
    card_bit,
    num_players,
    cards_left::tinyint as cards_left,
    is_leaving,
    seats_out,
    fit,
    choices,
    choices_before,
    coalesce(is_going_on, false) as is_going_on,
    sum(steps) {{ previous }}::integer as visit_no,
    ingest_no
from steps
