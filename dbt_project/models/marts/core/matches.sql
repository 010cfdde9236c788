{{ config(materialized='incremental', unique_key='match_id') }}

with hands as (
    select * from {{ new_matches(ref('match_hands')) }}
),

settings as (
    select
        hand_id,
        no_trump_bid_out,
        game_over_at_minus_52
    from {{ new_matches(ref('hands')) }}
),

rules as (
    select * from {{ ref('match_rules') }}
),

seats as (
    select * from {{ new_matches(ref('stg_seats')) }}
),

grouped as (
    select
        hands.game,
        hands.match_id,
        min(hands.dataset) as dataset,
        bool_and(hands.is_simulated) as is_simulated,
        min(hands.dialect) as dialect,
        count(*) as hands,
        count(*) filter (where hands.status = 'complete') as complete_hands,
        max(hands.ingest_no) as ingest_no,
        arg_max(hands.hand_id, hands.hand_no) as last_hand_id,
        arg_max(hands.declarer_team, hands.hand_no) as last_declarer_team,
        arg_max(hands.team_0_after, hands.hand_no) as team_0_points,
        arg_max(hands.team_1_after, hands.hand_no) as team_1_points,
        case
            when bool_or(hands.trump = 'N') then max(settings.no_trump_bid_out)
        end as no_trump_target,
        case when bool_or(settings.game_over_at_minus_52) then max(rules.losing_score) end as losing_score,
        arg_max(hands.made, hands.hand_no) filter (
            where hands.contract = rules.deciding_contract and hands.trump = rules.deciding_trump
            and hands.made is not null
        ) as deciding_made
    from hands
    inner join settings on hands.hand_id = settings.hand_id
    left join rules on hands.game = rules.game
    group by all
),

judged as (
    select
        grouped.*,
        rules.equal_scores,
        coalesce(grouped.no_trump_target, rules.target) as target,
        coalesce(
            greatest(grouped.team_0_points, grouped.team_1_points)
            >= coalesce(grouped.no_trump_target, rules.target),
            false
        ) as is_reached,
        coalesce(
            least(grouped.team_0_points, grouped.team_1_points) <= grouped.losing_score, false
        ) as is_lost
    from grouped
    left join rules on grouped.game = rules.game
),

teams as (
    select
        *,
        case
            when deciding_made is not null
                then case when deciding_made then last_declarer_team else 1 - last_declarer_team end
            when is_reached and least(team_0_points, team_1_points) >= target
                then
                    case
                        when equal_scores = 'declarer' then last_declarer_team
                        when team_0_points > team_1_points then 0
                        when team_1_points > team_0_points then 1
                    end
            when is_reached then case when team_0_points >= target then 0 else 1 end
            when is_lost and greatest(team_0_points, team_1_points) <= losing_score
                then 1 - last_declarer_team
            when is_lost then case when team_0_points <= losing_score then 1 else 0 end
        end::integer as winner_team
    from judged
),

with_rules as (
    select
        seats.*,
        rules.ends_by
    from seats
    left join rules on seats.game = rules.game
),

placed as (
    select
        seats.game,
        seats.match_id,
        max(seats.team) is not null as has_teams,
        bool_or(seats.ends_by is null) as is_reported,
        case
            when count(distinct seats.side) filter (where seats.is_left) = 1
                then max(seats.side) filter (where seats.is_left)
        end as winner,
        bool_and(seats.net is not null and not seats.is_left) filter (
            where seats.player_kind = 'human'
        ) as human_is_out
    from (
        select
            *,
            coalesce(team, seat) as side,
            case ends_by
                when 'place' then won
                when 'chips' then coalesce(score_before + net > 0, false)
                else reported_place = 1
            end as is_left
        from with_rules
        where
            case ends_by
                when 'points' then false
                when 'place' then place is not null
                when 'chips' then net is not null
                else reported_place is not null
            end
        qualify hand_no = max(hand_no) over (partition by game, match_id)
    ) as seats
    group by all
),

ended as (
    select
        teams.* exclude (winner_team),
        coalesce(
            teams.winner_team, case when placed.has_teams then placed.winner end
        )::integer as winner_team,
        case when not placed.has_teams then placed.winner end as winner_seat,
        teams.is_reached or teams.is_lost
        or teams.deciding_made is not null or placed.winner is not null
        or coalesce(placed.human_is_out or placed.is_reported, false) as is_over
    from teams
    left join placed on teams.game = placed.game and teams.match_id = placed.match_id
)

select {{ contracted_columns() }}
from ended
