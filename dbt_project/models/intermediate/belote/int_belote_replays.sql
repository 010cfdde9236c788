-- The play by cards and bids alone; the seat after the dealer leads the first trick.
with played as (
    select
        hand_id,
        dialect,
        dealer,
        played_cards,
        ingest_no,
        {{ by_seat('bid', 4) }} as bids,
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

rules as (
    select * from {{ ref('hand_rules') }}
    where game = 'belote'
),

hands as (
    select
        played.*,
        orders.*,
        rules.last_trick_points
    from played
    cross join orders
    cross join rules
),

{{ replayed(8, '(dealer + 1)', 'plain_order', 'trump_order') }},

valued as (
    select
        {% for trick in range(8) %}
        {{ 'last_trick_points' if trick == 7 else '0' }}
        {% for play in range(4 * trick, 4 * trick + 4) %}
        + case {{ suit_played(play) }}
            when trump then trump_points[instr(trump_order, {{ rank_played(play) }})]
            else plain_points[instr(plain_order, {{ rank_played(play) }})]
        end
        {% endfor %}
            as points_{{ trick }},
        {% endfor %}
        *
    from winners
)

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
    {{ trick_winners(8) }} as trick_winners,
    dialect,
    ingest_no
from valued
