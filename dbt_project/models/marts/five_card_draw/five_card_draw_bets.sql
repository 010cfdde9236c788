-- By the events alone: what it costs to call is the most that anyone has put in, less what the player has; or
-- what was paid, if a blind was posted short.
{{ config(materialized='incremental') }}
{% set before = "order by seq rows between unbounded preceding and 1 preceding" %}
{% set raised = "count(*) filter (where action = 'raise')" %}

with events as (
    select
        hand_id,
        seq,
        seat,
        action,
        case when kind = 'bid' then coalesce(amount, 0) else 0 end as chips,
        count(*) filter (where action = 'discard') over (
            partition by hand_id order by seq
        ) > 0 as is_after_draw
    from {{ new_rows(ref('stg_events')) }}
    where game = 'five_card_draw' and (kind = 'bid' or action = 'discard')
),

players as (
    select * from {{ new_rows(ref('five_card_draw_players')) }}
),

summed as (
    select
        *,
        sum(case when action = 'dead' then 0 else chips end) over (
            partition by hand_id, seat order by seq
        ) as put_in
    from events
),

faced as (
    select
        *,
        coalesce(max(put_in) over (partition by hand_id {{ before }}), 0) - put_in + chips as to_call,
        coalesce(sum(chips) over (partition by hand_id {{ before }}), 0) as pot_before,
        coalesce({{ raised }} over (partition by hand_id, is_after_draw {{ before }}), 0) as raises_before
    from summed
)

select
    faced.hand_id,
    players.match_id,
    players.dataset,
    players.hand_status,
    faced.seq,
    faced.is_after_draw,
    faced.seat,
    players.player_name,
    players.is_computer,
    faced.action,
    faced.chips::integer as chips,
    greatest(
        faced.to_call,
        case when faced.action = 'call' and players.dialect = 'pokerstars' then faced.chips else 0 end
    )::integer as to_call,
    case when faced.action = 'raise' then faced.chips - faced.to_call end::integer as raised_by,
    faced.pot_before::integer as pot_before,
    faced.raises_before::tinyint as raises_before,
    players.known_from_deal,
    case when faced.is_after_draw then players.rank_after else players.rank_before end as rank,
    case
        when faced.is_after_draw then players.category_after else players.category_before
    end as category,
    players.net > 0 as won,
    players.net > 0 and not players.shown and not players.mucked as won_unseen,
    players.ingest_no
from faced
inner join players on faced.hand_id = players.hand_id and faced.seat = players.seat
where faced.action in ('fold', 'check', 'call', 'raise')
