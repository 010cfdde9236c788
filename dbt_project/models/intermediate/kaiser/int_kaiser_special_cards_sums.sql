{{ config(materialized='incremental') }}

select
    dataset,
    card,
    card_points,
    taken_by,
    taken_by_bidders,
    played_as,
    {{ cluster() }},
    count(*) as hands,
    count(*) filter (where captured) as captured,
    count(*) filter (where made) as hands_made,
    {{ sums('mean_trick_no', 'trick_no') }},
    {{ sums('mean_bidder_points', 'declarer_points') }},
    max(ingest_no) as ingest_no
from {{ new_rows(ref('int_kaiser_special_cards')) }}
group by all
