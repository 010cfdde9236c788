{# Raises of pots that were not empty, as multiples of the pot: a list of those of a cluster; their median. #}
{% macro raises_of_pots() -%}
list(raised_by / pot_before) filter (where raised_by is not null and pot_before > 0) as raises_of_pots
{%- endmacro %}

{% macro median_raise_of_pot() -%}
sum(coalesce(length(raises_of_pots), 0))::bigint as raises_of_pots,
list_median(flatten(list(raises_of_pots) filter (where raises_of_pots is not null))) as median_raise_of_pot
{%- endmacro %}
