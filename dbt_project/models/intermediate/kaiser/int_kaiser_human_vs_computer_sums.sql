{{ config(materialized='incremental') }}

select
    dataset,
    player,
    partner,
    {{ cluster() }},
    count(*) as hands,
    count(bid) as bids,
    {{ sums('mean_bid', 'bid') }},
    count(*) filter (where is_declarer) as contracts,
    count(*) filter (where is_declarer and team_score > 0) as contracts_made,
    {{ sums('mean_points_as_declarer', 'team_points', 'is_declarer') }},
    {{ sums('mean_score_as_declarer', 'team_score', 'is_declarer') }},
    count(*) filter (where not is_bidding) as hands_defending,
    {{ sums('mean_points_defending', 'team_points', 'not is_bidding') }},
    {{ sums('mean_points', 'team_points') }},
    {{ sums('mean_score', 'team_score') }},
    {{ sums('mean_tricks', 'tricks') }},
    max(ingest_no) as ingest_no
from {{ new_rows(ref('int_kaiser_seats')) }}
group by all
