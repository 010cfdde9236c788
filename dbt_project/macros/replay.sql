{# Rank and suit of the n-th card that was played in a hand, from 0. #}
{% macro rank_played(play) -%}
played_cards[{{ 2 * play + 1 }}]
{%- endmacro %}

{% macro suit_played(play) -%}
played_cards[{{ 2 * play + 2 }}]
{%- endmacro %}

{# CTE `ranks`, one row: the ranks of a pack, low to high, as one string. #}
{% macro ranks_of(cards) -%}
distinct_ranks as (
    select distinct
        rank,
        strength
    from {{ cards }}
),

ranks as (
    select string_agg(rank, '' order by strength) as low_to_high
    from distinct_ranks
)
{%- endmacro %}

{#
CTEs `strengths`, `offsets` and `winners` over a CTE `hands` with `played_cards` and `trump`: who takes each
trick of four cards, as columns winner_0, winner_1 …, by cards alone.

How many seats after the leader the best card of a trick lies does not depend on who leads, so it is found for
all tricks at once. Who took them is then a short chain: each winner leads the next trick. A trump is stronger
than all other cards; a card that neither is one nor follows suit has no strength; of equal cards the first
is the best.

tricks: how many. first_leader: the seat that leads the first, in SQL. plain_order, trump_order: strings of the
ranks, low to high, in SQL.
#}
{% macro replayed(tricks, first_leader, plain_order, trump_order) -%}
strengths as (
    select
        {% for trick in range(tricks) %}
        [
            {% for play in range(4 * trick, 4 * trick + 4) %}
            case {{ suit_played(play) }}
                when trump then length({{ plain_order }}) + instr({{ trump_order }}, {{ rank_played(play) }})
                when {{ suit_played(4 * trick) }} then instr({{ plain_order }}, {{ rank_played(play) }})
                else 0
            end,
            {% endfor %}
        ] as strengths_{{ trick }},
        {% endfor %}
        *
    from hands
),

offsets as (
    select
        {% for trick in range(tricks) %}
        list_position(strengths_{{ trick }}, list_max(strengths_{{ trick }})) - 1 as offset_{{ trick }},
        {% endfor %}
        *
    from strengths
),

winners as (
    select
        {% for trick in range(tricks) %}
        ({{ "winner_" ~ (trick - 1) if trick else first_leader }} + offset_{{ trick }}) % 4 as winner_{{ trick }},
        {% endfor %}
        *
    from offsets
)
{%- endmacro %}

{# The winners of a replay as one string, a seat digit for each trick. #}
{% macro trick_winners(tricks) -%}
concat({% for trick in range(tricks) %}winner_{{ trick }}{{ ", " if not loop.last }}{% endfor %})
{%- endmacro %}
