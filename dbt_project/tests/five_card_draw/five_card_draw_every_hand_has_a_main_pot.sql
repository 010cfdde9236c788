-- The complete hands without a main pot though somebody has put in chips, or with one though nobody has:
-- with an ante of 0 all may check.
with hands as (
    select distinct hand_id
    from {{ untested(ref('five_card_draw_players')) }}
    where hand_status = 'complete' and chips_put_in > 0
),

main_pots as (
    select hand_id
    from {{ untested(ref('five_card_draw_pots')) }}
    where pot_no = 0
)

select coalesce(hands.hand_id, main_pots.hand_id) as hand_id
from hands
full outer join main_pots on hands.hand_id = main_pots.hand_id
where hands.hand_id is null or main_pots.hand_id is null
