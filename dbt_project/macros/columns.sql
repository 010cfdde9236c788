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
