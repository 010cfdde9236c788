{% test holds_for_every_group(model, group_by, expression) %}
-- The groups for which an expression of aggregates is false or null; group_by 1 makes one group of all rows.
select {{ group_by }} as group_key
from {{ model }}
group by all
having count(*) > 0 and not coalesce({{ expression }}, false)
{% endtest %}
