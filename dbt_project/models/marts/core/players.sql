with

seats as (
    select * from {{ ref('stg_seats') }}
),

final as (
    select
        game,
        dataset,
        player_name,
        player_kind,
        count(*) as hands,
        count(*) filter (where hand_status = 'complete') as complete_hands,
        count(distinct match_id) as matches,
        count(*) filter (where won) as hands_won,
        {{ rate('share_won', 'hands_won', 'complete_hands') }},
        {{ mean('mean_score_difference', 'team_score - other_score') }},
        {{ mean('mean_place', 'place', "hand_status = 'complete'") }},
        sum(net)::bigint as net
    from seats
    group by all
)

select * from final
