-- The whole hands whose return for team 0 is not par, plus the costs of team 1, less those of team 0.
with costs as (
    select
        hand_id,
        sum(case seat % 2 when 0 then cost_open else -cost_open end) as lost
    from {{ ref('stg_analysis') }}
    group by hand_id
)

select
    pars.game,
    pars.hand_id,
    pars.par,
    costs.lost,
    hands.team_0_score - hands.team_1_score as score
from {{ ref('stg_pars') }} as pars
inner join costs on pars.hand_id = costs.hand_id
inner join {{ ref('stg_playedhand') }} as hands on pars.hand_id = hands.hand_id
-- Values are stored in single precision, and estimates are no whole numbers.
where
    hands.status = 'complete'
    and abs(pars.par - costs.lost - (hands.team_0_score - hands.team_1_score)) >= 0.01
