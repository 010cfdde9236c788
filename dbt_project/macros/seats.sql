{# The columns of the first seats as one list, as by_seat('bid', 2): [player_0_bid, player_1_bid]. #}
{% macro by_seat(column, seats) -%}
[{% for seat in range(seats) %}player_{{ seat }}_{{ column }}{{ ", " if not loop.last }}{% endfor %}]
{%- endmacro %}

{# Who a seat is, seen from the declarer, in games with teams and without; joined by `is_from_declarer`. #}
{% macro role(seat, hands, seat_relations) -%}
coalesce(
    {{ seat_relations }}.to_declarer,
    case {{ seat }} = {{ hands }}.declarer when true then 'declarer' when false then 'defender' end
)
{%- endmacro %}

{% macro is_from_declarer(seat, hands, seat_relations) -%}
{{ hands }}.declarer_team is not null and ({{ seat }} - {{ hands }}.declarer + 4) % 4 = {{ seat_relations }}.steps
{%- endmacro %}

{# The high cards of a hand, 4 points for each of the first rank, down to 1 for each of the fourth. #}
{% macro high_card_points(cards, ranks) -%}
({% for rank in ranks %}
{{ 4 - loop.index0 }} * (length({{ cards }}) - length(replace({{ cards }}, '{{ rank }}', '')))
{{ "+" if not loop.last }}
{% endfor %})
{%- endmacro %}
