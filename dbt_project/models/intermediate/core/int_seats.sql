with

hands as (
    select
        hand_id,
        status,
        team_0_score,
        team_1_score,
        {{ by_seat('place', 6) }} as places,
        {{ by_seat('net', 6) }} as nets
    from {{ ref('stg_playedhand') }}
),

openings as (
    select
        *,
        unnest(range(json_array_length(players)::integer))::tinyint as seat
    from {{ ref('int_openings') }}
),

seats as (
    select
        openings.game,
        openings.hand_id,
        openings.match_id,
        openings.hand_no,
        openings.dialect,
        openings.seat,
        openings.match_score_before[openings.seat + 1] as chips_before,
        hands.status,
        openings.players ->> ('$[' || openings.seat || '].name') as player_name,
        openings.players ->> ('$[' || openings.seat || '].kind') as player_kind,
        case openings.seat % 2 when 0 then hands.team_0_score else hands.team_1_score end as team_score,
        case openings.seat % 2 when 0 then hands.team_1_score else hands.team_0_score end as other_score,
        hands.places[openings.seat + 1] as place,
        hands.nets[openings.seat + 1] as net
    from openings
    inner join hands on openings.hand_id = hands.hand_id
    where openings.players ->> ('$[' || openings.seat || ']') is not null
),

final as (
    select
        *,
        case
            when status <> 'complete' then null
            when team_score is not null then team_score > other_score
            when place is not null then place = min(place) over (partition by hand_id)
            when net is not null then net > 0
        end as is_won
    from seats
)

select * from final
