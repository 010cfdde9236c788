with

hands as (
    select * from {{ ref('hands') }}
    where game = 'high_card' and status = 'complete'
),

tricks as (
    select * from {{ ref('tricks_taken') }}
    where game = 'high_card' and hand_status = 'complete'
),

led as (
    select
        hand_id,
        count(*) filter (where leader = winner) as tricks_by_leader,
        count(*) as tricks
    from tricks
    group by all
),

final as (
    select
        hands.dataset,
        hands.dealer,
        count(*) as hands,
        count(*) filter (where hands.team_0_score = 1) as won_by_team_0,
        count(*) filter (where hands.team_1_score = 1) as won_by_team_1,
        sum(led.tricks)::bigint as tricks,
        sum(led.tricks_by_leader)::bigint as tricks_by_leader
    from hands
    inner join led on hands.hand_id = led.hand_id
    group by all
)

select * from final
order by dataset, dealer
