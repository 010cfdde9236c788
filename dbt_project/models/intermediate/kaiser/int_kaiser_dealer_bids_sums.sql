{{ config(materialized='incremental') }}

with auctions as (
    select * from {{ new_rows(ref('int_kaiser_auctions')) }}
    where status = 'complete'
)

select
    dataset,
    won_by,
    contract,
    {{ cluster() }},
    count(*) as hands,
    count(*) filter (where no_trump) as hands_no_trump,
    count(*) filter (where declarer_score > 0) as hands_made,
    {{ sums('mean_points', 'declarer_points') }},
    {{ sums('mean_score', 'declarer_score') }},
    max(ingest_no) as ingest_no
from auctions
group by all
