{{ config(materialized='incremental') }}

with counted as (
    select
        visits.*,
        case visits.action
            when 'card'
                then
                    visits.fit & visits.card_bit <> 0
                    and (not visits.is_going_on or coalesce(visits.choices_before > 1, true))
            when 'block' then visits.choices = 0 and not visits.is_going_on
            when 'pass' then visits.is_going_on
            else true
        end as is_allowed,
        ((visits.visit_no - 1) // visits.num_players)::integer as lap_no,
        (
            rounds.round_no
            + case
                when rounds.is_frozen then 0
                else (rounds.counter + visits.visit_no - rounds.first_visit) // rounds.seats_in
            end
        )::integer as round_no
    from {{ new_rows(ref('int_ruter_sju_visits')) }} as visits
    inner join {{ new_rows(ref('int_ruter_sju_rounds')) }} as rounds
        on visits.hand_id = rounds.hand_id and visits.seats_out = rounds.seats_out
)

select {{ contracted_columns() }}
from counted
