{{ config(materialized='incremental') }}

with hands as (
    select * from {{ new_rows(ref('int_bidding_hands')) }}
)

select
    game,
    dataset,
    strength,
    longest_suit,
    {{ cluster() }},
    count(*) as hands,
    count(has_bid) as auctions,
    count(*) filter (where has_bid) as bids,
    count(*) filter (where is_declarer) as contracts,
    count(*) filter (where made) as contracts_made,
    {{ sums('mean_lead_declaring', 'lead', 'is_declarer') }},
    count(*) filter (where not has_bid) as passes,
    {{ sums('mean_lead_passing', 'lead', 'not has_bid') }},
    max(ingest_no) as ingest_no
from hands
group by all
