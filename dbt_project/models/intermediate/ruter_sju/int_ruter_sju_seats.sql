{{ config(materialized='incremental') }}

with hands as (
    select * from {{ new_rows(ref('int_ruter_sju_hands')) }}
),

openings as (
    select
        hand_id,
        detail
    from {{ new_rows(ref('stg_events')) }}
    where game = 'ruter_sju' and seq = 0
),

played as (
    select
        hand_id,
        {{ by_seat('place', 6) }} as places
    from {{ new_rows(ref('stg_playedhand')) }}
    where game = 'ruter_sju'
),

dealt as (
    select
        cards.hand_id,
        cards.seat,
        count(*)::tinyint as cards_dealt,
        case when count(cards.card) = count(*) then bit_or(cards.card_bit) end as hand_cards,
        {% set is_known = "count(cards.card) = count(*)" %}
        {% set is_end = "cards.number = 1 or cards.number = hands.cards_per_suit" %}
        case
            when {{ is_known }}
                then count(*) filter (where cards.number = hands.middle and not ({{ is_end }}))
        end::tinyint as num_center,
        case
            when {{ is_known }}
                then count(*) filter (where abs(cards.number - hands.middle) = 1 and not ({{ is_end }}))
        end::tinyint as num_opener,
        case when {{ is_known }} then count(*) filter (where {{ is_end }}) end::tinyint as num_extremes,
        {% for suit in range(6) %}
        case
            when {{ is_known }} and hands.num_suits > {{ suit }}
                then count(*) filter (where cards.suit_no = {{ suit }} and ({{ is_end }}))
        end::tinyint as suit{{ suit }}_extremes,
        {% endfor %}
        hands.num_suits
    from {{ new_rows(ref('int_ruter_sju_cards')) }} as cards
    inner join hands on cards.hand_id = hands.hand_id
    group by cards.hand_id, cards.seat, hands.num_suits
)

select
    dealt.hand_id,
    dealt.seat,
    person(openings.detail ->> ('$.players[' || dealt.seat || '].name')) as player_name,
    coalesce(
        openings.detail ->> ('$.players[' || dealt.seat || '].bot'),
        openings.detail ->> ('$.players[' || dealt.seat || '].kind'),
        'unknown'
    ) as kind,
    hands.dialect = 'original'
    and coalesce(
        openings.detail ->> ('$.players[' || dealt.seat || '].kind') = 'human', false
    ) as is_unchecked,
    played.places[dealt.seat + 1]::tinyint as place,
    dealt.cards_dealt,
    dealt.hand_cards,
    dealt.num_center,
    dealt.num_opener,
    {% for suit in range(6) %}
    dealt.suit{{ suit }}_extremes,
    {% endfor %}
    dealt.num_extremes,
    hands.ingest_no
from dealt
inner join hands on dealt.hand_id = hands.hand_id
inner join openings on dealt.hand_id = openings.hand_id
inner join played on dealt.hand_id = played.hand_id
