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
),

counted as (
    select
        ingests.*,
        {% for count in ['unparsable', 'incomplete', 'rule_violations', 'score_mismatches', 'conflicts'] %}
        coalesce(quarantine.{{ count }}, 0) as {{ count }},
        {% endfor %}
        coalesce(statements.scores_checked, 0) as scores_checked
    from {{ ref('stg_ingests') }} as ingests
    left join quarantine
        on ingests.ingest_id = quarantine.ingest_id and ingests.source_id = quarantine.source_id
    left join statements on ingests.source_id = statements.source_id
)

select {{ contracted_columns() }}
from counted
