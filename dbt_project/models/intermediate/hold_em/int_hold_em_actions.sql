-- Each blind and bet of a hand, by the events alone, not by the fold.
{{ config(materialized='incremental') }}

with events as (
    select
        hand_id,
        seq,
        kind,
        action,
        seat,
        coalesce(amount, 0) as amount,
        ingest_no,
        count(*) filter (where action = 'board' and coalesce(amount, 1) = 1) over told as street
    from {{ new_rows(ref('stg_events')) }}
    where game = 'hold_em' and (kind = 'bid' or action = 'board')
    window told as (partition by hand_id order by seq)
)

select
    hand_id,
    seq,
    street::tinyint as street,
    action,
    seat,
    amount as chips,
    coalesce(sum(amount) filter (where kind = 'bid') over earlier, 0)::integer as pot_before,
    count(*) filter (where action = 'raise') over earlier_in_street as raises_before,
    count(*) filter (where action = 'call') over earlier_in_street as calls_before,
    coalesce(bool_or(action = 'raise') over own_in_street, false) as has_raised,
    arg_max(seat, seq) filter (where action = 'raise') over earlier_in_street as raised_by,
    ingest_no
from events
where kind = 'bid'
window
    earlier as (partition by hand_id order by seq rows between unbounded preceding and 1 preceding),
    earlier_in_street as (
        partition by hand_id, street order by seq rows between unbounded preceding and 1 preceding
    ),
    own_in_street as (
        partition by hand_id, street, seat order by seq rows between unbounded preceding and 1 preceding
    )
