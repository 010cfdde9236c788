{{ config(materialized='incremental') }}

with seats as (
    select
        *,
        coalesce(player_kind, 'unknown') as own_kind,
        case when partner_seat is not null then coalesce(partner_kind, 'unknown') end as other_kind
    from {{ new_rows(ref('stg_seats')) }}
    where hand_status = 'complete'
),

tables as (
    select
        {% for kind in ['human', 'computer'] %}
        count(*) filter (where player_kind = '{{ kind }}')::tinyint as {{ kind }}s,
        {% endfor %}
        min(own_kind) = max(own_kind) as are_all_alike,
        hand_id
    from seats
    group by hand_id
),

-- Partners score the same, so a pair counts once, by its first seat.
opposed as (
    select
        seats.*,
        {% for kind in ['human', 'computer'] %}
        tables.{{ kind }}s
        - (seats.own_kind = '{{ kind }}')::tinyint
        - coalesce(seats.other_kind = '{{ kind }}', false)::tinyint as {{ kind }}_opponents,
        {% endfor %}
        least(seats.own_kind, seats.other_kind) as first_kind,
        case
            when seats.other_kind is not null then greatest(seats.own_kind, seats.other_kind)
        end as second_kind
    from seats
    inner join tables on seats.hand_id = tables.hand_id
    where not tables.are_all_alike and (seats.partner_seat is null or seats.seat < seats.partner_seat)
),

-- Of two sides that are alike, half win, whoever they are.
unlike as (
    select *
    from opposed
    where
        partner_seat is null
        or (first_kind = 'human')::int + (second_kind = 'human')::int <> human_opponents
        or (first_kind = 'computer')::int + (second_kind = 'computer')::int <> computer_opponents
)

select
    game,
    dataset,
    first_kind as player_kind,
    second_kind as partner_kind,
    human_opponents::tinyint as human_opponents,
    computer_opponents::tinyint as computer_opponents,
    {{ cluster() }},
    count(*) as hands,
    count(*) filter (where won) as hands_won,
    {{ sums('mean_score_difference', 'team_score - other_score') }},
    {{ sums('mean_place', 'place') }},
    {{ sums('mean_net', 'net') }},
    max(ingest_no) as ingest_no
from unlike
group by all
