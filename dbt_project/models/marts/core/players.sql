with

seats as (
    select * from {{ ref('int_seats') }}
),

final as (
    select
        game,
        player_name,
        player_kind,
        count(*) as hands,
        count(*) filter (where status = 'complete') as complete_hands,
        count(distinct match_id) as matches,
        count(*) filter (where is_won) as hands_won,
        count(*) filter (where is_won) / nullif(count(is_won), 0) as share_won,
        avg(team_score - other_score) as mean_score_difference,
        avg(place) filter (where status = 'complete') as mean_place,
        sum(net)::bigint as net
    from seats
    group by all
)

select * from final
