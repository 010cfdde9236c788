{#
For summaries that take too long as views of all rows. A model `int_<mart>_sums` is incremental: each build adds,
for every group of the mart, the counts and sums of its new rows. The mart adds these up and has the rates.
#}

{# Columns `<name>_n`, `<name>_total` and `<name>_squares`, for `mean_of_sums`. #}
{% macro sums(name, value, among=none) -%}
{% set those = " filter (where " ~ among ~ ")" if among else "" -%}
count({{ value }}){{ those }} as {{ name }}_n,
sum(({{ value }})::bigint){{ those }} as {{ name }}_total,
sum(({{ value }})::bigint * ({{ value }})){{ those }} as {{ name }}_squares
{%- endmacro %}

{# The columns of `mean`, from those of `sums`, which are added up. #}
{% macro mean_of_sums(name) -%}
{% set n, total = "sum(" ~ name ~ "_n)::bigint", "sum(" ~ name ~ "_total)" -%}
{% set squares = "sum(" ~ name ~ "_squares)" -%}
{{ mean_columns(name, total ~ " / nullif(" ~ n ~ ", 0)", deviation_of_sums(n, total, squares), n) }}
{%- endmacro %}

{# The deviation of a sample, from how many values there are, their sum and that of their squares. #}
{% macro deviation_of_sums(n, total, squares) -%}
sqrt(greatest({{ n }} * {{ squares }} - {{ total }} * {{ total }}, 0) / {{ n }} / nullif({{ n }} - 1, 0))
{%- endmacro %}
