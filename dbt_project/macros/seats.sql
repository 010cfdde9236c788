{# The columns of the first seats as one list, as by_seat('bid', 2): [player_0_bid, player_1_bid]. #}
{% macro by_seat(column, seats) -%}
[{% for seat in range(seats) %}player_{{ seat }}_{{ column }}{{ ", " if not loop.last }}{% endfor %}]
{%- endmacro %}
