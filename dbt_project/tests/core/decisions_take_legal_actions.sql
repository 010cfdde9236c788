-- The decisions whose action is not in their mask.
select
    game,
    hand_id,
    step,
    action_mask,
    action
from {{ untested(ref('stg_decisions')) }}
where (action_mask >> action) & 1 = 0
