select
    quarantine_id,
    ingest_id,
    attempt,
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
    raw as raw_text,
    raw_encoding
from {{ source('store', 'quarantine') }}
