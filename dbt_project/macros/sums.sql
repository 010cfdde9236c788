{#
For summaries that are too large to be made from all rows at each build. A model `int_<mart>_sums` is incremental: a
build adds rows with the counts and sums of its new hands, at most one for each group of the mart. The mart adds up
these rows, of which there are few. Its own SQL has the rates and means.
#}

{#
Column `<name>_sums`, what a mean and its interval are made from: how many values there are, their sum and that of
their squares. Integers are summed without an error of rounding, so that it does not matter which build had which hands.

among: which rows count, a condition in SQL. type: bigint or double.
#}
{% macro sums(name, value, among=none, type="bigint") -%}
{% set those = " filter (where " ~ among ~ ")" if among else "" -%}
{% set number = "(" ~ value ~ ")::" ~ type -%}
{
    'n': count({{ number }}){{ those }},
    'total': sum({{ number }}){{ those }},
    'squares': sum({{ number }} * {{ number }}){{ those }}
} as {{ name }}_sums
{%- endmacro %}

{#
A query that adds up rows with sums. by: the columns of groups. counts: columns to add up. means: names given to `sums`.
#}
{% macro totals(relation, by, counts, means=[]) -%}
{% set columns = by[:] -%}
{% for name in means -%}
{% do columns.append(_total_of(name ~ "_sums")) -%}
{% endfor -%}
{% for name in counts -%}
{% do columns.append("sum(" ~ name ~ ")::bigint as " ~ name) -%}
{% endfor -%}
select {{ columns | join(", ") }}
from {{ relation }}
group by all
{%- endmacro %}

{% macro _total_of(sums) -%}
{
    'n': sum({{ sums }}.n)::bigint,
    'total': sum({{ sums }}.total),
    'squares': sum({{ sums }}.squares)
} as {{ sums }}
{%- endmacro %}

{# The deviation of a sample, from how many values there are, their sum and that of their squares. #}
{% macro deviation_of_sums(n, total, squares) -%}
sqrt(greatest({{ n }} * {{ squares }} - {{ total }} * {{ total }}, 0) / {{ n }} / nullif({{ n }} - 1, 0))
{%- endmacro %}

{# The columns of `mean`, from `<name>_sums`. #}
{% macro mean_of_sums(name) -%}
{% set n = "struct_extract(" ~ name ~ "_sums, 'n')" -%}
{% set total = "struct_extract(" ~ name ~ "_sums, 'total')" -%}
{% set squares = "struct_extract(" ~ name ~ "_sums, 'squares')" -%}
{{ mean_columns(name, total ~ " / nullif(" ~ n ~ ", 0)", deviation_of_sums(n, total, squares), n) }}
{%- endmacro %}
