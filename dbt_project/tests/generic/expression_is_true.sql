{% test expression_is_true(model, expression) %}
-- The rows for which the expression is false or null; `where` in the config leaves rows out.
select *
from {{ model }}
where not coalesce({{ expression }}, false)
{% endtest %}
