{# The two ranks of a starting hand, the higher first, and whether it is suited: AKs, AKo, AA. #}
{% macro starting_hand(cards) -%}
{% set ranks = "'23456789TJQKA'" -%}
case
    when {{ cards }}[1] = {{ cards }}[3] then {{ cards }}[1] || {{ cards }}[3]
    when instr({{ ranks }}, {{ cards }}[1]) > instr({{ ranks }}, {{ cards }}[3]) then {{ cards }}[1] || {{ cards }}[3]
    else {{ cards }}[3] || {{ cards }}[1]
end || case when {{ cards }}[1] = {{ cards }}[3] then '' when {{ cards }}[2] = {{ cards }}[4] then 's' else 'o' end
{%- endmacro %}

{# The sums of what a hundred hands bring, in big blinds: of a column of chips. #}
{% macro bb_sums(name, chips) -%}
{{ sums(name, '100 * ' ~ chips ~ ' / nullif(big_blind, 0)', type='double') }}
{%- endmacro %}

{#
Columns of clusters, and of the mart made of them: how many rows there are of each kind, and what part of them has what.

of: the condition in SQL of the rows that each column counts. rates: a condition, which must imply the other, and the
column that the rate is over, for each rate.
#}
{% macro counted(of, rates) -%}
{% for name, condition in of.items() -%}
count(*) filter (where {{ condition }}) as {{ name }},
{% endfor -%}
{% for name, (condition, _) in rates.items() -%}
count(*) filter (where {{ condition }}) as {{ name }}_hits{{ "," if not loop.last }}
{% endfor -%}
{%- endmacro %}

{% macro rated(of, rates) -%}
{% for name in of -%}
sum({{ name }})::bigint as {{ name }},
{% endfor -%}
{% for name, (_, rows) in rates.items() -%}
{{ rate(name, name ~ "_hits", rows) }}{{ "," if not loop.last }}
{% endfor -%}
{%- endmacro %}
