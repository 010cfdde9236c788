{% test relationships(model, column_name, to, field) %}
-- The values that no row of another relation has. dbt's own test reads all rows of that one; new rows refer to new ones.
select {{ column_name }} as from_field
from {{ model }}
where
    {{ column_name }} is not null
    and {{ column_name }} not in (
        select {{ field }} from {{ tested(to) }}
        where {{ field }} is not null
    )
{% endtest %}
