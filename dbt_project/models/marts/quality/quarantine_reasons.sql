with quarantine as (
    select * from {{ ref('stg_quarantined_hands') }}
    where status <> 'stored'
)

select
    game,
    source_format,
    dataset,
    reason,
    count(*) as hands,
    count(distinct source_id) as sources,
    min(quarantine_id) as example_quarantine_id,
    arg_min(message, quarantine_id) as example_message
from quarantine
group by all
