-- The cards of each player before and after the draw, where the log tells them: those that were kept, then
-- those that were drawn; or what was shown. Who exchanged nothing and showed the hand was dealt just that.
with

seats as (
    select * from {{ ref('int_five_card_draw_seats') }}
),

drawn as (
    select
        hand_id,
        seat,
        hand_dealt,
        cards_exchanged,
        cards_shown,
        case
            when hand_dealt is not null and drew then
                concat(
                    {% for place in range(1, 11, 2) %}
                    case
                        when instr(cards_put_away, substr(hand_dealt, {{ place }}, 2)) > 0 then ''
                        else substr(hand_dealt, {{ place }}, 2)
                    end,
                    {% endfor %}
                    coalesce(cards_drawn, '')
                )
        end as hand_drawn
    from seats
),

final as (
    select
        hand_id,
        seat,
        coalesce(hand_dealt, case when cards_exchanged = 0 then cards_shown end) as hand_before,
        coalesce(hand_drawn, cards_shown) as hand_after
    from drawn
)

select * from final
