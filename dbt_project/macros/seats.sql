{# The columns of the first seats as one list, as by_seat('bid', 2): [player_0_bid, player_1_bid]. #}
{% macro by_seat(column, seats) -%}
[{% for seat in range(seats) %}player_{{ seat }}_{{ column }}{{ ", " if not loop.last }}{% endfor %}]
{%- endmacro %}

{# The high cards of a hand, 4 points for each of the first rank, down to 1 for each of the fourth. #}
{% macro high_card_points(cards, ranks) -%}
({% for rank in ranks %}
{{ 4 - loop.index0 }} * (length({{ cards }}) - length(replace({{ cards }}, '{{ rank }}', '')))
{{ "+" if not loop.last }}
{% endfor %})
{%- endmacro %}
