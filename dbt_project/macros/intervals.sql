{#
Columns of a summary with their 95 % intervals: `name`, `name_low` and `name_high`. Rows are taken to be
independent of one another. A count is an expression in SQL; it may be the name of a column further up in the same
select, unless a CTE that is read there has that name too.
#}

{# The upper 2.5 % point of the normal distribution. #}
{% macro normal_quantile() -%}
1.959964
{%- endmacro %}

{# A rate, by Wilson's formula, null of no rows. hits: the count of those that have it. rows: of all. #}
{% macro rate(name, hits, rows) -%}
{{ hits }} / nullif({{ rows }}, 0) as {{ name }},
{{ wilson_low(hits, rows) }} as {{ name }}_low,
{{ wilson_high(hits, rows) }} as {{ name }}_high
{%- endmacro %}

{% macro wilson_low(hits, rows) -%}
case when {{ rows }} > 0 then greatest({{ _wilson(hits, rows, "-") }}, 0) end
{%- endmacro %}

{% macro wilson_high(hits, rows) -%}
case when {{ rows }} > 0 then least({{ _wilson(hits, rows, "+") }}, 1) end
{%- endmacro %}

{% macro _wilson(hits, rows, sign) -%}
{% set z = normal_quantile() | float -%}
({{ hits }} + {{ z ** 2 / 2 }} {{ sign }} {{ z }} * sqrt(
    {{ hits }} * ({{ rows }} - {{ hits }}) / {{ rows }} + {{ z ** 2 / 4 }}
)) / ({{ rows }} + {{ z ** 2 }})
{%- endmacro %}

{#
A mean, by Student's t; the ends are null for fewer than two rows. among: which rows count, a condition in SQL.
#}
{% macro mean(name, value, among=none) -%}
{% set those = " filter (where " ~ among ~ ")" if among else "" -%}
{{ mean_columns(
    name,
    "avg(" ~ value ~ ")" ~ those,
    "stddev_samp(" ~ value ~ ")" ~ those,
    "count(" ~ value ~ ")" ~ those
) }}
{%- endmacro %}

{# The columns of a mean, from the mean itself, the deviation of the rows and how many these are. #}
{% macro mean_columns(name, average, deviation, rows) -%}
{% set error = t_quantile(rows ~ " - 1") ~ " * " ~ deviation ~ " / sqrt(" ~ rows ~ ")" -%}
{{ average }} as {{ name }},
{{ average }} - {{ error }} as {{ name }}_low,
{{ average }} + {{ error }} as {{ name }}_high
{%- endmacro %}

{#
The upper 2.5 % point of Student's t: for up to ten degrees of freedom from a table, beyond by the expansion in
Abramowitz and Stegun, 26.7.5, which is exact to five decimals there.
#}
{% macro t_quantile(freedom) -%}
coalesce(
    [
        12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139
    ][{{ freedom }}]::double,
    {{ normal_quantile() }} + (2.372271 + (2.822502 + (2.555852 + 1.589534 / ({{ freedom }}))
    / ({{ freedom }})) / ({{ freedom }})) / ({{ freedom }})
)
{%- endmacro %}

{#
The difference of a column of two relations, which has intervals. The squared distance of each end is the sum of
those of the two columns' ends (Newcombe's method 10 for rates; the same serves for means). separate: the condition in
SQL that the two have no rows in common; where it is false, the ends are null.
#}
{% macro difference(name, column, one, other, separate="true") -%}
{{ one }}.{{ column }} - {{ other }}.{{ column }} as {{ name }},
case
    when {{ separate }} then {{ name }} - sqrt(
        ({{ one }}.{{ column }} - {{ one }}.{{ column }}_low) ** 2
        + ({{ other }}.{{ column }}_high - {{ other }}.{{ column }}) ** 2
    )
end as {{ name }}_low,
case
    when {{ separate }} then {{ name }} + sqrt(
        ({{ one }}.{{ column }}_high - {{ one }}.{{ column }}) ** 2
        + ({{ other }}.{{ column }} - {{ other }}.{{ column }}_low) ** 2
    )
end as {{ name }}_high
{%- endmacro %}
