{% test same_rows(model, to, columns, to_where='true') %}
-- The rows that the model and another relation do not have equally often; nulls are equal.
with

both_sides as (
    select
        {{ columns | join(', ') }},
        1 as surplus
    from {{ model }}
    union all
    select
        {{ columns | join(', ') }},
        -1 as surplus
    from {{ tested(to) }}
    where {{ to_where }}
)

select
    {{ columns | join(', ') }},
    sum(surplus) as surplus
from both_sides
group by all
having sum(surplus) <> 0
{% endtest %}
