-- Who sat where at the end of each match, by seats and by pairs of partners.
{{ config(materialized='incremental', unique_key='match_id') }}

with matches as (
    select * from {{ new_matches(ref('matches')) }}
),

-- A seat that is out before the last hand is part of the match too.
seats as (
    select
        game,
        match_id,
        seat,
        any_value(team) as team,
        any_value(partner_seat) as partner_seat,
        arg_max([player_name, player_kind], hand_no) as player,
        arg_max([partner_name, partner_kind], hand_no) as partner,
        (coalesce(player[1], ''), coalesce(player[2], ''))
        <= (coalesce(partner[1], ''), coalesce(partner[2], '')) as is_in_order
    from {{ new_matches(ref('stg_seats')) }}
    where match_id is not null
    group by game, match_id, seat
),

sides as (
    select
        * exclude (partner),
        false as is_pair,
        null as partner
    from seats
    union all by name
    select
        * exclude (player, partner),
        true as is_pair,
        if(is_in_order, player, partner) as player,
        if(is_in_order, partner, player) as partner
    from seats
    where seat < partner_seat
)

select
    sides.game,
    sides.match_id,
    matches.dataset,
    sides.is_pair,
    sides.seat,
    sides.player[1] as player_name,
    sides.player[2] as player_kind,
    sides.partner[1] as partner_name,
    sides.partner[2] as partner_kind,
    sides.team,
    matches.is_over,
    coalesce(matches.winner_team = sides.team, matches.winner_seat = sides.seat, false) as is_won,
    hands.added_date,
    hands.source_id,
    hands.dataset as source_dataset,
    hands.source_line,
    matches.ingest_no
from sides
inner join matches on sides.game = matches.game and sides.match_id = matches.match_id
inner join {{ new_matches(ref('hands')) }} as hands on matches.last_hand_id = hands.hand_id
