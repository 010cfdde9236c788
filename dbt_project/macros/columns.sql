{# The columns of a mart, in the order of its contract, which dbt's unit tests don't have. #}
{% macro contracted_columns() -%}
{{ model.columns | join(", ") or "*" }}
{%- endmacro %}

{# The condition that two relations are equal in some columns, nulls too. #}
{% macro same(columns, one, other) -%}
{% for column in columns -%}
{{ one }}.{{ column }} is not distinct from {{ other }}.{{ column }}{{ " and " if not loop.last }}
{%- endfor %}
{%- endmacro %}

{#
How many different values a column has in a group, of numbers from 0 to 62: as bits, since DuckDB keeps a set for each
group otherwise, which for the cards of a million hands takes 3 GB.
#}
{% macro count_of_small(number) -%}
bit_count(bit_or(1::bigint << ({{ number }})))
{%- endmacro %}
