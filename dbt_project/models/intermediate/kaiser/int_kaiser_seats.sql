with hands as (
    select
        *,
        {{ by_seat('bid', 4) }} as bids,
        [
            {% for seat in range(4) %}
            case
                when player_{{ seat }}_is_computer then 'computer'
                when not player_{{ seat }}_is_computer then 'human'
                else 'unknown'
            end,
            {% endfor %}
        ] as players,
        unnest(range(4))::tinyint as seat
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser' and status = 'complete'
)

select
    hand_id,
    match_id,
    dataset,
    seat,
    players[seat + 1] as player,
    players[(seat + 2) % 4 + 1] as partner,
    try_cast(rtrim(bids[seat + 1], 'CDHSN') as integer) as bid,
    seat = declarer as is_declarer,
    seat % 2 = declarer % 2 as is_bidding,
    case seat % 2 when 0 then team_0_points else team_1_points end as team_points,
    case seat % 2 when 0 then team_0_score else team_1_score end as team_score,
    (8 - length(replace(trick_winners, seat::varchar, '')))::integer as tricks,
    ingest_no
from hands
