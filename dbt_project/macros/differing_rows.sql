{# A query for the rows that two relations do not have equally often; nulls are equal. #}
{% macro differing_rows(one, other, columns) -%}
with

both_sides as (
    select
        {{ columns | join(", ") }},
        1 as surplus
    from {{ one }}
    union all
    select
        {{ columns | join(", ") }},
        -1 as surplus
    from {{ other }}
)

select
    {{ columns | join(", ") }},
    sum(surplus) as surplus
from both_sides
group by all
having sum(surplus) <> 0
{%- endmacro %}
