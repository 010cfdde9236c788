{#
Columns of a summary with their 95 % intervals: `name`, `name_low` and `name_high`.

Hands of a match depend on one another, as do the seats of a hand, so the unit is the cluster: a match, or a hand that
no match is known of. A mart has two steps. The first groups its rows by the columns of the mart and by `cluster`, with
counts, and with `sums` of what there are means of. The second groups those by the columns of the mart.

The variance of a figure is that between clusters, and Student's t goes by the effective number of clusters, which is
smaller than their number if some have more rows than others. With fewer than five there is no interval.

A rate or a bounded mean can't be far from the ends of what is possible, and a rare value may not have been seen. So
its variance is drawn towards that of independent rows with values at both ends only, which counts as one cluster
more; the interval is Wilson's with that variance in place of the binomial one. Of samples of 5 to 50 matches at least
93 % of these intervals had the true figure, but of 5 in the marts of costs; test_coverage.py at 6ebf6994 draws them.
#}

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
{{ cardlog._figure(name, rows, hits, "0", "1") }}
{%- endmacro %}

{#
A mean of what has bounds, such as points, from its `sums`. They are the least and the most that occur in all groups
of the mart that are alike in the columns `within`. The order, in which all rows are equal, keeps DuckDB 2.0 from a join
of the groups to themselves, on one side of which it forgets a condition on `game`.
#}
{% macro bounded_mean(name, within="dataset") -%}
{% set window = " over (partition by " ~ within ~ " order by true)" -%}
{% set least, most = "min(min(" ~ name ~ "_least))" ~ window, "max(max(" ~ name ~ "_most))" ~ window -%}
{{ cardlog._figure(name, name ~ "_n", name ~ "_total", least, most) }}
{%- endmacro %}

{# A mean of what has none, such as chips, from its `sums`; no interval if the clusters are all alike. #}
{% macro mean(name) -%}
{{ cardlog._figure(name, name ~ "_n", name ~ "_total") }}
{%- endmacro %}

{% macro _figure(name, rows, total, least=none, most=none) -%}
{% set sums = "sum(%s), sum(%s), sum(%s * %s), sum(%s * %s), sum(%s * %s)"
    % (rows, total, rows, rows, rows, total, total, total) -%}
{% set end = "unbounded_end(%d, " ~ sums ~ ")" if least is none
    else "bounded_end(%d, " ~ sums ~ ", " ~ least ~ ", " ~ most ~ ")" -%}
sum({{ total }}) / nullif(sum({{ rows }}), 0) as {{ name }},
{{ end % -1 }} as {{ name }}_low,
{{ end % 1 }} as {{ name }}_high
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

{#
The mean of a value with its interval in one step, for a model of few rows: columns as those of `mean`, or of `rate` if
the value is a boolean. unit: what rows of which depend on one another.
#}
{% macro interval(name, value, unit="coalesce(match_id, hand_id)", lowest="null", highest="null") -%}
{% set interval = "interval_of(%s, %s, lowest := %s, highest := %s)" % (value, unit, lowest, highest) -%}
{{ interval }}.mean as {{ name }},
{{ interval }}.low as {{ name }}_low,
{{ interval }}.high as {{ name }}_high
{%- endmacro %}
