-- The program's round number. Its counter goes up at every visit of a seat and begins a new round when it
-- equals the number of players who are in. Between two exits that is plain division; at an exit the counter
-- may already be as high as the new number, and then the round never ends.
{{ config(materialized='incremental') }}

with recursive

exits as (
    select
        hand_id,
        num_players,
        (seats_out + 1)::tinyint as seats_out,
        visit_no
    from {{ new_rows(ref('int_ruter_sju_visits')) }}
    where is_leaving
),

segments as (
    select
        hand_id,
        max(ingest_no) as ingest_no,
        max(num_players)::tinyint as num_players,
        0::tinyint as seats_out,
        1 as first_visit,
        0 as round_no,
        0 as counter
    from {{ new_rows(ref('int_ruter_sju_visits')) }}
    group by hand_id

    union all

    select
        segments.hand_id,
        segments.ingest_no,
        segments.num_players,
        exits.seats_out,
        exits.visit_no as first_visit,
        segments.round_no
        + case
            when segments.counter >= segments.num_players - segments.seats_out then 0
            else
                (segments.counter + exits.visit_no - segments.first_visit)
                // (segments.num_players - segments.seats_out)
        end as round_no,
        case
            when segments.counter >= segments.num_players - segments.seats_out then segments.counter
            else
                (segments.counter + exits.visit_no - segments.first_visit)
                % (segments.num_players - segments.seats_out)
        end as counter
    from segments
    inner join exits
        on
            segments.hand_id = exits.hand_id
            and segments.seats_out + 1 = exits.seats_out
    where exits.seats_out < segments.num_players
)

select
    hand_id,
    seats_out,
    first_visit,
    round_no,
    counter,
    (num_players - seats_out)::tinyint as seats_in,
    counter >= num_players - seats_out as is_frozen,
    ingest_no
from segments
