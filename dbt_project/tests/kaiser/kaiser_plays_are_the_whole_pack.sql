-- The complete Kaiser hands in which not every card is played once, or the tricks are not worth 10.
{% set cards = count_of_small("13 * instr('CDHS', suit) + instr('23456789TJQKA', rank) - 14") %}
select
    hand_id,
    count(*) as plays,
    {{ cards }} as cards,
    sum(points) as points
from {{ untested(ref('stg_plays')) }}
where game = 'kaiser' and hand_status = 'complete'
group by hand_id
having
    not coalesce(
        count(*) = 32
        and {{ cards }} = 32
        and sum(points) = 10
        and count(*) filter (where won) = 8
        and count(*) filter (where is_led) = 8
        and min(cards_left_in_suit) >= 0,
        false
    )
