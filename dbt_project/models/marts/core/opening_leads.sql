with

totals as (
    {{ totals(
        ref('int_opening_leads_sums'),
        by=['game', 'dataset', 'leader', 'rank', 'is_trump'],
        counts=['leads', 'tricks_taken', 'hands_won']
    ) }}
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
