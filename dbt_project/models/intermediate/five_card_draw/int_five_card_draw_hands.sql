-- The cards of each player before and after the draw, as far as known: those kept, then those drawn; or the
-- hand shown. A player who exchanged nothing and showed the hand was dealt just that.
with drawn as (
    select
        hand_id,
        ingest_no,
        seat,
        hand_dealt,
        cards_exchanged,
        cards_shown,
        case
            when hand_dealt is not null and drew and (cards_exchanged = 0 or cards_drawn is not null) then
                concat(
                    {% for position in range(1, 11, 2) %}
                    case
                        when instr(cards_put_away, substr(hand_dealt, {{ position }}, 2)) > 0 then ''
                        else substr(hand_dealt, {{ position }}, 2)
                    end,
                    {% endfor %}
                    coalesce(cards_drawn, '')
                )
        end as hand_drawn
    from {{ ref('int_five_card_draw_seats') }}
)

select
    hand_id,
    seat,
    coalesce(hand_dealt, case when coalesce(cards_exchanged, 0) = 0 then cards_shown end) as hand_before,
    coalesce(hand_drawn, cards_shown) as hand_after,
    ingest_no
from drawn
