-- The play by cards and bids alone. How many places after the leader the best card of a trick lies does
-- not depend on who leads, so it is found for all eight tricks at once. Who took them is then a short
-- chain: each winner leads the next trick, and the declarer the first.
with

auctions as (
    select * from {{ ref('int_kaiser_auctions') }}
),

played as (
    select
        hand_id,
        played_cards
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser' and length(played_cards) = 64
),

distinct_ranks as (
    select distinct
        rank,
        strength
    from {{ ref('kaiser_cards') }}
),

ranks as (
    select string_agg(rank, '' order by strength) as low_to_high
    from distinct_ranks
),

hands as (
    select
        auctions.hand_id,
        auctions.declarer,
        auctions.contract,
        auctions.no_trump,
        auctions.trump,
        played.played_cards,
        ranks.low_to_high
    from played
    inner join auctions on played.hand_id = auctions.hand_id
    cross join ranks
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
                when trump then length(low_to_high) + instr(low_to_high, {{ rank }})
                when {{ suit_led }} then instr(low_to_high, {{ rank }})
                else 0
            end,
            {% endfor %}
        ] as strengths_{{ trick }},
        {% endfor %}
        hand_id,
        declarer,
        contract,
        no_trump,
        trump,
        played_cards
    from hands
),

places as (
    select
        {% for trick in range(8) %}
        list_position(strengths_{{ trick }}, list_max(strengths_{{ trick }})) - 1 as place_{{ trick }},
        {% endfor %}
        hand_id,
        declarer,
        contract,
        no_trump,
        trump,
        played_cards
    from strengths
),

winners as (
    select
        (declarer + place_0) % 4 as winner_0,
        {% for trick in range(1, 8) %}
        (winner_{{ trick - 1 }} + place_{{ trick }}) % 4 as winner_{{ trick }},
        {% endfor %}
        hand_id,
        declarer,
        contract,
        no_trump,
        trump,
        played_cards
    from places
),

final as (
    select
        hand_id,
        declarer,
        contract,
        no_trump,
        trump,
        played_cards,
        concat(
            winner_0, winner_1, winner_2, winner_3, winner_4, winner_5, winner_6, winner_7
        ) as trick_winners
    from winners
)

select * from final
