select
    quarantine_id,
    game,
    hand_id,
    reason,
    message,
    format as source_format,
    dataset,
    source_id,
    source_path,
    first_line,
    last_line,
    status
from {{ source('store', 'quarantined_hands') }}
