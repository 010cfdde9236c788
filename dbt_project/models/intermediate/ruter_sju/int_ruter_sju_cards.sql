with seats as (
    select
        hand_id,
        ingest_no,
        unnest(range(6))::tinyint as seat,
        unnest({{ by_seat('hand', 6) }}) as hand
    from {{ ref('stg_playedhand') }}
    where game = 'ruter_sju'
),

places as (
    select
        hand_id,
        ingest_no,
        seat,
        hand,
        unnest(range(1, length(hand), 2)) as place
    from seats
),

dealt as (
    select
        hand_id,
        ingest_no,
        seat,
        substr(hand, place, 2) as card
    from places
)

select
    dealt.hand_id,
    dealt.seat,
    nullif(dealt.card, '??') as card,
    cards.suit_no,
    cards.number,
    1::hugeint << (16 * cards.suit_no + cards.number) as card_bit,
    dealt.ingest_no
from dealt
left join {{ ref('ruter_sju_cards') }} as cards on dealt.card = cards.card
