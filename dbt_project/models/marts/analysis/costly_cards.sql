select {{ contracted_columns() }}
from {{ ref('int_card_costs') }}
where cost_open > 0
