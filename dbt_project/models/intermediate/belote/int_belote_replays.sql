-- The play by cards and bids alone. How many places after the leader the best card of a trick lies does
-- not depend on who leads, so it is found for all eight tricks at once. Who took them is then a short
-- chain: each winner leads the next trick, and the seat after the dealer the first.
with

played as (
    select
        hand_id,
        dealer,
        played_cards,
        [player_0_bid, player_1_bid, player_2_bid, player_3_bid] as bids,
        list_position(list_transform(bids, lambda bid: bid in ('C', 'D', 'H', 'S')), true) - 1 as declarer,
        bids[declarer + 1] as trump
    from {{ ref('stg_playedhand') }}
    where game = 'belote' and status = 'complete'
),

orders as (
    select
        string_agg(rank, '' order by plain_strength) as plain_order,
        string_agg(rank, '' order by trump_strength) as trump_order,
        list(plain_points::integer order by plain_strength) as plain_points,
        list(trump_points::integer order by trump_strength) as trump_points
    from {{ ref('belote_ranks') }}
),

hands as (
    select
        played.*,
        orders.*
    from played
    cross join orders
),

-- A trump is stronger than all other cards; a card that neither is one nor follows suit has no strength.
strengths as (
    select
        {% for trick in range(8) %}
        {% set suit_led = 'played_cards[' ~ (8 * trick + 2) ~ ']' %}
        [
            {% for play in range(4 * trick, 4 * trick + 4) %}
            {% set rank = 'played_cards[' ~ (2 * play + 1) ~ ']' %}
            {% set suit = 'played_cards[' ~ (2 * play + 2) ~ ']' %}
            case {{ suit }}
                when trump then length(plain_order) + instr(trump_order, {{ rank }})
                when {{ suit_led }} then instr(plain_order, {{ rank }})
                else 0
            end,
            {% endfor %}
        ] as strengths_{{ trick }},
        0
        {% for play in range(4 * trick, 4 * trick + 4) %}
        {% set rank = 'played_cards[' ~ (2 * play + 1) ~ ']' %}
        {% set suit = 'played_cards[' ~ (2 * play + 2) ~ ']' %}
        + case {{ suit }}
            when trump then trump_points[instr(trump_order, {{ rank }})]
            else plain_points[instr(plain_order, {{ rank }})]
        end
        {% endfor %}
        {{ '+ 10' if trick == 7 }}
            as points_{{ trick }},
        {% endfor %}
        hand_id,
        dealer,
        declarer,
        trump
    from hands
),

places as (
    select
        {% for trick in range(8) %}
        list_position(strengths_{{ trick }}, list_max(strengths_{{ trick }})) - 1 as place_{{ trick }},
        {% endfor %}
        *
    from strengths
),

winners as (
    select
        (dealer + 1 + place_0) % 4 as winner_0,
        {% for trick in range(1, 8) %}
        (winner_{{ trick - 1 }} + place_{{ trick }}) % 4 as winner_{{ trick }},
        {% endfor %}
        *
    from places
),

final as (
    select
        {% for team in range(2) %}
        (
            0
            {% for trick in range(8) %}
            + case when winner_{{ trick }} % 2 = {{ team }} then points_{{ trick }} else 0 end
            {% endfor %}
        )::integer as team_{{ team }}_points,
        {% endfor %}
        hand_id,
        declarer::tinyint as declarer,
        trump,
        concat(
            winner_0, winner_1, winner_2, winner_3, winner_4, winner_5, winner_6, winner_7
        ) as trick_winners
    from winners
)

select * from final
