{{ config(materialized='incremental') }}

with

team_games as (
    select game from {{ ref('match_rules') }}
),

-- Partners score the same, so a pair counts once, by its first seat.
sides as (
    select
        seats.*,
        team_games.game is not null as has_partner,
        coalesce(seats.player_kind, 'unknown') as own_kind,
        case when has_partner then coalesce(seats.opposite_kind, 'unknown') end as other_kind
    from {{ of_new_hands(ref('int_seats')) }} as seats
    left join team_games on seats.game = team_games.game
    where seats.status = 'complete' and (team_games.game is null or seats.seat < 2)
),

opposed as (
    select
        {% for kind in ['human', 'computer'] %}
        {{ kind }}s
        - (own_kind = '{{ kind }}')::tinyint
        - coalesce(other_kind = '{{ kind }}', false)::tinyint as {{ kind }}_opponents,
        {% endfor %}
        least(own_kind, other_kind) as first_kind,
        case when has_partner then greatest(own_kind, other_kind) end as second_kind,
        *
    from sides
),

final as (
    select
        game,
        dataset,
        first_kind as player_kind,
        second_kind as partner_kind,
        human_opponents::tinyint as human_opponents,
        computer_opponents::tinyint as computer_opponents,
        count(*) as hands,
        count(*) filter (where is_won) as hands_won,
        {{ sums('mean_score_difference', 'team_score - other_score') }},
        {{ sums('mean_place', 'place') }},
        {{ sums('mean_net', 'net') }}
    from opposed
    group by all
)

select * from final
