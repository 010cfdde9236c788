-- Points by bids and cards alone; a test compares them with the fold's. Bela is a claim, so it comes from the
-- events; so do declarations that a player may keep to himself.
{{ config(materialized='incremental') }}

with melds as (
    select
        {% for team in range(2) %}
        sum(amount) filter (where action = 'declare' and seat % 2 = {{ team }}) as team_{{ team }}_declare,
        sum(amount) filter (where action = 'bela' and seat % 2 = {{ team }}) as team_{{ team }}_bela,
        {% endfor %}
        hand_id
    from {{ new_rows(ref('stg_events')) }}
    where game = 'belote' and kind = 'meld'
    group by hand_id
),

held as (
    select
        {% for team in range(2) %}
        coalesce(sum(points) filter (where counts and seat % 2 = {{ team }}), 0) as team_{{ team }}_held,
        {% endfor %}
        hand_id
    from {{ new_rows(ref('int_belote_declarations')) }}
    group by all
),

rules as (
    select all_tricks_points
    from {{ ref('hand_rules') }}
    where game = 'belote'
),

counted as (
    select
        {% for team in range(2) %}
        coalesce(
            if(dialects.all_are_shown, held.team_{{ team }}_held, melds.team_{{ team }}_declare), 0
        )::integer as team_{{ team }}_declared,
        coalesce(melds.team_{{ team }}_bela, 0)::integer as team_{{ team }}_bela,
        {% endfor %}
        replays.*
    from {{ new_rows(ref('int_belote_replays')) }} as replays
    left join {{ ref('belote_dialects') }} as dialects on replays.dialect = dialects.dialect
    left join melds on replays.hand_id = melds.hand_id
    left join held on replays.hand_id = held.hand_id
),

settled as (
    select
        {% for team in range(2) %}
        team_{{ team }}_points + team_{{ team }}_declared + team_{{ team }}_bela as team_{{ team }}_has,
        {% endfor %}
        team_0_has + team_1_has as hand_value,
        hand_value // 2 + 1 as contract,
        case when declarer % 2 = 0 then team_0_has else team_1_has end < contract as short,
        case
            when translate(trick_winners, '02', '') = '' then 0
            when translate(trick_winners, '13', '') = '' then 1
        end::tinyint as swept_by,
        {% for team in range(2) %}
        case
            when swept_by = {{ team }} then hand_value + (select rules.all_tricks_points from rules)
            when swept_by is not null then 0
            when not short then team_{{ team }}_has
            when declarer % 2 = {{ team }} then 0
            else hand_value
        end::integer as team_{{ team }}_score,
        {% endfor %}
        *
    from counted
)

select {{ contracted_columns() }}
from settled
