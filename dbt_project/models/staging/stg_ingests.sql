select
    ingest_id,
    attempt,
    ingested_at,
    source_id,
    source_path,
    source_bytes,
    format as source_format,
    dataset,
    lines_read,
    other_lines,
    hands_read,
    hands_stored,
    hands_aborted,
    duplicates,
    quarantined,
    events_stored,
    cardlog_version
from {{ source('store', 'ingests') }}
