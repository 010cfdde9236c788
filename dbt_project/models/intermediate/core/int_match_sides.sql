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
        arg_max([partner_name, partner_kind], hand_no) as partner
    from {{ new_matches(ref('stg_seats')) }}
    where match_id is not null
    group by all
),

pairs as (
    select
        *,
        (coalesce(player[1], ''), coalesce(player[2], ''))
        <= (coalesce(partner[1], ''), coalesce(partner[2], '')) as is_in_order
    from seats
    where seat < partner_seat
),

sides as (
    select
        game,
        match_id,
        seat,
        team,
        false as is_pair,
        player[1] as player_name,
        player[2] as player_kind,
        null as partner_name,
        null as partner_kind
    from seats
    union all
    select
        game,
        match_id,
        seat,
        team,
        true as is_pair,
        case when is_in_order then player[1] else partner[1] end as player_name,
        case when is_in_order then player[2] else partner[2] end as player_kind,
        case when is_in_order then partner[1] else player[1] end as partner_name,
        case when is_in_order then partner[2] else player[2] end as partner_kind
    from pairs
)

select
    sides.game,
    sides.match_id,
    matches.dataset,
    sides.is_pair,
    sides.seat,
    sides.player_name,
    sides.player_kind,
    sides.partner_name,
    sides.partner_kind,
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
