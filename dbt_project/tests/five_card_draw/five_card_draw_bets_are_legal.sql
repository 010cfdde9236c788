-- The bets whose chips do not fit what was done.
select
    hand_id,
    seq,
    action,
    chips,
    to_call,
    raised_by
from {{ untested(ref('five_card_draw_bets')) }}
where
    (action = 'raise') <> (coalesce(raised_by, 0) > 0)
    or (action in ('fold', 'check') and chips <> 0)
    or (action = 'check' and to_call <> 0)
    or (action = 'call' and chips > to_call)
