select {{ contracted_columns() }}
from {{ ref('stg_quarantined_hands') }}
where reason = 'score_mismatch' and status <> 'stored'
