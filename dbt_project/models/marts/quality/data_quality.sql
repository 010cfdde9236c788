with quarantine as (
    select
        ingest_id,
        source_id,
        count(*) filter (where reason = 'unparsable') as unparsable,
        count(*) filter (where reason = 'incomplete') as incomplete,
        count(*) filter (where reason = 'score_mismatch') as score_mismatches,
        count(*) filter (where reason = 'conflict') as conflicts,
        count(*) filter (
            where reason not in ('unparsable', 'incomplete', 'score_mismatch', 'conflict')
        ) as rule_violations
    from {{ ref('stg_quarantine') }}
    group by all
),

statements as (
    select
        source_id,
        sum(scores_reported)::bigint as scores_checked
    from {{ ref('stg_playedhand') }}
    group by all
)

select
    ingests.ingest_id,
    ingests.ingested_at,
    ingests.source_id,
    ingests.source_path,
    ingests.source_format,
    ingests.dataset,
    ingests.lines_read,
    ingests.hands_read,
    ingests.hands_stored,
    ingests.hands_aborted,
    ingests.duplicates,
    ingests.quarantined,
    coalesce(quarantine.unparsable, 0) as unparsable,
    coalesce(quarantine.incomplete, 0) as incomplete,
    coalesce(quarantine.rule_violations, 0) as rule_violations,
    coalesce(quarantine.score_mismatches, 0) as score_mismatches,
    coalesce(quarantine.conflicts, 0) as conflicts,
    coalesce(statements.scores_checked, 0) as scores_checked
from {{ ref('stg_ingests') }} as ingests
left join quarantine
    on ingests.ingest_id = quarantine.ingest_id and ingests.source_id = quarantine.source_id
left join statements on ingests.source_id = statements.source_id
