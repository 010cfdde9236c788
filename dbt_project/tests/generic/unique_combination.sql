{% test unique_combination(model, columns) %}
-- The rows whose values in these columns, taken together, occur more than once.
select
    {{ columns | join(', ') }},
    count(*) as rows_found
from {{ model }}
group by all
having count(*) > 1
{% endtest %}
