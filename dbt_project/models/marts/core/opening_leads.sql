with

totals as (
    select
        game,
        dataset,
        leader,
        rank,
        is_trump,
        sum(leads)::bigint as leads,
        sum(tricks_taken)::bigint as tricks_taken,
        sum(hands_won)::bigint as hands_won
    from {{ ref('int_opening_leads_sums') }}
    group by all
),

final as (
    select
        game,
        dataset,
        leader,
        rank,
        is_trump,
        leads,
        tricks_taken,
        {{ rate('taken_rate', 'tricks_taken', 'leads') }},
        hands_won,
        {{ rate('win_rate', 'hands_won', 'leads') }}
    from totals
)

select * from final
