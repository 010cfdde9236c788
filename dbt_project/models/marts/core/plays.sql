select {{ contracted_columns() }}
from {{ ref('stg_plays') }}
