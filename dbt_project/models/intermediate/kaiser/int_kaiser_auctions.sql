-- The auction by the bids alone. A bid ranks twice its number, one more without trump; a pass ranks 0.
-- Turns count from the dealer's left, so the dealer has turn 3; he alone may equal the highest bid.
with hands as (
    select
        * exclude (declarer, contract, trump),
        {{ by_seat('bid', 4) }} as bids
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser'
),

ranked as (
    select
        *,
        {% for turn in range(4) %}
        bids[(dealer + {{ turn + 1 }}) % 4 + 1] as bid_{{ turn }},
        case
            when bid_{{ turn }} = 'pass' then 0
            else
                2 * try_cast(rtrim(bid_{{ turn }}, 'CDHSN') as integer)
                + suffix(bid_{{ turn }}, 'N')::integer
        end as rank_{{ turn }},
        {% endfor %}
        greatest(rank_0, rank_1, rank_2) as rank_to_beat,
        greatest(rank_to_beat, rank_3) as highest_rank
    from hands
),

-- A hand without all four bids has broken off, and nobody has won it: its sum is null.
finished as (
    select
        *,
        case highest_rank when rank_3 then 3 when rank_0 then 0 when rank_1 then 1 else 2 end as winning_turn
    from ranked
    where rank_0 + rank_1 + rank_2 + rank_3 > 0
)

select
    hand_id,
    match_id,
    dataset,
    status,
    dealer,
    winning_turn::tinyint as winning_turn,
    ((dealer + 1 + winning_turn) % 4)::tinyint as declarer,
    highest_rank // 2 as contract,
    highest_rank % 2 = 1 as no_trump,
    nullif(regexp_extract([bid_0, bid_1, bid_2, bid_3][winning_turn + 1], '[CDHSN]$'), '') as trump,
    case
        when winning_turn < 3 then 'ordinary'
        when rank_to_beat = 0 and contract = min_bid then 'forced'
        when rank_to_beat = 0 then 'opened'
        when rank_to_beat = rank_3 then 'matched'
        else 'raised'
    end as won_by,
    played_cards,
    case declarer % 2 when 0 then team_0_points else team_1_points end as declarer_points,
    case declarer % 2 when 0 then team_0_score else team_1_score end as declarer_score,
    ingest_no
from finished
