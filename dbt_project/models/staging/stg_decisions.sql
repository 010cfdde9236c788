select
    game,
    hand_id,
    match_id,
    kind,
    step,
    seq,
    seat,
    status,
    action_mask | (action_mask_high::hugeint << 63) as action_mask,
    action,
    reward,
    return as hand_return,
    ingest_no
from {{ source('store', 'decisions') }}
