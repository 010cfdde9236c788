with

seats as (
    select * from {{ ref('int_seats') }}
),

final as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        count(*) as hands,
        count(*) filter (where status = 'complete') as complete_hands,
        count(distinct match_id) as matches,
        count(*) filter (where is_won) as hands_won,
        {{ rate('share_won', 'hands_won', 'complete_hands') }},
        {{ mean('mean_score_difference', 'team_score - other_score') }},
        {{ mean('mean_place', 'place', "status = 'complete'") }},
        sum(net)::bigint as net
    from seats
    group by all
)

select * from final
