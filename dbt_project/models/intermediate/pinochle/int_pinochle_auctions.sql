-- The auction by events alone: a bid counts if it is higher than all before it, and the dealer holds the
-- lowest bid from the start. A hand thrown in and played on has the trump of the hand before.
{{ config(materialized='incremental') }}

with events as (
    select
        events.*,
        rules.held_bid
    from {{ new_rows(ref('stg_events')) }} as events
    inner join {{ ref('hand_rules') }} as rules on events.game = rules.game
    where events.game = 'pinochle' and (events.kind = 'bid' or events.action = 'open')
),

gathered as (
    select
        hand_id,
        max(detail) filter (where action = 'open') as opening,
        count(*) filter (where action in ('pass', 'bid')) as bids,
        coalesce(max(amount) filter (where action = 'bid' and amount > held_bid), held_bid) as contract,
        arg_max(seat, 1000::bigint * amount - seq) filter (
            where action = 'bid' and amount > held_bid
        ) as bidder,
        bool_or(action = 'throw_in') as thrown_in,
        max(suit) filter (where action = 'trump') as named_trump,
        max(ingest_no) as ingest_no
    from events
    group by hand_id, held_bid
),

read_openings as (
    select
        *,
        opening ->> '$.settings.dialect' as dialect,
        (opening ->> '$.dealer')::tinyint as dealer,
        opening ->> '$.match.trump' as trump_before
    from gathered
)

select
    read_openings.hand_id,
    read_openings.dialect,
    read_openings.dealer,
    coalesce(read_openings.bidder, read_openings.dealer) as declarer,
    read_openings.contract,
    read_openings.bidder is null as is_stuck,
    read_openings.thrown_in,
    case
        when not read_openings.thrown_in then read_openings.named_trump
        when not dialects.throw_in_ends_hand then read_openings.trump_before
    end as trump,
    case when read_openings.thrown_in then not dialects.throw_in_ends_hand else true end as is_played,
    dialects.bidders_need_a_trick,
    dialects.opponents_need_a_trick,
    read_openings.ingest_no
from read_openings
inner join {{ ref('pinochle_dialects') }} as dialects on read_openings.dialect = dialects.dialect
where read_openings.bids >= 3
