-- Known hands are looked up by the ranks of their cards, high to low, and by whether they are of one suit.
with hands as (
    select * from {{ ref('int_five_card_draw_hands') }}
),

classes as (
    select * from {{ ref('five_card_draw_classes') }}
),

moments as (
    select
        hand_id,
        ingest_no,
        seat,
        'before' as moment,
        hand_before as cards
    from hands
    where length(hand_before) = 10 and not contains(hand_before, '?')
    union all
    select
        hand_id,
        ingest_no,
        seat,
        'after' as moment,
        hand_after as cards
    from hands
    where length(hand_after) = 10 and not contains(hand_after, '?')
),

sorted as (
    select
        *,
        list_reverse_sort([
            {% for position in range(1, 11, 2) %}
            instr('23456789TJQKA', cards[{{ position }}]){{ "," if not loop.last }}
            {% endfor %}
        ]) as strengths,
        length(replace(cards, cards[2], '')) = 5 as is_suited
    from moments
),

patterns as (
    select
        hand_id,
        ingest_no,
        seat,
        moment,
        cards,
        is_suited,
        concat(
            {% for position in range(1, 6) %}
            '23456789TJQKA'[strengths[{{ position }}]]{{ "," if not loop.last }}
            {% endfor %}
        ) as ranks
    from sorted
)

select
    patterns.hand_id,
    patterns.seat,
    patterns.moment,
    patterns.cards,
    classes.rank,
    classes.category_no,
    classes.category,
    patterns.ingest_no
from patterns
left join classes on patterns.ranks = classes.ranks and patterns.is_suited = classes.is_suited
