-- Each blind and bet of a hand, by the events alone, not by the fold.
{{ config(materialized='incremental') }}
{% set before = 'order by seq rows between unbounded preceding and 1 preceding' %}

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
),

-- Antes and dead blinds belong to the pot and need not be matched.
bets as (
    select
        *,
        case when action in ('ante', 'dead') then 0 else amount end as bet,
        sum(bet) over (partition by hand_id, street, seat order by seq) as put_in
    from events
    where kind = 'bid'
),

acts as (
    select
        *,
        coalesce(max(put_in) over earlier_in_street, 0) - put_in + bet as to_call,
        coalesce(sum(amount) over earlier, 0) as pot_before,
        count(*) filter (where action = 'raise') over earlier_in_street as raises_before,
        count(*) filter (where action = 'call') over earlier_in_street as calls_before,
        coalesce(bool_or(action = 'raise') over own_in_street, false) as has_raised,
        arg_max(seat, seq) filter (where action = 'raise') over earlier_in_street as raised_by,
        arg_max(seat, seq) filter (where action = 'raise' and street = 0) over hand as preflop_raiser,
        raises_before + (action = 'raise')::integer as raises_so_far
    from bets
    window
        hand as (partition by hand_id),
        earlier as (partition by hand_id {{ before }}),
        earlier_in_street as (partition by hand_id, street {{ before }}),
        own_in_street as (partition by hand_id, street, seat {{ before }})
)

select
    hand_id,
    seq,
    street::tinyint as street,
    action,
    seat,
    amount as chips,
    put_in::integer as put_in,
    greatest(to_call, 0)::integer as to_call,
    pot_before::integer as pot_before,
    raises_before,
    calls_before,
    has_raised,
    raised_by,
    preflop_raiser,
    case when action = 'raise' then (amount - to_call) / nullif(pot_before + to_call, 0) end as part_of_pot,
    case
        when action <> 'raise' then null
        when max(raises_so_far) over (partition by hand_id, street) > raises_so_far then 'raise'
        when count(*) filter (where action = 'call') over until_next_raise > 0 then 'call'
        else 'fold'
    end as answer,
    ingest_no
from acts
window until_next_raise as (partition by hand_id, street, raises_so_far)
