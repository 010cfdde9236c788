with

hands as (
    select
        *,
        [player_0_bid, player_1_bid, player_2_bid, player_3_bid] as bids,
        [
            {% for seat in range(4) %}
            case
                when player_{{ seat }}_is_computer then 'computer'
                when not player_{{ seat }}_is_computer then 'human'
                else 'unknown'
            end,
            {% endfor %}
        ] as players,
        unnest([0, 1, 2, 3]) as seat
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser' and status = 'complete'
),

seats as (
    select
        hand_id,
        seat::tinyint as seat,
        players[seat + 1] as player,
        players[(seat + 2) % 4 + 1] as partner,
        try_cast(rtrim(bids[seat + 1], 'CDHSN') as integer) as bid,
        seat = declarer as is_declarer,
        seat % 2 = declarer % 2 as is_bidding,
        case seat % 2 when 0 then team_0_points else team_1_points end as team_points,
        case seat % 2 when 0 then team_0_score else team_1_score end as team_score,
        (8 - length(replace(trick_winners, seat::varchar, '')))::integer as tricks
    from hands
)

select * from seats
