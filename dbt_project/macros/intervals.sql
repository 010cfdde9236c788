{#
Columns of a summary with their 95 % intervals: `name`, `name_low` and `name_high`.

Hands of a match depend on one another, as do the seats of a hand, so the unit is the cluster: a match, or a hand that
no match is known of. A mart has two steps. The first groups its rows by the columns of the mart and by `cluster`, with
counts, and with `sums` of what there are means of. The second groups those by the columns of the mart.

The variance of a figure is that between clusters, and Student's t goes by the effective number of clusters, which is
smaller than their number if some have more rows than others. With fewer than five there is no interval.

A rate or a bounded mean can't be far from the ends of what is possible, and a rare value may not have been seen. So
its variance is drawn towards that of independent rows with values at both ends only, which counts as one cluster
more; the interval is Wilson's with that variance in place of the binomial one. tests/pipelines/sql/test_coverage.py
measures how often these intervals have the true figure.
#}

{# The upper 2.5 % point of the normal distribution. #}
{% macro normal_quantile() -%}
1.959964
{%- endmacro %}

{#
The cluster that a row belongs to: one of a thousand, into which matches fall at random. All the hands of a match are
in one of them, whichever build they came with, and summaries stay small.
#}
{% macro cluster(relation="", unit=none) -%}
{% set prefix = relation ~ "." if relation else "" -%}
{% set unit = unit or "coalesce(" ~ prefix ~ "match_id, " ~ prefix ~ "hand_id)" -%}
(hash({{ unit }}) % 1000)::smallint as cluster
{%- endmacro %}

{# Columns of a cluster, for a mean. among: which rows count, a condition in SQL; a null doesn't. #}
{% macro sums(name, value, among=none, type="bigint") -%}
{% set those = " filter (where " ~ among ~ ")" if among else "" -%}
count({{ value }}){{ those }} as {{ name }}_n,
coalesce(sum(({{ value }})::{{ type }}){{ those }}, 0) as {{ name }}_total,
min({{ value }}){{ those }} as {{ name }}_least,
max({{ value }}){{ those }} as {{ name }}_most
{%- endmacro %}

{#
A query with one row for each group and cluster, of a relation that has several, such as an incremental model
with those of each build. counts, means: names of columns and of `sums`.
#}
{% macro clusters(relation, keys, counts, means=[]) -%}
{% set of = namespace(columns=keys + ["cluster"]) -%}
{% for count in counts -%}
{% set of.columns = of.columns + ["sum(" ~ count ~ ")::bigint as " ~ count] -%}
{% endfor -%}
{% for mean in means -%}
{% set of.columns = of.columns + [
    "sum(" ~ mean ~ "_n)::bigint as " ~ mean ~ "_n",
    "sum(" ~ mean ~ "_total)::bigint as " ~ mean ~ "_total",
    "min(" ~ mean ~ "_least) as " ~ mean ~ "_least",
    "max(" ~ mean ~ "_most) as " ~ mean ~ "_most"
] -%}
{% endfor -%}
select {{ of.columns | join(", ") }}
from {{ relation }}
group by all
{%- endmacro %}

{# A rate, null of no rows. hits, rows: columns of the clusters, counts of those that have it and of all. #}
{% macro rate(name, hits, rows) -%}
{{ _figure(name, rows, hits, "0", "1") }}
{%- endmacro %}

{#
A mean of what has bounds, such as points, from its `sums`. They are the least and the most that occur in all groups
of the mart that are alike in the columns `within`. The order, in which all rows are equal, keeps DuckDB 2.0 from a join
of the groups to themselves, on one side of which it forgets a condition on `game`.
#}
{% macro bounded_mean(name, within="dataset") -%}
{% set window = " over (partition by " ~ within ~ " order by true)" -%}
{% set least, most = "min(min(" ~ name ~ "_least))" ~ window, "max(max(" ~ name ~ "_most))" ~ window -%}
{{ _figure(name, name ~ "_n", name ~ "_total", least, most) }}
{%- endmacro %}

{# A mean of what has none, such as chips, from its `sums`; no interval if the clusters are all alike. #}
{% macro mean(name) -%}
{{ _figure(name, name ~ "_n", name ~ "_total") }}
{%- endmacro %}

{% macro _figure(name, rows, total, least=none, most=none) -%}
sum({{ total }}) / nullif(sum({{ rows }}), 0) as {{ name }},
{{ _end("-", rows, total, least, most) }} as {{ name }}_low,
{{ _end("+", rows, total, least, most) }} as {{ name }}_high
{%- endmacro %}

{# One end, step by step: each lambda names what the next one needs. #}
{% macro _end(sign, rows, total, least, most) -%}
{% set step = t_quantile("floor(given['clusters'])::integer - 1") -%}
list_transform(list_transform(list_transform(
    [{
        'n': nullif(sum({{ rows }}), 0)::double,
        'y': sum({{ total }})::double,
        'nn': sum({{ rows }} * {{ rows }})::double,
        'ny': sum({{ rows }} * {{ total }})::double,
        'yy': sum({{ total }} * {{ total }})::double,
        'least': ({{ least or "null" }})::double,
        'most': ({{ most or "null" }})::double
    }],
    lambda sums: {
        'sums': sums,
        'mean': sums['y'] / sums['n'],
        'clusters':
            case when sums['n'] ** 2 >= {{ least_clusters() }} * sums['nn'] then sums['n'] ** 2 / sums['nn'] end
    }),
    lambda given: {
        'mean': given['mean'],
        'least': given['sums']['least'],
        'most': given['sums']['most'],
        'clusters': given['clusters'],
        't': {{ step }},
        'variance':
            greatest(
                given['sums']['yy'] - 2 * given['mean'] * given['sums']['ny']
                + given['mean'] ** 2 * given['sums']['nn'],
                0
            ) / given['sums']['n'] ** 2 * given['clusters'] / (given['clusters'] - 1),
        'highest_variance':
            greatest((given['mean'] - given['sums']['least']) * (given['sums']['most'] - given['mean']), 0),
        'share_of_a_row': least(given['clusters'] / given['sums']['n'], 1)
    }),
    lambda given: {{ _bounded_end(sign) if least is not none else _unbounded_end(sign) }}
)[1]
{%- endmacro %}

{% macro _unbounded_end(sign) -%}
case
    when given['variance'] > 1e-12 * given['mean'] ** 2
        then given['mean'] {{ sign }} given['t'] * sqrt(given['variance'])
end
{%- endmacro %}

{# Wilson's formula with `drawn` in place of t ** 2 / n, for figures from `least` to `most`. #}
{% macro _bounded_end(sign) -%}
{% set ratio = "coalesce(given['clusters'] * given['variance'] / nullif(given['highest_variance'], 0), "
    ~ "given['share_of_a_row'])" -%}
list_transform(
    [
        given['t'] ** 2 * (given['clusters'] * {{ ratio }} + given['share_of_a_row'])
        / (given['clusters'] + 1) / given['clusters']
    ],
    lambda drawn: case
        when given['clusters'] is not null and given['most'] > given['least']
            then {{ "greatest" if sign == "-" else "least" }}((
                given['mean'] + drawn * (given['least'] + given['most']) / 2 {{ sign }} sqrt(
                    drawn * given['highest_variance'] + (drawn * (given['most'] - given['least']) / 2) ** 2
                )
            ) / (1 + drawn), given['{{ "least" if sign == "-" else "most" }}'])
    end
)[1]
{%- endmacro %}

{# With fewer effective clusters there is no interval. #}
{% macro least_clusters() -%}
5
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
