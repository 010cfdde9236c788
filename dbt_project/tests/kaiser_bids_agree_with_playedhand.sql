-- The complete Kaiser hands whose bids in the events are not those of playedhand. The four bids of a hand
-- are compared as one number, two decimal digits per seat, so that no row is needed for each of them.
with

bids as (
    select
        hand_id,
        sum(coalesce(amount, 0) * (100 ** seat)::integer) as four_bids
    from {{ tested(ref('bids')) }}
    where game = 'kaiser' and hand_status = 'complete'
    group by all
),

playedhand as (
    select
        hand_id,
        0
        {% for seat in range(4) %}
        + coalesce(try_cast(rtrim(player_{{ seat }}_bid, 'CDHSN') as integer), 0) * {{ 100 ** seat }}
        {% endfor %}
            as four_bids
    from {{ ref('stg_playedhand') }}
    where game = 'kaiser' and status = 'complete'
)

select
    coalesce(bids.hand_id, playedhand.hand_id) as hand_id,
    bids.four_bids as in_events,
    playedhand.four_bids as in_playedhand
from bids
full outer join playedhand on bids.hand_id = playedhand.hand_id
where bids.four_bids is distinct from playedhand.four_bids
