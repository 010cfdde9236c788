{{ config(materialized='incremental') }}

with hands as (
    select * from {{ new_rows(ref('hands')) }}
    where game = 'pinochle'
),

melds as (
    select
        hand_id,
        count(*)::tinyint as seats_shown,
        sum(amount) filter (where seat % 2 = 0) as team_0_meld,
        sum(amount) filter (where seat % 2 = 1) as team_1_meld
    from {{ new_rows(ref('stg_events')) }}
    where game = 'pinochle' and kind = 'meld'
    group by hand_id
)

select
    hands.hand_id,
    hands.match_id,
    hands.hand_no,
    hands.dataset,
    hands.status,
    auctions.dialect,
    hands.declarer,
    hands.contract,
    hands.trump,
    auctions.is_stuck,
    auctions.thrown_in,
    auctions.is_played,
    hands.made,
    coalesce(melds.seats_shown, 0)::tinyint as seats_shown,
    case hands.declarer_team when 0 then melds.team_0_meld else melds.team_1_meld end::integer
        as declarer_meld,
    case hands.declarer_team when 0 then melds.team_1_meld else melds.team_0_meld end::integer
        as defender_meld,
    hands.declarer_points,
    hands.defender_points,
    hands.declarer_score,
    hands.defender_score,
    hands.ingest_no
from hands
inner join {{ new_rows(ref('int_pinochle_auctions')) }} as auctions on hands.hand_id = auctions.hand_id
left join melds on hands.hand_id = melds.hand_id
where hands.declarer is not null
