with

hands as (
    select
        match_id,
        hand_id,
        hand_no,
        thrown_in,
        status,
        dialect
    from {{ ref('int_pinochle_hands') }}
    where match_id is not null
),

reported as (
    select
        hand_id,
        max(amount) filter (where action = 'match' and seat = 0) as team_0_score,
        max(amount) filter (where action = 'match' and seat = 1) as team_1_score,
        max(seat % 2) filter (where action = 'place' and amount = 1) as winner_team
    from {{ ref('stg_events') }}
    where game = 'pinochle' and kind = 'score' and action in ('match', 'place')
    group by hand_id
),

final as (
    select
        hands.match_id,
        min(hands.dialect) as dialect,
        count(*) as hands,
        count(*) filter (where hands.thrown_in) as hands_thrown_in,
        arg_max(reported.team_0_score, hands.hand_no) as team_0_score,
        arg_max(reported.team_1_score, hands.hand_no) as team_1_score,
        max(reported.winner_team)::tinyint as winner_team
    from hands
    left join reported on hands.hand_id = reported.hand_id
    group by hands.match_id
)

select * from final
