with seats as (
    select
        game,
        dataset,
        match_id,
        hand_id,
        seat,
        any_value(team) as team,
        any_value(player_name) as player_name,
        any_value(player_kind) as player_kind,
        any_value(role) as role,  -- noqa: RF04
        any_value(contract) as contract,
        any_value(trump) as trump,
        bool_and(exact) as is_exact,
        count(*) filter (where legal_actions > 1) as decisions,
        count(*) filter (where cost_open > 0) as costly,
        sum(cost_open) as seat_cost,
        count(cost_known) filter (where legal_actions > 1) as decisions_known,
        sum(cost_known) as cost_known,
        min(cost_open) filter (where legal_actions > 1) as least_open,
        max(cost_open) as most_open,
        min(cost_known) filter (where legal_actions > 1) as least_known,
        max(cost_known) as most_known
    from {{ ref('int_card_costs') }}
    where hand_status = 'complete'
    group by game, dataset, match_id, hand_id, seat
),

scores as (
    select
        hand_id,
        team_0_score - team_1_score as score
    from {{ ref('stg_playedhand') }}
),

with_teams as (
    select
        *,
        sum(seat_cost) over (partition by hand_id, team) as team_cost,
        sum(seat_cost) over (partition by hand_id) as table_cost,
        bool_and(is_exact) over (partition by hand_id) as is_hand_exact
    from seats
)

select
    with_teams.*,
    pars.exact as is_par_exact,
    case with_teams.team when 0 then pars.par when 1 then -pars.par end as par,
    case with_teams.team when 0 then scores.score when 1 then -scores.score end as lead,
    case
        when with_teams.team is not null then with_teams.team_cost - with_teams.seat_cost
    end as partner_cost,
    case
        when with_teams.team is not null then with_teams.table_cost - with_teams.team_cost
    end as opponents_cost
from with_teams
inner join {{ ref('stg_pars') }} as pars on with_teams.hand_id = pars.hand_id
inner join scores on with_teams.hand_id = scores.hand_id
