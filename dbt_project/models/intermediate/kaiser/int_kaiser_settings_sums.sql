{{ config(materialized='incremental') }}

with

complete_hands as (
    select * from {{ of_new_hands(ref('hands')) }}
    where game = 'kaiser' and status = 'complete'
),

final as (
    select
        dataset,
        min_bid,
        pass_cards,
        no_trump_bid_out,
        game_over_at_minus_52,
        count(*) as hands,
        count(*) filter (where made) as hands_made,
        count(*) filter (where trump = 'N') as hands_no_trump,
        {{ sums('mean_contract', 'contract') }},
        {{ sums('mean_points', 'declarer_points') }},
        {{ sums('mean_score', 'declarer_score') }},
        {{ sums('mean_defender_score', 'defender_score') }}
    from complete_hands
    group by all
)

select * from final
