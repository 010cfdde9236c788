{{ config(materialized='incremental') }}

with

hands as (
    select
        hand_id,
        dataset,
        status,
        team_0_score,
        team_1_score,
        {{ by_seat('place', 6) }} as places,
        list_min(places) as best_place,
        {{ by_seat('net', 6) }} as nets
    from {{ ref('stg_playedhand') }}
),

openings as (
    select * from {{ of_new_hands(ref('int_openings')) }}
),

sitting as (
    select
        hand_id,
        from_json(detail, '{"players": [{"name": "VARCHAR", "kind": "VARCHAR"}]}').players as players
    from {{ ref('stg_events') }}
    where seq = 0
),

players as (
    select
        hand_id,
        players,
        {% for kind in ['human', 'computer'] %}
        length(
            list_filter(players, lambda player: struct_extract(player, 'kind') = '{{ kind }}')
        )::tinyint as {{ kind }}s,
        {% endfor %}
        unnest(players) as player,
        unnest(range(length(players)))::tinyint as seat
    from sitting
),

seats as (
    select
        openings.game,
        openings.hand_id,
        openings.match_id,
        openings.hand_no,
        hands.dataset,
        openings.dialect,
        players.seat,
        openings.match_score_before[players.seat + 1] as chips_before,
        hands.status,
        struct_extract(players.player, 'name') as player_name,
        struct_extract(players.player, 'kind') as player_kind,
        struct_extract(players.players[(players.seat + 2) % 4 + 1], 'name') as opposite_name,
        struct_extract(players.players[(players.seat + 2) % 4 + 1], 'kind') as opposite_kind,
        players.humans,
        players.computers,
        case players.seat % 2 when 0 then hands.team_0_score else hands.team_1_score end as team_score,
        case players.seat % 2 when 0 then hands.team_1_score else hands.team_0_score end as other_score,
        hands.places[players.seat + 1] as place,
        hands.nets[players.seat + 1] as net,
        hands.best_place
    from players
    inner join openings on players.hand_id = openings.hand_id
    inner join hands on players.hand_id = hands.hand_id
    where players.player is not null
),

final as (
    select
        * exclude (best_place),
        case
            when status <> 'complete' then null
            when team_score is not null then team_score > other_score
            when place is not null then place = best_place
            when net is not null then net > 0
        end as is_won
    from seats
)

select * from final
